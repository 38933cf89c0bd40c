package form_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing/internal/form"
)

const urlencoded = "application/x-www-form-urlencoded"

func request(contentType, body string) *http.Request {
	r := httptest.NewRequest("POST", "/?q=1", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return r
}

// A body that was read for parameters can be read again, and a limit refuses one byte more.
func TestBody(t *testing.T) {
	limits := &form.Limits{Body: 10, Upload: 10}
	for _, test := range []struct {
		contentType, body string
		status            int // of the refusal; 0 for none
	}{
		{urlencoded, "a=1&b=2", 0},
		{urlencoded, "a=12345678", 0},
		{urlencoded, "a=123456789", 413},
	} {
		r := request(test.contentType, test.body)
		in := form.New(r, true, limits)
		_, err := in.Form(r, limits)
		if err == nil && test.status != 0 || err != nil && err.Status != test.status {
			t.Errorf("%q: got %v, want %d", test.body, err, test.status)
		}
		if replayed, err := io.ReadAll(in); err != nil || string(replayed) != test.body {
			t.Errorf("%q: replayed %q, %v", test.body, replayed, err)
		}
	}
	if in := form.New(request("text/plain", "a=1"), true, limits); in != nil {
		t.Error("a text is no form")
	}
	if in := form.New(request("multipart/form-data; boundary=b", "--b--"), false, limits); in != nil {
		t.Error("multipart forms are for who asks for them")
	}
}

// A body that was partly read before is not taken for a complete one.
func TestBodyThatIsGone(t *testing.T) {
	r := request(urlencoded, "a=1&b=2")
	io.ReadFull(r.Body, make([]byte, 3))
	in := form.New(r, false, &form.Limits{Body: 100})
	if _, err := in.Load(100); err == nil || err.Status != http.StatusInternalServerError {
		t.Errorf("got %v, want an error of the program", err)
	}
}

// A handler that reads a multipart form itself gets an error beyond the limit.
func TestAdmit(t *testing.T) {
	body := strings.Repeat("x", 100)
	r := request("multipart/form-data; boundary=b", body)
	in := form.New(r, true, &form.Limits{Body: 30, Upload: 30})
	got, err := io.ReadAll(in)
	var tooLarge *http.MaxBytesError
	if len(got) != 60 || !errors.As(err, &tooLarge) || tooLarge.Limit != 60 {
		t.Errorf("got %d bytes and %v, want 60 and their limit", len(got), err)
	}
	in = form.New(request("multipart/form-data; boundary=b", body), true, &form.Limits{Body: 30, Upload: 30})
	in.Admit(0)
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, []byte(body)) {
		t.Errorf("got %d bytes and %v, want all", len(got), err)
	}
}
