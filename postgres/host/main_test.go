package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/leakcheck"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

func TestMain(m *testing.M) { os.Exit(leakcheck.Run(m)) }

// hangGuard is far more than any step takes.
const hangGuard = time.Minute

// lockedBuffer is standard error.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// start runs a host until the test ends, and returns its address and its log.
func start(t *testing.T, args ...string) (address string, log *lockedBuffer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	log = new(lockedBuffer)
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), writer, log)
		writer.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the host ended with %v", err)
		}
	})
	line, err := bufio.NewReader(reader).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("the host said %q, %v\n%s", line, err, log)
	}
	return strings.TrimSuffix(address, "/"), log
}

func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	client := http.Client{Timeout: hangGuard}
	defer client.CloseIdleConnections()
	response, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// Before, in and after an outage: the health paths, the measurements and the log.
func TestOutageFromOutside(t *testing.T) {
	s := servertest.New(t)
	address, log := start(t, "-dsn", s.Database(t), "-base", "/shop", "-wait", "6s", "-metrics", "127.0.0.1:0")
	metrics := regexp.MustCompile(`http://\S+/metrics`).FindString(log.String())
	until := func(path string, want int) {
		t.Helper()
		for end := time.Now().Add(hangGuard); ; time.Sleep(50 * time.Millisecond) {
			status, body := get(t, address+path)
			if status == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: got %d %q, want %d", path, status, body, want)
			}
		}
	}
	has := func(lines ...string) {
		t.Helper()
		status, text := get(t, metrics)
		for _, line := range lines {
			if !regexp.MustCompile(`(?m)^` + line).MatchString(text) {
				t.Errorf("the measurements (%d) have no line %s:\n%s", status, line, text)
			}
		}
	}
	for _, path := range []string{"/shop/readyz", "/shop/db/create-tables", "/shop/db/load-data", "/shop/coffees", "/shop/flowers/rose"} {
		until(path, 200)
	}
	until("/shop/nothing", 404)
	has(`flowercafe_http_request_duration_seconds_count{code="200",route="GET /shop/flowers/:slug"} 1`,
		`flowercafe_http_request_duration_seconds_count{code="404",route=""} 1`, `flowercafe_db_outages_now{pool="primary"} 0`,
		`flowercafe_db_connections_idle{pool="primary"} [1-9]`, `flowercafe_db_connections_limit{pool="primary"} 50`, `go_goroutines `)
	s.Kill()
	until("/shop/coffees", 503)
	until("/shop/readyz", 503)
	until("/shop/healthz", 200)
	has(`flowercafe_db_outages_now{pool="primary"} 1`, `flowercafe_db_outages_total{pool="primary"} 1`,
		`flowercafe_db_repeats_total{pool="primary"} [1-9]`, `flowercafe_db_timed_out_calls_total{pool="primary"} [1-9]`,
		`flowercafe_http_request_duration_seconds_count{code="503",route="GET /shop/coffees"} [1-9]`)
	s.Start()
	until("/shop/coffees", 200)
	until("/shop/readyz", 200)
	for end := time.Now().Add(hangGuard); !strings.Contains(log.String(), "outage ends") && time.Now().Before(end); {
		until("/shop/coffees", 200)
	}
	if text := log.String(); strings.Count(text, "outage begins") != 1 || strings.Count(text, "outage ends") != 1 || strings.Count(text, "pool=primary") != 2 || !strings.Contains(text, "ready again") {
		t.Errorf("the log says\n%s\nwant one line for the begin and one for the end of the outage", text)
	}
	has(`flowercafe_db_outages_now{pool="primary"} 0`)
}

// A host without a database ends and says why, or waits.
func TestStart(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	s.Kill()
	for _, args := range [][]string{{}, {"-await", "6s"}} {
		err := run(t.Context(), append(args, "-addr", "127.0.0.1:0", "-dsn", dsn, "-wait", "3s"), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%q: got %v, want that the connection is refused", args, err)
		}
	}
	started := make(chan struct{})
	go func() {
		defer close(started)
		time.Sleep(300 * time.Millisecond)
		s.Start()
	}()
	address, _ := start(t, "-dsn", dsn, "-wait", fmt.Sprint(hangGuard), "-origins", "https://a.example, https://b.example", "-await", fmt.Sprint(hangGuard))
	<-started
	if status, body := get(t, address+"/healthz"); status != 200 {
		t.Errorf("got %d %q, want 200", status, body)
	}
}

// The flowers come from a standby, and go on when the primary has gone. They are paged by default
// beyond some number.
func TestCatalogFromStandby(t *testing.T) {
	primary := servertest.New(t)
	dsn := primary.Database(t)
	load := func() {
		t.Helper()
		_, err := flowers.Load(t.Context(), dsn, func(yield func(flowercatalog.Flower, error) bool) {
			for i := range 10_001 {
				if !yield(flowercatalog.Flower{Slug: fmt.Sprint(i)}, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	load()
	standby := primary.Standby(t, "standby")
	load() // a standby without a change of its own does not know how late it is
	address, log := start(t, "-dsn", dsn, "-wait", "8s", "-catalog-dsn", standby.DSN(servertest.DatabaseOf(dsn)), "-metrics", "127.0.0.1:0")
	whole, _ := start(t, "-dsn", dsn, "-wait", fmt.Sprint(hangGuard), "-catalog", "-pages", "0")
	for host, want := range map[string]int{address: 10_000, whole: 10_001} {
		if _, body := get(t, host+"/flowers/"); strings.Count(body, `"slug"`) != want {
			t.Errorf("got %d flowers in a response, want %d", strings.Count(body, `"slug"`), want)
		}
	}
	measured := func(line string) {
		t.Helper()
		for end := time.Now().Add(hangGuard); ; time.Sleep(50 * time.Millisecond) {
			_, text := get(t, regexp.MustCompile(`http://\S+/metrics`).FindString(log.String()))
			if regexp.MustCompile(`(?m)^` + line).MatchString(text) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the measurements have no line %s:\n%s", line, text)
			}
		}
	}
	measured(`flowercafe_flowers_loaded_timestamp_seconds [1-9]`)
	measured(`flowercafe_flowers_replication_lag_seconds 0$`)
	primary.Kill()
	measured(`flowercafe_flowers_replication_lag_seconds (0\.|[1-9])`)
	if status, _ := get(t, address+"/coffees"); status != 503 {
		t.Errorf("coffees without the primary: got %d, want 503", status)
	}
	if status, _ := get(t, address+"/flowers/7"); status != 200 {
		t.Errorf("a flower without the primary: got %d, want 200", status)
	}
}
