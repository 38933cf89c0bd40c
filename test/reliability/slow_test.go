package reliability_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe"
)

// TestSlowClients sends half a request on many connections. The server's limits end each of them in
// time, and other clients are served meanwhile. A short run has lower limits than the example host
// and fewer clients.
func TestSlowClients(t *testing.T) {
	heads, bodies, limit := 200, 50, 500*time.Millisecond
	if long() {
		heads, bodies, limit = 2000, 500, 5*time.Second
	} else if testing.Short() {
		heads, bodies, limit = 50, 20, 150*time.Millisecond
	}
	heads = min(heads, (descriptors()-100)/2-bodies) // both ends are in this process
	app, err := flowercafe.New(flowercafe.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	server := httptest.NewUnstartedServer(app)
	server.Config.ReadHeaderTimeout, server.Config.ReadTimeout = limit, limit
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Start()
	defer server.Close()

	address := server.Listener.Addr().String()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var held []time.Duration
	hold := func(half string) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(10*limit + hang)) // only a hang guard
		begin := time.Now()
		io.WriteString(conn, half)
		if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("the server has not closed a half request: %v", err)
		}
		mu.Lock()
		held = append(held, time.Since(begin))
		mu.Unlock()
	}
	for range heads {
		wg.Go(func() { hold("GET /flowers/rose HTTP/1.1\r\nHost: cafe\r\nX-Half: ") })
	}
	for range bodies {
		wg.Go(func() {
			hold("POST /flowers/rose HTTP/1.1\r\nHost: cafe\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nhalf=")
		})
	}
	var took []time.Duration
	for begin := time.Now(); time.Since(begin) < limit; {
		asked := time.Now()
		if err := getRose(server); err != nil && time.Since(asked) < limit { // later, the limits may have ended this one too
			t.Fatal(err)
		}
		took = append(took, time.Since(asked))
	}
	wg.Wait()
	slices.Sort(took)
	slices.Sort(held)
	longest, p99 := held[len(held)-1], took[len(took)*99/100]
	t.Logf("%d half requests were closed within %v; meanwhile %d responses, p99 %v", len(held), longest, len(took), p99)
	// A server that waits for these requests would respond when they are closed.
	if long() && p99 > limit {
		t.Errorf("got a p99 of %v beside the half requests, want far less than %v", p99, limit)
	}
}

func getRose(server *httptest.Server) error {
	response, err := server.Client().Get(server.URL + "/flowers/rose")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), `"rose"`) {
		return fmt.Errorf("got %d %.80q, %v", response.StatusCode, body, err)
	}
	return nil
}
