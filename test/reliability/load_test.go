package reliability_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"zombiezen.com/go/sqlite"
)

// Many clients with keep-alive connections are served by a pool of 50, and the memory of idle
// connections is measured. The server is this test program in a second process, because each
// process has its own limit of descriptors.

const (
	loadServer = "RELIABILITY_LOAD_SERVER" // "bare" or "coffee" makes the test program the server
	loadPool   = 50
	loadHold   = 5 * time.Millisecond
)

// slowStore holds a connection for a while in each list.
type slowStore struct{ *coffeedemo.SQLite }

func (s slowStore) List(ctx context.Context, row func(coffee, supplier string) error) error {
	return s.SQLite.Read(ctx, func(ctx context.Context, _ *sqlite.Conn) error {
		time.Sleep(loadHold)
		return row("Colombian", "Acme, Inc.")
	})
}

// TestLoadServer is the server's process. It ends when its standard input is closed.
func TestLoadServer(t *testing.T) {
	kind := os.Getenv(loadServer)
	if kind == "" {
		t.Skip("is the other process of TestKeepAliveClients")
	}
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "bare") })
	var most atomic.Int64
	if kind == "coffee" {
		db, err := coffeedemo.OpenSQLite(loadPool, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		app, err := coffeedemo.New(coffeedemo.WithStore(slowStore{db}), coffeedemo.WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			t.Fatal(err)
		}
		defer app.Close()
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.ServeHTTP(w, r)
			for n := int64(app.Stats().Open); ; {
				if old := most.Load(); n <= old || most.CompareAndSwap(old, n) {
					return
				}
			}
		})
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	fmt.Printf("address %s\n", server.Listener.Addr())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		runtime.GC()
		fmt.Printf("rss %d open %d goroutines %d\n", resident(), most.Load(), runtime.NumGoroutine())
	}
}

// resident returns the memory of this process in bytes, or 0 if it is not known.
func resident() int {
	text, _ := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); len(fields) > 1 {
		pages, _ := strconv.Atoi(fields[1])
		return pages * os.Getpagesize()
	}
	return 0
}

// descriptors returns the limit of open files and connections of this process.
func descriptors() int {
	text, _ := os.ReadFile("/proc/self/limits")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "Max open files") && len(fields) > 3 {
			if limit, err := strconv.Atoi(fields[3]); err == nil {
				return limit
			}
		}
	}
	return 1 << 20 // no limit, or none that can be read
}

// load is the result of one run of clients.
type load struct {
	wrong, lost, bytes, open int64
	took                     time.Duration
}

// runLoad opens connections to a server of a kind, sends concurrent requests on all of them, and
// reads the server's figures.
func runLoad(t *testing.T, kind string, clients int, want string) (seen load) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^TestLoadServer$", "-test.v")
	command.Env = append(os.Environ(), loadServer+"="+kind)
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		input.Close()
		io.Copy(io.Discard, output)
		if err := command.Wait(); err != nil {
			t.Errorf("%s server: %v", kind, err)
		}
	}()
	lines := bufio.NewScanner(output)
	var address string
	for address == "" && lines.Scan() {
		if _, found, ok := strings.Cut(lines.Text(), "address "); ok {
			address = found
		}
	}
	connections := make([]net.Conn, clients)
	for i := range connections {
		if connections[i], err = net.Dial("tcp", address); err != nil {
			t.Fatal(err)
		}
		defer connections[i].Close()
		connections[i].SetDeadline(time.Now().Add(2 * time.Minute))
	}
	start := time.Now()
	var wg sync.WaitGroup
	var wrong, lost atomic.Int64
	for _, conn := range connections {
		wg.Go(func() {
			io.WriteString(conn, "GET /coffees HTTP/1.1\r\nHost: cafe\r\n\r\n")
			response, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), nil)
			if err != nil {
				lost.Add(1)
				return
			}
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != http.StatusOK || string(body) != want {
				wrong.Add(1)
			}
		})
	}
	wg.Wait()
	seen.took, seen.wrong, seen.lost = time.Since(start), wrong.Load(), lost.Load()
	io.WriteString(input, "\n")
	var goroutines int
	for lines.Scan() {
		if n, _ := fmt.Sscanf(lines.Text(), "rss %d open %d goroutines %d", &seen.bytes, &seen.open, &goroutines); n == 3 {
			break
		}
	}
	t.Logf("%s: %d clients served in %v, %d lost, %d wrong, %d connections open, RSS %.1f MB = %.1f KB each, %d goroutines", kind, clients,
		seen.took, seen.lost, seen.wrong, seen.open, float64(seen.bytes)/1e6, float64(seen.bytes)/1e3/float64(clients), goroutines)
	return seen
}

func TestKeepAliveClients(t *testing.T) {
	clients := 500
	if long() {
		clients = 10_000
	}
	clients = min(clients, descriptors()-100)
	bare := runLoad(t, "bare", clients, "bare")
	coffee := runLoad(t, "coffee", clients, "  Colombian supplied by Acme, Inc.")
	for _, seen := range []load{bare, coffee} {
		if seen.lost != 0 || seen.wrong != 0 {
			t.Errorf("got %d lost and %d wrong responses, want 0", seen.lost, seen.wrong)
		}
	}
	if coffee.open < 1 || coffee.open > loadPool {
		t.Errorf("got %d connections to the database, want 1 to %d", coffee.open, loadPool)
	}
	if long() && coffee.bytes > 400e6 {
		t.Errorf("got %d bytes of memory, want at most 400 MB", coffee.bytes)
	}
}

// TestIdleConnections compares the memory of idle connections with and without the demo. Other work
// in the process changes both, so the median of the differences is used. A stack doubles when it
// grows.
func TestIdleConnections(t *testing.T) {
	const clients = 400
	rounds := 5
	if testing.Short() {
		rounds = 3
	}
	app, err := coffeedemo.New(coffeedemo.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	var heap, stack []int // more than behind nothing
	for range rounds {
		bare, with := idle(t, http.NotFoundHandler(), clients), idle(t, app, clients)
		t.Logf("an idle connection takes %d B of heap and %d B of stack behind nothing, and %d B and %d B behind the demo",
			bare.heap, bare.stack, with.heap, with.stack)
		heap, stack = append(heap, with.heap-bare.heap), append(stack, with.stack-bare.stack)
	}
	slices.Sort(heap)
	slices.Sort(stack)
	if more := heap[rounds/2]; more > 512 {
		t.Errorf("got %d B of heap more than net/http for an idle connection, want at most 512 B", more)
	}
	if more := stack[rounds/2]; more > 4096 {
		t.Errorf("got %d B of stack more than net/http for an idle connection, want at most 4 KiB", more)
	}
}

// idle returns the memory of one connection, measured with many that have received a response of
// handler.
func idle(t *testing.T, handler http.Handler, clients int) memory {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	connections := make([]net.Conn, clients)
	before := inUse()
	for i := range connections {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		connections[i] = conn
		io.WriteString(conn, "GET /none HTTP/1.1\r\nHost: cafe\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), nil)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
	}
	after := inUse()
	return memory{(after.heap - before.heap) / clients, (after.stack - before.stack) / clients}
}

// memory is bytes in use.
type memory struct{ heap, stack int }

// inUse returns the memory in use. It takes several collections: the second one empties sync.Pools,
// and each halves stacks that are too large.
func inUse() memory {
	for range 4 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memory{int(m.HeapAlloc), int(m.StackInuse)}
}
