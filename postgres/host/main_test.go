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

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

func TestMain(m *testing.M) { os.Exit(testenv.Run(m)) }

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
		`flowercafe_db_connections_idle{pool="primary"} [1-9]`, `flowercafe_db_tries_total{pool="primary"} [1-9]`,
		`flowercafe_db_wait_seconds_total{pool="primary"} [0-9.e-]+$`, `flowercafe_part_up{part="coffee"} [01]$`, `flowercafe_db_connections_limit{pool="primary"} 50`, `go_goroutines `)
	s.Kill()
	until("/shop/coffees", 503)
	for end := time.Now().Add(hangGuard); ; time.Sleep(50 * time.Millisecond) {
		status, body := get(t, address+"/shop/readyz")
		if status != 200 || time.Now().After(end) { // all hosts share the database
			t.Fatalf("readyz: got %d %q, want 200 and the part that does not respond", status, body)
		}
		if body == "ready; not responding: coffee\n" && strings.Contains(log.String(), "health check fails") {
			break
		}
	}
	until("/shop/healthz", 200)
	has(`flowercafe_db_outages_now{pool="primary"} 1`, `flowercafe_db_outages_total{pool="primary"} 1`,
		`flowercafe_db_repeats_total{pool="primary"} [1-9]`, `flowercafe_db_timed_out_calls_total{pool="primary"} [1-9]`,
		`flowercafe_http_request_duration_seconds_count{code="503",route="GET /shop/coffees"} [1-9]`)
	s.Start()
	until("/shop/coffees", 200)
	for end := time.Now().Add(hangGuard); !strings.Contains(log.String(), "health check passes again") || !strings.Contains(log.String(), "outage ends"); {
		until("/shop/readyz", 200)
		until("/shop/coffees", 200)
		if time.Now().After(end) {
			t.Fatalf("the log does not say that the database responds:\n%s", log)
		}
	}
	if text := log.String(); strings.Count(text, "outage begins") != 1 || strings.Count(text, "outage ends") != 1 || strings.Count(text, "pool=primary") != 2 {
		t.Errorf("the log says\n%s\nwant one line for the begin and one for the end of the outage", text)
	}
	has(`flowercafe_db_outages_now{pool="primary"} 0`)
}

// A host starts without its primary. It listens at once, serves what it can, and responds with 503
// and Retry-After for the rest.
func TestStartWithoutPrimary(t *testing.T) {
	primary := servertest.New(t)
	dsn := primary.Database(t)
	if _, err := flowers.Load(t.Context(), dsn, rose); err != nil {
		t.Fatal(err)
	}
	standby := primary.Standby(t, "standby")
	primary.Kill()
	address, log := start(t, "-dsn", dsn, "-catalog-dsn", standby.DSN(servertest.DatabaseOf(dsn)), "-wait", "3s",
		"-origins", "https://a.example, https://b.example")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/flowers/rose": 200, "/coffees": 503} {
		response, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want || (want == 503) != (response.Header.Get("Retry-After") != "") {
			t.Errorf("%s: got %d, Retry-After %q, want %d", path, response.StatusCode, response.Header.Get("Retry-After"), want)
		}
	}
	if !strings.Contains(log.String(), "connection refused") {
		t.Errorf("the log says %s, want why", log)
	}
	primary.Start()
	for end := time.Now().Add(hangGuard); ; time.Sleep(50 * time.Millisecond) {
		if status, _ := get(t, address+"/db/create-tables"); status == 200 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the host does not find the primary")
		}
	}
}

// Before the first load, the flowers are temporarily unavailable.
func TestStartBeforeLoad(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	address, _ := start(t, "-dsn", dsn, "-catalog", "-wait", fmt.Sprint(hangGuard))
	if status, _ := get(t, address+"/flowers/"); status != 503 {
		t.Errorf("before the load: got %d, want 503", status)
	}
	if _, err := flowers.Load(t.Context(), dsn, rose); err != nil {
		t.Fatal(err)
	}
	if status, _ := get(t, address+"/flowers/"); status != 200 {
		t.Errorf("after the load: got %d, want 200", status)
	}
}

func rose(yield func(flowercatalog.Flower, error) bool) {
	yield(flowercatalog.Flower{Slug: "rose", Name: "Rose"}, nil)
}

// A lock on the tables and a full pool do not change /readyz, and /metrics does not wait.
func TestLockedFromOutside(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	if _, err := flowers.Load(t.Context(), dsn, rose); err != nil {
		t.Fatal(err)
	}
	address, log := start(t, "-dsn", dsn, "-catalog", "-wait", fmt.Sprint(hangGuard), "-pool", "2", "-metrics", "127.0.0.1:0")
	if status, _ := get(t, address+"/db/create-tables"); status != 200 {
		t.Fatalf("create: got %d", status)
	}
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE coffees, flowers, flower_revision`); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 5 { // until the pool is full, and then for the lock
		all.Go(func() { get(t, address+"/coffees") })
	}
	for end := time.Now().Add(hangGuard); ; time.Sleep(20 * time.Millisecond) {
		begin := time.Now()
		_, text := get(t, regexp.MustCompile(`http://\S+/metrics`).FindString(log.String()))
		if spent := time.Since(begin); spent > hangGuard/2 {
			t.Fatalf("the measurements took %v", spent)
		}
		if strings.Contains(text, `flowercafe_db_connections_in_use{pool="primary"} 2`) && strings.Contains(text, `waiting_calls{pool="primary"} `) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the pool does not become full:\n%s", text)
		}
	}
	for range 3 {
		if status, body := get(t, address+"/readyz"); status != 200 || !strings.Contains(body, "ready") {
			t.Errorf("got %d %q, want 200", status, body)
		}
		time.Sleep(time.Second)
	}
	other.Close(context.Background())
	all.Wait()
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
	measured(`flowercafe_db_waits_for_standby 0$`)
	primary.Exec("postgres", `ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
	primary.Exec("postgres", `SELECT pg_reload_conf()`)
	measured(`flowercafe_db_waits_for_standby 1$`)
	primary.Kill()
	measured(`flowercafe_flowers_replication_lag_seconds (0\.|[1-9])`)
	if status, _ := get(t, address+"/coffees"); status != 503 {
		t.Errorf("coffees without the primary: got %d, want 503", status)
	}
	if status, _ := get(t, address+"/flowers/7"); status != 200 {
		t.Errorf("a flower without the primary: got %d, want 200", status)
	}
}
