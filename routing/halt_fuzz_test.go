package routing_test

// A halt always becomes exactly one valid response: its parts cannot add a second response,
// another header, or another length.

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/reason"
)

// haltServer serves the fuzzed halts on loopback, with reason phrases.
type haltServer struct {
	address string
	end     atomic.Pointer[haltInput] // what the action does next
}

// haltInput is the fuzzed halt of an action.
type haltInput struct {
	redirect            bool
	status              int
	reason, name, value string
	body                string
}

func (s *haltServer) action(routing.Context) (routing.Result, error) {
	in := s.end.Load()
	if in.redirect {
		return routing.Result{}, routing.Redirect(in.value)
	}
	halt := &routing.HaltError{Status: in.status, Reason: in.reason, Header: http.Header{"X-Before": {"1"}}, Body: routing.Text(in.body)}
	if in.name != "" || in.value != "" {
		halt.Header[in.name] = []string{in.value}
	}
	return routing.Result{}, halt
}

func newHaltServer(f *testing.F) *haltServer {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	s := &haltServer{address: listener.Addr().String()}
	app := routing.New(quiet())
	app.Get("/halt", s.action)
	app.Get("/behind", func(c routing.Context) (routing.Result, error) { return routing.Text("the response behind"), nil })
	server := &http.Server{Handler: app, ConnContext: reason.ConnContext}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(reason.NewListener(listener))
	}()
	f.Cleanup(func() {
		server.Close()
		<-done
	})
	return s
}

// roundTrips sends two requests at once, and returns all bytes of both responses.
func (s *haltServer) roundTrips(t *testing.T, method string) []byte {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	requests := method + " /halt HTTP/1.1\r\nHost: x\r\n\r\nGET /behind HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	if _, err := io.WriteString(conn, requests); err != nil {
		t.Fatal(err)
	}
	responses, err := io.ReadAll(conn)
	// The server may reset a connection whose second request it did not read.
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the server hangs")
	}
	return responses
}

// isFraming reports whether a header sets the length of the message. If an action sets another
// length than the body's, net/http closes the connection.
func isFraming(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Content-Length", "Transfer-Encoding", "Trailer", "Connection", "Upgrade":
		return true
	}
	return strings.HasPrefix(http.CanonicalHeaderKey(name), http.TrailerPrefix)
}

