package reliability_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// hang is a timeout that only guards against hanging.
const hang = 20 * time.Second

// A wire is a connection to a server that sends requests byte for byte, where a client would clean
// them. It is reopened if the server has closed it.
type wire struct {
	t       *testing.T
	address string
	conn    net.Conn
	in      *bufio.Reader
}

func wireTo(t *testing.T, handler http.Handler) *wire {
	t.Helper()
	server := httptest.NewServer(handler)
	w := &wire{t: t, address: server.Listener.Addr().String()}
	t.Cleanup(func() {
		w.close()
		server.Close()
	})
	return w
}

func (w *wire) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// get requests a target as it is, and returns the response and its body.
func (w *wire) get(target string, headers ...string) (*http.Response, string) {
	w.t.Helper()
	return w.ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(headers, "") + "\r\n")
}

// ask sends a request and reads exactly one response.
func (w *wire) ask(request string) (*http.Response, string) {
	w.t.Helper()
	if w.conn == nil {
		conn, err := net.Dial("tcp", w.address)
		if err != nil {
			w.t.Fatal(err)
		}
		w.conn, w.in = conn, bufio.NewReader(conn)
	}
	w.conn.SetDeadline(time.Now().Add(hang))
	if _, err := io.WriteString(w.conn, request); err != nil {
		w.t.Fatalf("write %.80q: %v", request, err)
	}
	response, err := http.ReadResponse(w.in, nil)
	if err != nil {
		w.t.Fatalf("the response to %.80q: %v", request, err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatalf("the body of the response to %.80q: %v", request, err)
	}
	if w.in.Buffered() > 0 {
		w.t.Errorf("%.80q has a second response behind the first", request)
		w.close()
	}
	if response.Close {
		w.close()
	}
	return response, string(body)
}

// inTarget encodes only the characters that a request line cannot contain.
func inTarget(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c == 0x7f {
			const hex = "0123456789ABCDEF"
			b.WriteString("%" + string(hex[c>>4]) + string(hex[c&15]))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// oneResponse reads a response that must be the only one on its connection.
func oneResponse(whole string) (*http.Response, string, error) {
	in := bufio.NewReader(strings.NewReader(whole))
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(response.Body)
	if err == nil && in.Buffered() > 0 {
		err = errors.New("a second response behind the first")
	}
	return response, string(body), err
}
