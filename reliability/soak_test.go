package reliability_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak mixes all routes, clients that leave and bad input at random. A list is whole or not there: the demo never shows a part.
func TestSoak(t *testing.T) {
	length := 20 * time.Second
	if demanded() {
		length = 10 * time.Minute
	}
	random := seeded(t)
	server, _, assertHealthy := openCoffee(t)
	_, full := fetch(t, server, "/coffees")
	address := server.Listener.Addr().String()
	paths := []string{"/coffees", "/coffees", "/db/create-tables", "/db/load-data", "/db/drop-tables", "/%zz", "/none", "/coffees?%"}
	end := time.Now().Add(length)
	var wg sync.WaitGroup
	var answers, aborted, torn atomic.Int64
	work := make(chan [2]int)
	for range 8 {
		wg.Go(func() {
			for w := range work {
				request := "GET " + paths[w[0]] + " HTTP/1.1\r\nHost: cafe\r\nConnection: close\r\n\r\n"
				if w[1] < 20 {
					abort(t, address, request[:w[1]], 0, w[1]%2 == 0)
					aborted.Add(1)
					continue
				}
				response, body, _ := strings.Cut(abort(t, address, request, -1, false), "\r\n\r\n")
				answers.Add(1)
				if strings.HasPrefix(response, "HTTP/1.1 200 ") && strings.HasPrefix(paths[w[0]], "/coffees") && body != full && body != "" {
					torn.Add(1)
					t.Errorf("got the list %q, want all or nothing", body)
				}
			}
		})
	}
	start, first := time.Now(), 0
	for time.Now().Before(end) {
		work <- [2]int{random.IntN(len(paths)), random.IntN(100)}
		if first == 0 && time.Since(start) > length/10 {
			first = resident()
		}
	}
	close(work)
	wg.Wait()
	slope := float64(resident()-first) / 1e6 / (length.Minutes() * 0.9)
	t.Logf("%d answers, %d aborted, %d torn, memory %+.2f MB a minute after the first tenth", answers.Load(), aborted.Load(), torn.Load(), slope)
	if demanded() && slope > 1 {
		t.Errorf("got %.2f MB more memory a minute, want at most 1", slope)
	}
	for _, path := range []string{"/db/drop-tables", "/db/create-tables", "/db/load-data"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	assertHealthy()
}