func FuzzHalt(f *testing.F) {
	for _, in := range []haltInput{
		{status: 200, body: "plain"},
		{status: 403, reason: "Members Only", name: "X-A", value: "1", body: "no"},
		{status: 403, reason: "a\r\nX-Evil: 1", body: "no"},
		{status: 403, reason: "\x00\x7f\x1b[31m"},
		{status: 799, reason: strings.Repeat("long ", 200)},
		{status: 204, body: "not sent"},
		{status: 304, name: "ETag", value: `"1"`, body: "not sent"},
		{status: 100}, {status: 101}, {status: 103, name: "Link", value: "</a>"}, {status: 199},
		{status: -1}, {status: 0, reason: "without a status"}, {status: 999}, {status: 1000}, {status: math.MaxInt},
		{status: 400, name: "X-A\r\nX-Evil", value: "1"},
		{status: 400, name: "X-A: 1\r\n\r\nHTTP/1.1 200 OK\r\nX-B", value: "1"},
		{status: 400, name: "X-A", value: "1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
		{status: 400, name: "X A", value: "1"}, {status: 400, name: "", value: "1"}, {status: 400, name: "x-a", value: "\n folded"},
		{status: 200, name: "Content-Type", value: "text/html\r\nX-Evil: 1"},
		{status: 200, name: "Date", value: ""}, {status: 200, name: "Set-Cookie", value: "a=b; Secure"},
		{status: 200, body: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
		{status: 200, body: strings.Repeat("0\r\n\r\n", 1000)},
		{redirect: true, value: "/next"}, {redirect: true, value: "/next\r\nX-Evil: 1"}, {redirect: true, value: "//evil\x00"},
		{redirect: true, value: "\x7f"}, {redirect: true, value: ""}, {redirect: true, value: " é\t"},
	} {
		f.Add(in.redirect, false, in.status, in.reason, in.name, in.value, in.body)
	}
	f.Add(false, true, 200, "", "", "", "HTTP/1.1 200 OK\r\n\r\n")
	server := newHaltServer(f)
	f.Fuzz(func(t *testing.T, redirect, head bool, status int, reason, name, value, body string) {
		in := &haltInput{redirect, status, reason, name, value, body}
		if isFraming(name) || len(reason)+len(name)+len(value) > 10_000 || len(body) > 100_000 {
			t.Skip()
		}
		server.end.Store(in)
		method := http.MethodGet
		if head {
			method = http.MethodHead
		}
		raw := server.roundTrips(t, method)
		readHalt(t, in, method, raw)
	})
}

// readHalt checks that raw is the response to in, perhaps followed by the second response.
func readHalt(t *testing.T, in *haltInput, method string, raw []byte) {
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%+v: "+format+"\n%.400q", append(append([]any{*in}, args...), raw)...)
	}
	reader := bufio.NewReader(bytes.NewReader(raw))
	response, err := http.ReadResponse(reader, &http.Request{Method: method})
	if err != nil {
		fail("the response cannot be read: %v", err)
		return
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		fail("its body cannot be read: %v", err)
	}
	want, wantBody := in.expected(method)
	if response.StatusCode != want || string(body) != wantBody {
		fail("got %d %.80q, want %d %.80q", response.StatusCode, body, want, wantBody)
	}
	if got := response.Header["Location"]; in.redirect && want == http.StatusFound && (len(got) != 1 || got[0] != inASCII(strings.Trim(in.value, " \t"))) {
		fail("got the Location %q", got)
	}
	known := map[string]bool{"Date": true, "Content-Type": true, "Content-Length": true, "X-Content-Type-Options": true, "X-Before": true, "Location": true, "Connection": true, http.CanonicalHeaderKey(in.name): true, "Vary": want == http.StatusInternalServerError}
	for name := range response.Header {
		if !known[name] {
			fail("nobody has set the header %q", name)
		}
	}
	if got := response.Header["Content-Type"]; len(got) > 0 && (want == http.StatusNoContent || want == http.StatusResetContent || want == http.StatusNotModified) {
		fail("got the type %q of no body", got)
	}
	if response.Close {
		if rest, _ := io.ReadAll(reader); len(rest) > 0 {
			fail("there is %.80q behind the last response", rest)
		}
		return
	}
	behind, err := http.ReadResponse(reader, &http.Request{Method: http.MethodGet})
	if err != nil {
		fail("the response behind cannot be read: %v", err)
		return
	}
	body, err = io.ReadAll(behind.Body)
	if err != nil || string(body) != "the response behind" || behind.StatusCode != http.StatusOK {
		fail("behind it got %d %q, %v", behind.StatusCode, body, err)
	}
	if rest, _ := io.ReadAll(reader); len(rest) > 0 {
		fail("there is %.80q behind the second response", rest)
	}
}

// inASCII returns the URL that [http.Redirect] sends for a URL with characters beyond ASCII.
func inASCII(url string) string {
	var b strings.Builder
	for i := range len(url) {
		if c := url[i : i+1]; c < "\x80" {
			b.WriteString(c)
		} else {
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte(c))))
		}
	}
	return b.String()
}

// expected returns the status and the body for in.
func (in *haltInput) expected(method string) (status int, body string) {
	status, body = in.status, in.body
	if in.redirect {
		status, body = http.StatusFound, ""
	}
	if status == 0 {
		status = http.StatusOK
	}
	legal := status >= 200 && status <= 999
	if in.redirect {
		legal = plain(in.value)
	} else {
		legal = legal && (in.status == 0 || plain(in.reason)) && (in.name == "" && in.value == "" || isName(in.name) && plain(in.value))
	}
	if !legal {
		status, body = http.StatusInternalServerError, "Internal Server Error"
	}
	if status == http.StatusNoContent || status == http.StatusResetContent || status == http.StatusNotModified || method == http.MethodHead {
		body = ""
	}
	return status, body
}

// plain reports whether text is a valid header value: without control characters except for the
// tab.
func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// isName reports whether text is a valid header name.
func isName(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~"
	return text != "" && strings.Trim(text, letters) == ""
}
