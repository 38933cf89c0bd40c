package reliability_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// A request that two readers parse differently can be smuggled past the first. Only net/http parses
// requests, and the module must not change that: for each sequence of bytes the responses are those
// of a server without the module.

// requests are bytes that a client may send, with the line ends as they are.
var requests = []string{
	"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET / HTTP/1.1\nHost: a\n\n",
	"GET / HTTP/1.0\r\n\r\n",
	"GET /\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
	"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc",
	"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n5\r\nv=abc\r\n0\r\nX: 1\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n_method=put",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
	"POST / HTTP/1.1\r\nHost: a\r\nExpect: something\r\nContent-Length: 3\r\n\r\nabc",
	"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
	"GET / HTTP/1.1\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\n folded: 1\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
	"GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET http://b/x HTTP/1.1\r\nHost: a\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET * HTTP/1.1\r\nHost: a\r\n\r\n",
	"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
	"CONNECT /x HTTP/1.1\r\nHost: a\r\n\r\n",
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
	"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
	"G\x00T / HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET / HTTP/1.9\r\nHost: a\r\n\r\n",
	"GET / HTTP/2.0\r\nHost: a\r\n\r\n",
	"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
	"",
	"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}

func TestRequestsAreReadAsByNetHTTP(t *testing.T) {
	t.Run("own", func(t *testing.T) { compareServers(t, requests) })
	t.Run("public", func(t *testing.T) {
		listed := decoded[struct {
			Cases []struct{ Request string }
		}](t, "llhttp-requests.json")
		var public []string
		for _, c := range listed.Cases {
			// With the line ends as they stand, LF, which net/http takes too, and as the list means
			// them.
			public = append(public, c.Request, asBytes(c.Request), withHost(asBytes(c.Request)))
		}
		t.Logf("%d requests, with two kinds of line ends, and with a Host", len(listed.Cases))
		compareServers(t, public)
	})
}

// described returns a handler that writes the request as the server parsed it, and whether its body
// could be read.
func described(r *http.Request, body []byte, err error) (status int, text string) {
	status = http.StatusOK
	if err != nil {
		status = http.StatusBadRequest
	}
	return status, fmt.Sprintf("%s %q %q %q, %d headers, %d %q, trailer %q", r.Method, r.RequestURI, r.URL.Path, r.Host, len(r.Header), r.ContentLength, body, r.Trailer)
}

func compareServers(t *testing.T, all []string) {
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		status, text := described(r, body, err)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, text)
	})
	describe := func(c routing.Context) (routing.Result, error) {
		body, err := io.ReadAll(c.Request().Body)
		status, text := described(c.Request(), body, err)
		c.SetStatus(status)
		return routing.Text(text), nil
	}
	app := routing.New(discarding())
	app.Route("", routing.Pattern{}, describe)
	// All options that read requests are enabled, and parameters are read before the body.
	busy := routing.New(discarding(), routing.WithMethodOverride())
	busy.Before(respond.Multipart(1 << 20))
	busy.Before(func(c routing.Context) error { c.Params().Keys(); return nil })
	busy.Route("", routing.Pattern{}, describe)
	whole, err := flowercafe.New(flowercafe.WithBasePath("/shop"), flowercafe.WithNext(app))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { whole.Close() })

	plain := newRawServer(t, bare)
	for _, other := range []struct {
		name  string
		exact bool // the responses have the same lines, except for the date
		*rawServer
	}{
		{"app", true, newRawServer(t, app)},
		{"reading app", false, newRawServer(t, busy)},
		{"whole", true, newRawServer(t, whole)},
	} {
		classes := map[byte]int{}
		for _, request := range all {
			want, got := plain.send(t, request), other.send(t, request)
			wantStatuses, gotStatuses := statuses(t, request, want), statuses(t, request, got)
			if classesOf(gotStatuses) != classesOf(wantStatuses) {
				t.Errorf("%s: %q: got responses %v, net/http alone %v", other.name, request, gotStatuses, wantStatuses)
			}
			if other.exact && sortedLines(got) != sortedLines(want) {
				t.Errorf("%s: %q: got\n%q\nnet/http alone\n%q", other.name, request, got, want)
			}
			for _, status := range gotStatuses {
				classes[strconv.Itoa(status)[0]]++
			}
		}
		t.Logf("%s: %d requests, responses 1xx %d, 2xx %d, 4xx %d, 5xx %d", other.name, len(all), classes['1'], classes['2'], classes['4'], classes['5'])
		if classes['2'] == 0 || classes['4'] == 0 {
			t.Errorf("%s: the requests test one half", other.name)
		}
	}
}

// rawServer is a server that receives bytes, each time on a new connection.
type rawServer struct{ address string }

func newRawServer(t *testing.T, handler http.Handler) *rawServer {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return &rawServer{server.Listener.Addr().String()}
}

// send writes request, closes the write side, and returns all responses, without the date.
func (s *rawServer) send(t *testing.T, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(hang))
	io.WriteString(conn, request) // the server may not read it to its end
	conn.(*net.TCPConn).CloseWrite()
	responses, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%q: no end of the responses", request)
	}
	var b strings.Builder
	for line := range strings.Lines(string(responses)) {
		if !strings.HasPrefix(line, "Date: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// statuses reads responses one after the other.
func statuses(t *testing.T, request, responses string) (list []int) {
	t.Helper()
	method, _, _ := strings.Cut(strings.TrimLeft(request, "\r\n"), " ")
	for in := bufio.NewReader(bytes.NewReader([]byte(responses))); ; {
		if _, err := in.Peek(1); err != nil {
			return list
		}
		asked := method
		if len(list) > 0 {
			asked = "" // of a later request; none of these is a HEAD
		}
		response, err := http.ReadResponse(in, &http.Request{Method: asked})
		if err != nil {
			t.Errorf("%q: a response cannot be read: %v\n%q", request, err, responses)
			return list
		}
		if response.Close && asked == http.MethodHead {
			return append(list, response.StatusCode) // net/http sends a body after a HEAD that it refuses
		}
		if response.StatusCode >= 200 || response.StatusCode == 101 {
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Errorf("%q: a body cannot be read: %v\n%q", request, err, responses)
				return list
			}
		}
		list = append(list, response.StatusCode)
	}
}

// sortedLines sorts lines, since headers may be in any order.
func sortedLines(text string) string {
	lines := strings.Split(text, "\r\n")
	slices.Sort(lines)
	return strings.Join(lines, "\r\n")
}

func classesOf(statuses []int) string {
	var b strings.Builder
	for _, status := range statuses {
		b.WriteByte(strconv.Itoa(status)[0])
	}
	return b.String()
}

// withHost adds the Host header, without which net/http refuses HTTP/1.1.
func withHost(request string) string {
	line, rest, found := strings.Cut(request, "\r\n")
	if !found || strings.Contains(strings.ToLower(rest), "host:") {
		return request
	}
	return line + "\r\nHost: a\r\n" + rest
}

// asBytes decodes a request of the public list: a line end is CR LF, or nothing after a backslash;
// \r, \n, \t, \f and \x with two digits are bytes.
func asBytes(listed string) string {
	text := strings.ReplaceAll(strings.ReplaceAll(listed, "\\\n", ""), "\n", "\r\n")
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if at := strings.IndexByte("rntf", text[i]); at >= 0 {
			b.WriteByte("\r\n\t\f"[at])
			continue
		}
		if text[i] == 'x' && i+2 < len(text) {
			if code, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(code))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
