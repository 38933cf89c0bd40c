package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// This file ends the program under load: the client must get a complete response for each request
// that was handled. The log has the number of handled requests.

const clients = 100

// ending holds the counts of one shutdown.
type ending struct {
	handled int // requests that the server logged
	whole   int // complete responses
	torn    int // incomplete responses
	closed  int // connections that ended without a byte of a response, to a request that was not handled
}

func TestEndUnderLoad(t *testing.T) {
	t.Parallel()
	endings := 3
	if testing.Short() {
		endings = 1
	}
	if os.Getenv("FLOWERCAFE_LONG") == "1" {
		endings = 100
	}
	var sum ending
	for range endings {
		seen := endUnderLoad(t)
		if seen.handled != seen.whole || seen.torn > 0 {
			t.Errorf("got %+v, want as many whole responses as were handled", seen)
		}
		sum.handled += seen.handled
		sum.whole += seen.whole
		sum.torn += seen.torn
		sum.closed += seen.closed
	}
	t.Logf("%d endings: %d requests handled, %d whole responses, %d torn; %d of %d connections ended before a request was read",
		endings, sum.handled, sum.whole, sum.torn, sum.closed, endings*clients)
}

func endUnderLoad(t *testing.T) (seen ending) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := hostCommand(t)
	cmd.Stderr = log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	_, address, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), "/"), "http://")

	var whole, torn, closed atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for open := true; open; { // as clients do: a new connection for each that the server has closed
				conn, err := net.Dial("tcp", address)
				if err != nil {
					return
				}
				switch talk(conn, &whole) {
				case tornResponse:
					torn.Add(1)
				case noResponse:
					closed.Add(1)
					open = false
				}
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the host ended with %v, want status 0", err)
	}
	wg.Wait()
	text, err := os.ReadFile(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	return ending{handled: strings.Count(string(text), "path=/coffees"), whole: int(whole.Load()), torn: int(torn.Load()), closed: int(closed.Load())}
}

// The ways in which a connection ends.
type end int

const (
	closedByResponse end = iota
	tornResponse
	noResponse // to a request that was sent, or was about to be
)

// talk sends requests until the connection ends, and returns how.
func talk(conn net.Conn, whole *atomic.Int64) end {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(hangGuard))
	counted := &counter{Reader: conn}
	responses := bufio.NewReader(counted)
	for {
		counted.n = 0
		if _, err := io.WriteString(conn, "GET /coffees HTTP/1.1\r\nHost: cafe\r\n\r\n"); err != nil {
			return noResponse
		}
		response, err := http.ReadResponse(responses, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
		}
		switch {
		case err == nil:
			whole.Add(1)
			if response.Close {
				return closedByResponse
			}
		case counted.n > 0:
			return tornResponse
		default:
			return noResponse
		}
	}
}

// counter counts bytes.
type counter struct {
	io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}
