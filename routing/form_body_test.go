package routing_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	formbody "example.com/flowercafe/routing/internal/form"
)

const formType = "application/x-www-form-urlencoded"

// formRequest returns a request with a body of net/http, as a server makes it.
func formRequest(contentType, body string) *http.Request {
	const format = "POST /?q=1 HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(fmt.Sprintf(format, contentType, len(body), body))))
	if err != nil {
		panic(err)
	}
	return r
}

// A body that was read for parameters can be read again. A body that is one byte over the limit is
// refused.
func TestFormBody(t *testing.T) {
	for _, test := range []struct {
		contentType, body string
		status            int // of the refusal; 0 for none
	}{
		{formType, "a=1&b=2", 0},
		{formType, "a=12345678", 0},
		{formType, "a=123456789", 413},
		{formType, "a=" + strings.Repeat("x", 10_000), 413},
	} {
		r := formRequest(test.contentType, test.body)
		for range 2 {
			_, err := formbody.Of(r).Form(r, 10)
			if err == nil && test.status != 0 || err != nil && err.Status != test.status {
				t.Errorf("%.20q: got %v, want %d", test.body, err, test.status)
			}
		}
		if again, err := io.ReadAll(r.Body); err != nil || string(again) != test.body {
			t.Errorf("%.20q: read again %.20q, %v", test.body, again, err)
		}
	}
	if formbody.Of(formRequest("text/plain", "a=1")) != nil {
		t.Error("a text was parsed as a form")
	}
	if formbody.Of(formRequest("multipart/form-data; boundary=b", "--b--")) != nil {
		t.Error("a multipart form was read as a urlencoded form")
	}
}

// A read with a higher limit continues after an earlier read, unless other code has read the body
// in between.
func TestFormSecondReadWithLargerLimit(t *testing.T) {
	text := "a=" + strings.Repeat("x", 98)
	for _, othersRead := range []bool{false, true} {
		r := formRequest(formType, text)
		if _, err := formbody.Of(r).Form(r, 10); err == nil || err.Status != 413 {
			t.Errorf("got %v, want 413", err)
		}
		want := 0
		if othersRead {
			io.ReadFull(r.Body, make([]byte, 50))
			want = 500
		}
		_, err := formbody.Of(r).Form(r, 100)
		if err == nil && want != 0 || err != nil && err.Status != want {
			t.Errorf("other code has read on: %t; got %v, want %d", othersRead, err, want)
		}
	}
}

// A body that other code has read is not parsed as if it were empty.
func TestFormBodyThatOthersRead(t *testing.T) {
	for _, length := range []int64{-1, 7} {
		for _, part := range []int64{3, 7} {
			r := formRequest(formType, "a=1&b=2")
			r.ContentLength = length
			body := formbody.Of(r)
			io.CopyN(io.Discard, r.Body, part)
			if _, err := body.Form(r, 100); err == nil || err.Status != http.StatusInternalServerError {
				t.Errorf("length %d, of which %d bytes were read: got %v, want an error of the program", length, part, err)
			}
		}
	}
}
