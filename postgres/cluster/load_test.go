package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// This file is the load: readers on both hosts and on the balancer in front of them, and a writer
// that checks each change on the other host.

const readers = 8

// host is a process of postgres/host.
type host struct {
	address string
	logFile string
}

func newHost(t *testing.T, logs, dsn string) *host {
	t.Helper()
	log, err := os.CreateTemp(logs, "")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	h := &host{logFile: log.Name()}
	cmd := exec.Command(os.Getenv("CLUSTER_HOST"), "-addr", "127.0.0.1:0", "-dsn", dsn,
		"-catalog-dsn", dsn+" target_session_attrs=prefer-standby",
		"-wait", wait.String(), "-metrics", "127.0.0.1:0")
	cmd.Stderr = log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the host ended with %v, want status 0", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("the host said %q, %v\n%s", line, err, h.log())
	}
	h.address = strings.TrimSuffix(address, "/")
	return h
}

func (h *host) log() string {
	text, _ := os.ReadFile(h.logFile)
	return string(text)
}

// load sends requests to the hosts, and counts the responses.
type load struct {
	t        *testing.T
	hosts    []*host
	balancer *host
	client   http.Client

	served atomic.Int64 // changes that were acknowledged

	mu       sync.Mutex
	statuses map[int]int
	longest  time.Duration
	last     map[string]time.Time     // of each kind of request, the last that was served
	gaps     map[string]time.Duration // and the longest time without
	wrong    []string
	noHost   int // responses of the balancer without a host
	unknown  int // changes of which the answer did not say whether they happened
}

func newLoad(t *testing.T, hosts []*host, balancer *host) *load {
	return &load{t: t, hosts: hosts, balancer: balancer, client: http.Client{Timeout: hangGuard, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * readers}},
		statuses: make(map[int]int), last: make(map[string]time.Time), gaps: make(map[string]time.Duration)}
}

// run starts the load. stop ends it and waits for the last answers.
func (l *load) run() (stop func()) {
	ctx, cancel := context.WithCancel(l.t.Context())
	var all sync.WaitGroup
	for i := range readers {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if h := l.hosts[i%2]; i < readers/2 {
					l.readFlower(h, n%numberOfFlowers)
				} else {
					l.readCoffees(h)
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	all.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			l.readFlower(l.balancer, n%numberOfFlowers)
			time.Sleep(5 * time.Millisecond)
		}
	})
	all.Go(func() {
		for ctx.Err() == nil {
			l.readCoffees(l.balancer)
			time.Sleep(5 * time.Millisecond)
		}
	})
	all.Go(func() { l.write(ctx) })
	return func() {
		cancel()
		all.Wait()
		l.client.CloseIdleConnections()
	}
}

