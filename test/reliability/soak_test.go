package reliability_test

import (
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
)

// A soak test: all routes, disconnects and bad input, mixed at random for a while. Every response
// must be possible in some state of the tables, a list is complete or empty, and memory does not
// grow.

// soaked has the requests and the allowed statuses of their responses.
var soaked = []struct {
	target   string
	statuses []int
}{
	{"/coffees", []int{200, 409}}, {"/coffees", []int{200, 409}}, {"/coffees?x=%", []int{200, 409}},
	{"/db/create-tables", []int{200, 409}}, {"/db/load-data", []int{200, 409}}, {"/db/drop-tables", []int{200, 409}},
	{"/flowers/", []int{200}}, {"/flowers/rose", []int{200}}, {"/flowers/none", []int{404}}, {"/flowers?name=ro%", []int{200}},
	{"/api-docs/swagger.json", []int{200}}, {"/none", []int{404}}, {"/%zz", []int{400}}, {"/coffees/%00%0A", []int{404}},
}

// inside matches internals that no response may contain.
var inside = regexp.MustCompile(`(?i)sqlite|select |insert |panic|goroutine|\.go:`)

// soakLength returns the value of FLOWERCAFE_SOAK, such as 10m. The default in a long run is 20
// seconds.
func soakLength(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("FLOWERCAFE_SOAK")
	switch {
	case text != "":
		length, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("FLOWERCAFE_SOAK: %v", err)
		}
		return length
	case long():
		return 20 * time.Second
	case testing.Short():
		return 300 * time.Millisecond
	}
	return time.Second
}

func TestSoak(t *testing.T) {
	length := soakLength(t)
	random := seeded(t)
	catalog, err := flowercatalog.New()
	if err != nil {
		t.Fatal(err)
	}
	server, _, assertHealthy := openCoffee(t, coffeedemo.WithNext(catalog))
	_, full := fetch(t, server, "/coffees")
	address := server.Listener.Addr().String()

	begin := time.Now()
	end := begin.Add(length)
	var mu sync.Mutex
	statuses := make(map[int]int)
	left := 0
	mixed := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return statuses[200] > 0 && statuses[409] > 0 && left > 0
	}
	more := func() bool { // on a slow machine a short soak continues until it has run everything
		now := time.Now()
		return !t.Failed() && (now.Before(end) || now.Before(end.Add(hang)) && !mixed())
	}
	var wg sync.WaitGroup
	for range 8 {
		random := rand.New(rand.NewPCG(random.Uint64(), 0))
		wg.Go(func() {
			for more() {
				asked := soaked[random.IntN(len(soaked))]
				request := "GET " + asked.target + " HTTP/1.1\r\nHost: cafe\r\nConnection: close\r\n\r\n"
				if random.IntN(5) == 0 {
					leave(t, address, request[:random.IntN(len(request)+1)], random.IntN(2) == 0)
					mu.Lock()
					left++
					mu.Unlock()
					continue
				}
				status, body := complete(t, address, request)
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				expected := false
				for _, s := range asked.statuses {
					expected = expected || s == status
				}
				if !expected || inside.MatchString(body) {
					t.Errorf("%s: got %d %.200q, want one of %v, and nothing of the inside", asked.target, status, body, asked.statuses)
				}
				if status == http.StatusOK && strings.HasPrefix(asked.target, "/coffees") && body != full && body != "" {
					t.Errorf("got the list %q, want all or nothing", body)
				}
			}
		})
	}
	// The memory is compared after the first minute, or after the first half of a short soak.
	time.Sleep(min(time.Minute, length/2))
	from, before := time.Now(), kept()
	time.Sleep(time.Until(end) - time.Second) // not at all in a short soak
	slope := float64(kept()-before) / 1e6 / time.Since(from).Minutes()
	wg.Wait()
	t.Logf("responses %v, %d clients left, memory %+.2f MB a minute", statuses, left, slope)
	if length >= 5*time.Minute && slope > 1 {
		t.Errorf("got %.2f MB more memory a minute, want at most 1", slope)
	}
	if !mixed() {
		t.Error("the mix has no response of some kind: the test tests nothing")
	}
	for _, path := range []string{"/db/drop-tables", "/db/create-tables", "/db/load-data"} {
		fetch(t, server, path)
	}
	server.Client().CloseIdleConnections()
	assertHealthy()
}

// kept returns the memory of this process in bytes. With the race detector it is that of Go's heap:
// the detector itself keeps some 700 bytes of each connection, also of a bare net/http server.
func kept() int {
	debug.FreeOSMemory()
	if !raceEnabled {
		return resident()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// leave writes the beginning of a request and disconnects.
func leave(t *testing.T, address, beginning string, rudely bool) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	if rudely {
		conn.(*net.TCPConn).SetLinger(0)
	}
	io.WriteString(conn, beginning)
	conn.Close()
}

// complete sends a request and reads exactly one response, until the server closes the connection.
func complete(t *testing.T, address, request string) (status int, body string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(hang))
	if _, err := io.WriteString(conn, request); err != nil {
		t.Error(err)
		return 0, ""
	}
	whole, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("%.40q: %v", request, err)
		return 0, ""
	}
	response, body, err := oneResponse(string(whole))
	if err != nil {
		t.Errorf("%.40q: %v in %.200q", request, err, whole)
		return 0, ""
	}
	return response.StatusCode, body
}
