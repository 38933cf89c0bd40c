package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/flowercafe/examples/with/service/booking"
)

// This file runs two hosts behind haproxy, with one database behind PgBouncer, while clients book
// and parts fail.

// host is a process of the service.
type host struct {
	*process
	network *network // to PgBouncer
	start   func() *process
	url     string
}

func newHost(t *testing.T, database, secrets string) *host {
	t.Helper()
	h := &host{url: "http://127.0.0.1:" + strconv.Itoa(freePort(t))}
	var through string
	h.network, through = newNetwork(t, database)
	h.start = func() *process {
		cmd := exec.Command(os.Args[0], "-addr", strings.TrimPrefix(h.url, "http://"), "-db", through, "-secrets", secrets,
			"-secure=false", "-proxies", "127.0.0.0/8", "-drain", "1s")
		cmd.Env = append(os.Environ(), "RUN_SERVICE=1")
		return launch(t, cmd)
	}
	h.process = h.start()
	return h
}

// isReady reports whether a host responds, and fails the test if its process has ended.
func (h *host) isReady(t *testing.T) bool {
	t.Helper()
	select {
	case <-h.ended:
		t.Fatalf("a host has ended: %s", h.log)
	default:
	}
	client := http.Client{Timeout: time.Second}
	response, err := client.Get(h.url + "/readyz")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// restart starts a host that has ended.
func (h *host) restart(t *testing.T) {
	t.Helper()
	<-h.ended
	h.process = h.start()
	eventually(t, "a host is ready", func() bool { return h.isReady(t) })
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// startBalancer starts haproxy in front of hosts, and returns its URL.
func startBalancer(t *testing.T, hosts ...*host) string {
	t.Helper()
	program, port := find(t, "haproxy"), freePort(t)
	name := filepath.Join(t.TempDir(), "haproxy.cfg")
	config := fmt.Sprintf(`
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 10s
  timeout queue 5s
frontend service
  bind 127.0.0.1:%d
  http-request set-header X-Forwarded-For %%[src]
  default_backend hosts
backend hosts
  option httpchk GET /readyz
  timeout check 1s
  default-server check inter 200ms fall 2 rise 1
  option redispatch
  retries 2
  retry-on conn-failure
`, port)
	for i, h := range hosts {
		config += fmt.Sprintf("  server %d %s\n", i, strings.TrimPrefix(h.url, "http://"))
	}
	if err := os.WriteFile(name, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	address := "http://127.0.0.1:" + strconv.Itoa(port)
	startProcess(t, exec.Command(program, "-f", name), func() bool {
		response, err := http.Get(address + "/readyz")
		if err == nil {
			response.Body.Close()
		}
		return err == nil && response.StatusCode == http.StatusOK
	})
	return address
}

// load is clients that book and read through the balancer.
type load struct {
	t      *testing.T
	url    string
	client *http.Client
	cookie string // of a user

	mu       sync.Mutex
	statuses map[int]int       // how many responses had them, or 0 for none
	booked   map[string]string // the IDs of bookings that were confirmed, by day
	next     int
}

// book books a day that nobody has booked, and repeats the request until it is confirmed.
func (l *load) book() {
	l.mu.Lock()
	l.next++
	day := time.Date(2040, 1, l.next, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	l.mu.Unlock()
	body, err := json.Marshal(booking.Details{Room: "attic", Day: day, Name: "Dan Poe", Guests: 2})
	if err != nil {
		l.t.Error(err)
		return
	}
	for {
		r, err := http.NewRequest("POST", l.url+bookingsPath, bytes.NewReader(body))
		if err != nil {
			l.t.Error(err)
			return
		}
		r.Header = http.Header{"Authorization": {"Bearer writer"}, "Content-Type": {"application/json"}, "Idempotency-Key": {day}}
		var b booking.Booking
		switch status := l.send(r, &b); status {
		case http.StatusCreated:
			l.mu.Lock()
			l.booked[day] = b.ID
			l.mu.Unlock()
			return
		case 0, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			time.Sleep(50 * time.Millisecond)
		default:
			l.t.Errorf("POST for %s: got status %d", day, status)
			return
		}
	}
}

// read reads a page as a user who has logged in.
func (l *load) read() {
	r, err := http.NewRequest("GET", l.url+"/houses/mill/guests", nil)
	if err != nil {
		l.t.Error(err)
		return
	}
	r.Header.Set("Cookie", l.cookie)
	switch status := l.send(r, nil); status {
	case http.StatusOK:
	case 0, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		time.Sleep(50 * time.Millisecond)
	default:
		l.t.Errorf("GET: got status %d", status)
	}
}

// send sends a request and returns the status, or 0 if there is no response.
func (l *load) send(r *http.Request, result any) (status int) {
	response, err := l.client.Do(r)
	if err == nil {
		status = response.StatusCode
		if status == http.StatusCreated {
			err = json.NewDecoder(response.Body).Decode(result)
		}
		response.Body.Close()
	}
	if err != nil {
		status = 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.statuses[status]++
	return status
}

func (l *load) confirmed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.booked)
}

// While servers, hosts and networks fail, no response is a 500, no booking is lost or made twice,
// and the service recovers alone.
func TestFaultsBehindBalancer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two minutes: run it without -short")
	}
	find(t, "haproxy")
	find(t, "pgbouncer")
	direct := newDatabase(t)
	toServer, through := newNetwork(t, direct)
	pooler, _ := startPooler(t, through)
	secrets := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(secrets, []byte("rose\nwriter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := newHost(t, pooler, secrets), newHost(t, pooler, secrets) // at once, on a new database
	eventually(t, "both hosts are ready", func() bool { return first.isReady(t) && second.isReady(t) })

	l := &load{t: t, url: startBalancer(t, first, second), statuses: map[int]int{}, booked: map[string]string{},
		client: &http.Client{Timeout: 20 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	login, err := l.client.PostForm(l.url+"/login", url.Values{"name": {"ann"}, "password": {"rose"}})
	if err != nil {
		t.Fatal(err)
	}
	login.Body.Close()
	l.cookie, _, _ = strings.Cut(login.Header.Get("Set-Cookie"), ";")

	stop := make(chan struct{})
	var clients sync.WaitGroup
	for _, act := range []func(){l.book, l.book, l.book, l.book, l.read, l.read} {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					act()
				}
			}
		})
	}
	const outage = 7 * time.Second // longer than a statement may take
	for _, fault := range []struct {
		name   string
		happen func()
	}{
		{"none", func() {}},
		{"PostgreSQL stops", func() {
			restart := server.Stop(t, syscall.SIGINT)
			time.Sleep(time.Second)
			restart()
		}},
		{"PostgreSQL is killed", func() { server.Stop(t, syscall.SIGQUIT)() }}, // without a shutdown, as by a crash
		{"PostgreSQL is frozen", func() {
			server.Signal(t, syscall.SIGSTOP)
			time.Sleep(outage)
			server.Signal(t, syscall.SIGCONT)
		}},
		{"PgBouncer is cut off", func() {
			toServer.stall()
			time.Sleep(outage)
			toServer.resume()
		}},
		{"sessions are ended", func() {
			conn := connect(t, direct)
			for range 20 {
				execute(t, conn, endSessions)
				time.Sleep(50 * time.Millisecond)
			}
		}},
		{"connections are lost", func() {
			for answers := range 20 {
				first.network.cutAfter(answers)
				time.Sleep(50 * time.Millisecond)
				first.network.resume()
				time.Sleep(50 * time.Millisecond)
			}
		}},
		{"a host is killed", func() {
			first.kill()
			first.restart(t)
		}},
		{"a host stops", func() {
			first.Signal(syscall.SIGTERM)
			first.restart(t)
		}},
		{"a host is frozen", func() {
			first.Signal(syscall.SIGSTOP)
			time.Sleep(outage)
			first.Signal(syscall.SIGCONT)
		}},
		{"a host is cut off", func() {
			second.network.stall()
			time.Sleep(outage)
			second.network.resume()
		}},
	} {
		before, begin := l.confirmed(), time.Now()
		fault.happen()
		during, end := l.confirmed(), time.Now()
		eventually(t, fault.name+": bookings go on", func() bool { return l.confirmed() >= during+20 })
		t.Logf("%s: %d bookings in %v, and 20 more within %v", fault.name, during-before, end.Sub(begin).Round(time.Millisecond), time.Since(end).Round(time.Millisecond))
	}
	close(stop)
	clients.Wait()

	for _, h := range []*host{first, second} {
		if h.log.contains(`"status":500`) {
			t.Errorf("a host has sent a 500: %s", h.log)
		}
	}
	var all []booking.Booking
	r, err := http.NewRequest("GET", l.url+bookingsPath+"?from=2040-01-01", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer writer")
	response, err := l.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	kept := make(map[string]string)
	for _, b := range all {
		kept[b.Day] = b.ID
	}
	if len(all) != len(kept) || !maps.Equal(kept, l.booked) {
		t.Errorf("%d bookings were confirmed, and the database has %d", len(l.booked), len(all))
	}
	t.Logf("%d bookings; responses by status: %v", len(all), l.statuses)
}
