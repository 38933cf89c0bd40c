package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// Two hosts behind deploy/haproxy.cfg lose their primary: the balancer keeps the hosts, and they
// serve the flowers of a standby.
func TestBalancerKeepsHosts(t *testing.T) {
	primary := servertest.New(t)
	dsn := primary.Database(t)
	if _, err := flowers.Load(t.Context(), dsn, rose); err != nil {
		t.Fatal(err)
	}
	standby := primary.Standby(t, "standby")
	hosts := make([]string, 2)
	for i := range hosts {
		address, _ := start(t, "-dsn", dsn, "-catalog-dsn", standby.DSN(servertest.DatabaseOf(dsn)), "-wait", "3s")
		hosts[i] = strings.TrimPrefix(address, "http://")
	}
	balancer := "http://" + servertest.NewBalancer(t, "../deploy/haproxy.cfg", hosts[0], hosts[1])
	primary.Kill()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) { // the balancer would notice in 2
		if status, body := get(t, balancer+"/flowers/rose"); status != 200 {
			t.Fatalf("a flower: got %d %q, want 200", status, body)
		}
	}
	if status, body := get(t, balancer+"/coffees"); status != 503 || body != "The database is busy. Try again later." {
		t.Errorf("coffees: got %d %q, want the 503 of a host", status, body)
	}
}

// What clients send in forwarded headers does not reach the hosts, and a balancer without hosts
// says when to try again.
func TestBalancerHeaders(t *testing.T) {
	seen := make(chan http.Header, 1)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			seen <- r.Header
		}
	}))
	t.Cleanup(host.Close) // also if haproxy is not installed
	address := strings.TrimPrefix(host.URL, "http://")
	balancer := "http://" + servertest.NewBalancer(t, "../deploy/haproxy.cfg", address, address)
	client := http.Client{Timeout: hangGuard}
	defer client.CloseIdleConnections()
	request, err := http.NewRequest("GET", balancer+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Proto", "Forwarded"} {
		request.Header.Set(name, "liar")
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	got := <-seen
	if got.Get("X-Forwarded-For") != "127.0.0.1" || got.Get("X-Forwarded-Proto") != "http" || got.Get("Forwarded") != "" || len(got.Values("X-Forwarded-For")) != 1 {
		t.Errorf("the host sees %v, want the address and the scheme of the client", got)
	}
	host.Close()
	for end := time.Now().Add(hangGuard); ; time.Sleep(50 * time.Millisecond) {
		response, err := client.Get(balancer + "/")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode == 503 && response.Header.Get("Retry-After") == "1" && string(body) == "No host is available. Try again later.\n" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("without hosts: got %d %v %q", response.StatusCode, response.Header, body)
		}
	}
}

// A host that fails or stops responding in a request is a 502 or 504 that says when to try again.
func TestBalancerErrors(t *testing.T) {
	const limit = "timeout server 35s"
	config, err := os.ReadFile("../deploy/haproxy.cfg")
	if err != nil || !strings.Contains(string(config), limit) {
		t.Fatalf("%v: no line %s", err, limit)
	}
	short := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(short, []byte(strings.Replace(string(config), limit, "timeout server 1s", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fails":
			panic(http.ErrAbortHandler)
		case "/hangs":
			<-over
		}
	}))
	t.Cleanup(func() {
		close(over)
		host.Close()
	})
	address := strings.TrimPrefix(host.URL, "http://")
	balancer := "http://" + servertest.NewBalancer(t, short, address, address)
	client := http.Client{Timeout: hangGuard}
	defer client.CloseIdleConnections()
	for _, test := range []struct {
		path   string
		status int
		body   string
	}{
		{"/fails", http.StatusBadGateway, "The host has failed. Try again later; a change may have been made.\n"},
		{"/hangs", http.StatusGatewayTimeout, "The host did not respond in time. Try again later; a change may have been made.\n"},
	} {
		response, err := client.Get(balancer + test.path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != test.status || response.Header.Get("Retry-After") != "1" || string(body) != test.body {
			t.Errorf("%s: got %d %v %q, want %d with Retry-After", test.path, response.StatusCode, response.Header, body, test.status)
		}
	}
}