// get sends a request. kind is the kind of outage that it counts for.
func (l *load) get(h *host, path, kind string) (status int, body string) {
	begin := time.Now()
	response, err := l.client.Get(h.address + path)
	if err == nil {
		var text []byte
		text, err = io.ReadAll(response.Body)
		response.Body.Close()
		status, body = response.StatusCode, string(text)
	}
	if err != nil {
		status, body = 0, err.Error()
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(body, "No host is available") {
		l.noHost++
	}
	l.statuses[status]++
	l.longest = max(l.longest, now.Sub(begin))
	if last, ok := l.last[kind]; ok {
		l.gaps[kind] = max(l.gaps[kind], now.Sub(last))
	}
	if _, ok := l.last[kind]; status == http.StatusOK || status == http.StatusConflict || !ok {
		l.last[kind] = now
	}
	return status, body
}

func (l *load) fail(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
}

func (l *load) readFlower(h *host, number int) {
	status, body := l.get(h, fmt.Sprintf("/flowers/flower-%02d", number), flowersOf+h.address)
	want := fmt.Sprintf(`{"slug":"flower-%02d","name":"Flower %02d"}`, number, number)
	if status == http.StatusOK && body != want || status == http.StatusNotFound {
		l.fail("a flower: got %d %q, want %s", status, body, want)
	}
}

func (l *load) readCoffees(h *host) {
	status, body := l.get(h, "/coffees", coffeesOf+h.address)
	if status == http.StatusOK && body != "" && strings.Count(body, "<br />") != 4 {
		l.fail("a list of coffees: %q", body)
	}
}

// Kinds of requests, whose outages are counted for each host.
const (
	flowersOf = "flowers of "
	coffeesOf = "coffees of "
	changing  = "changes"
)

// changes are the changes of the writer in turn, and the state after each.
var changes = []struct{ path, state string }{
	{"/db/create-tables", "empty"}, {"/db/load-data", "loaded"}, {"/db/drop-tables", "absent"},
}

// write changes the tables by one host and reads them by the other.
func (l *load) write(ctx context.Context) {
	state := l.state(ctx, l.hosts[0])
	for i := 0; ctx.Err() == nil; i++ {
		next := 0
		for next < len(changes)-1 && changes[(next+2)%3].state != state {
			next++
		}
		change := changes[next]
		status, body := l.get(l.hosts[i%2], change.path, changing)
		now := l.state(ctx, l.hosts[(i+1)%2])
		switch {
		case now == "": // the load ends
			return
		case status == http.StatusOK && now != change.state:
			l.fail("LOST: %s: got 200, and then the tables were %s, want %s", change.path, now, change.state)
		case status == http.StatusOK:
			l.served.Add(1)
		case now != state && strings.Contains(body, "busy"):
			l.fail("%s: got %d %q, and then the tables were %s, want %s", change.path, status, body, now, state)
		case now != state && now != change.state:
			l.fail("%s: got %d %q, and then the tables were %s, want %s or %s", change.path, status, body, now, state, change.state)
		default:
			l.mu.Lock()
			l.unknown++
			l.mu.Unlock()
		}
		state = now
	}
}

// state reads the state of the tables until the host serves it, or ctx ends.
func (l *load) state(ctx context.Context, h *host) string {
	for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		switch status, body := l.get(h, "/coffees", "reads of the writer"); {
		case status == http.StatusConflict:
			return "absent"
		case status == http.StatusOK && body == "":
			return "empty"
		case status == http.StatusOK:
			return "loaded"
		}
	}
	return ""
}

// errStuck means that the hosts fail, and not the cluster.
var errStuck = errors.New("the cluster accepts changes of others, and the hosts acknowledge none")

// servedAgain waits until the hosts have acknowledged changes. It returns errStuck, or why the
// cluster accepts no changes from anybody.
func (l *load) servedAgain(c *cluster) error {
	enough := l.served.Load() + 5
	for _, patience := range []time.Duration{hangGuard, hangGuard / 4} { // it may accept them since a moment ago
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if l.served.Load() >= enough {
				return nil
			}
		}
		if err := c.accepts(); err != nil {
			return fmt.Errorf("the cluster accepts no changes: %w", err)
		}
	}
	return errStuck
}

const header = `| fault | answers | 503 | 500 | none | changes acknowledged | unknown | lost or wrong | longest answer | no flowers for | no coffees for | no changes for |
|---|---|---|---|---|---|---|---|---|---|---|---|`

func (l *load) row(fault string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	gap := func(kind string) time.Duration {
		return max(l.gaps[kind+l.hosts[0].address], l.gaps[kind+l.hosts[1].address], l.gaps[kind+l.balancer.address])
	}
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %s | %s | %s | %s |", fault, l.statuses[200]+l.statuses[409],
		l.statuses[503], l.statuses[500], l.statuses[0], l.served.Load(), l.unknown, len(l.wrong), seconds(l.longest), seconds(gap(flowersOf)), seconds(gap(coffeesOf)), seconds(l.gaps[changing]))
}

// check fails the test for a response that is not allowed.
func (l *load) check(fault string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, wrong := range l.wrong {
		l.t.Errorf("%s: %s", fault, wrong)
	}
	for status, count := range l.statuses {
		if status != http.StatusOK && status != http.StatusConflict && status != http.StatusServiceUnavailable {
			l.t.Errorf("%s: %d answers of status %d", fault, count, status)
		}
	}
	if l.noHost > 0 {
		l.t.Errorf("%s: the balancer had no host for %d requests", fault, l.noHost)
	}
	if l.longest > late {
		l.t.Errorf("%s: an answer after %v", fault, l.longest)
	}
}
