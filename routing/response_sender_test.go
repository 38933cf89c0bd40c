package routing_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing/internal/response"
)

func TestStatusIsKeptInTheHeaders(t *testing.T) {
	for _, set := range []int{200, 204, 404, 999} {
		header := make(http.Header)
		response.SetStatus(header, set)
		response.Keep(header, 500)
		if got := response.Status(header); got != set {
			t.Errorf("the status is %d, want %d", got, set)
		}
		if got := response.TakeStatus(header); got != set || len(header) != 0 {
			t.Errorf("taken %d with %d headers left, want %d and none", got, len(header), set)
		}
	}
	for _, invalid := range []int{-1, 1001, math.MaxInt} {
		header := make(http.Header)
		response.SetStatus(header, invalid)
		if got := response.Status(header); got <= 999 {
			t.Errorf("status %d is kept as %d, which is valid", invalid, got)
		}
	}
}

func TestSenderRefusesIllegalHeaders(t *testing.T) {
	for _, c := range []struct {
		name, value string
		illegal     bool
	}{
		{"X-Trace", "a\tb", false},
		{http.TrailerPrefix + "X-Sum", "1", false},
		{"X-Trace", "a\r\nSet-Cookie: b", true},
		{"X-Trace", "a\x00", true},
		{"X Trace", "a", true},
		{"", "a", true},
		{"Content-Type", "text/html", false},
		{"Content-Type", "text/html\nX: a", true},
	} {
		if _, illegal := response.Illegal(http.Header{c.name: {c.value}}); illegal != c.illegal {
			t.Errorf("header %q with value %q: illegal is %v", c.name, c.value, illegal)
		}
	}
}

// IsFieldValue finds control characters at every offset, and refuses no other characters.
func TestFieldValues(t *testing.T) {
	for _, around := range []string{"a\t\x80é ~", "printable ASCII", "~~~~~~~", "       "} {
		for length := range 20 {
			for place := range length {
				for c := range 256 {
					text := []byte(strings.Repeat(around, 3)[:length])
					text[place] = byte(c)
					want := c >= ' ' && c != 0x7f || c == '\t'
					if got := response.IsFieldValue(string(text)); got != want {
						t.Fatalf("%q: got %v, want %v", text, got, want)
					}
				}
			}
		}
	}
}

// reports records reported errors.
type reports struct{ texts []string }

func (l *reports) Report(_ *http.Request, err error) { l.texts = append(l.texts, err.Error()) }
func (l *reports) Recovered(value any) error         { return fmt.Errorf("%v", value) }

func newSender() (*response.Sender, *reports) {
	l := new(reports)
	return &response.Sender{Log: l}, l
}

func TestWriteWholeBodies(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, c := range []struct {
		method string
		status int
		body   response.Body
		want   string // status, type, Content-Length, length of the body
	}{
		{"GET", 0, response.Text("rose"), `200 "text/plain; charset=utf-8" "" 4`},
		{"GET", 201, response.HTML("rose"), `201 "text/html; charset=utf-8" "" 4`},
		{"GET", 0, response.Bytes("image/png", []byte(long)), `200 "image/png" "5000" 5000`},
		{"HEAD", 0, response.JSON([]byte("{}")), `200 "application/json" "2" 0`},
		{"GET", 204, response.Text("rose"), `204 "" "" 0`},
		{"GET", 0, response.Bytes("", nil), `200 "application/octet-stream" "" 0`},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, "/", nil)
		c.body.Write(w, r, w.Header(), c.status)
		h := w.Header()
		got := fmt.Sprintf("%d %q %q %d", w.Code, h.Get("Content-Type"), h.Get("Content-Length"), w.Body.Len())
		if got != c.want {
			t.Errorf("%s with status %d: got %s, want %s", c.method, c.status, got, c.want)
		}
	}
}

type countsClose struct {
	io.Reader
	closed int
}

func (c *countsClose) Close() error { c.closed++; return nil }

func TestStreamThatFailsBeforeFirstByte(t *testing.T) {
	for name, reader := range map[string]io.Reader{
		"at once": failingReader{}, "after nothing": &emptyReader{then: failingReader{}}, "nothing for ever": &emptyReader{},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		s, l := newSender()
		stream := &countsClose{Reader: reader}
		err := s.Send(w, r, w.Header(), 0, response.Stream("text/csv", stream), false)
		if err == nil || w.Flushed || w.Body.Len() > 0 || stream.closed != 1 || len(l.texts) != 0 {
			t.Errorf("%s: error %v, body %q, closed %d times, reported %q", name, err, w.Body, stream.closed, l.texts)
		}
	}
}

// emptyReader reads nothing, once if then is not nil.
type emptyReader struct {
	then  io.Reader
	reads int
}

func (e *emptyReader) Read(p []byte) (int, error) {
	switch e.reads++; {
	case e.reads == 1 || e.then == nil && e.reads < 1e6:
		return 0, nil
	case e.then == nil:
		panic("it is read for ever")
	}
	return e.then.Read(p)
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestInvalidTypeIsNotSent(t *testing.T) {
	for _, body := range []response.Body{
		response.Bytes("a\r\nb", []byte("x")),
		response.Stream("a\r\nb", strings.NewReader("x")),
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		s, _ := newSender()
		err := s.Send(w, r, w.Header(), 0, body, false)
		if err == nil || strings.Contains(fmt.Sprint(w.Header(), err), "\r") || w.Body.Len() > 0 {
			t.Errorf("error %v, headers %q, body %q", err, w.Header(), w.Body)
		}
	}
}

// Only the Content-Encoding of outer middleware stays, since it encodes the new body too.
func TestClearContent(t *testing.T) {
	for _, encoded := range []bool{false, true} {
		header := http.Header{"Content-Encoding": {"gzip"}, "Content-Length": {"7"}, "X-Other": {"x"}}
		response.ClearContent(header, encoded)
		if header["Content-Length"] != nil || header["X-Other"] == nil || header["Content-Encoding"] != nil != encoded {
			t.Errorf("encoded %t: %v is left", encoded, header)
		}
	}
}
