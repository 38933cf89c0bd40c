package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// A call is a request and the right response.
type call struct {
	request *http.Request
	want    response
}

// A response is the part of a response that is compared.
type response struct {
	status      int
	contentType string
	body        string
}

// String shortens the body.
func (r response) String() string {
	return fmt.Sprintf("%d %s %.80q", r.status, r.contentType, r.body)
}

const plainText = "text/plain; charset=utf-8"

// newRequest returns a request like those of net/http's server, with a context that can be
// canceled.
func newRequest(ctx context.Context, method, target string) *http.Request {
	return httptest.NewRequest(method, target, nil).WithContext(ctx)
}

// newRequestWith returns a request with a body, which rewind renews.
func newRequestWith(ctx context.Context, method, target, body string) *http.Request {
	r := newRequest(ctx, method, target)
	r.ContentLength = int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
	return r
}

// rewind replaces the body of a request that has one and may have been read.
func rewind(r *http.Request) {
	if r.GetBody != nil {
		r.Body, _ = r.GetBody()
	}
}

// check sends each request to h once and returns an error for the first wrong response or panic.
func check(h http.Handler, calls []call) error {
	for _, x := range calls {
		got, err := ask(h, x.request)
		if err != nil {
			return fmt.Errorf("%s %s: %w", x.request.Method, x.request.URL, err)
		}
		want := x.want
		want.contentType = mediaType(want.contentType)
		if got != want {
			return fmt.Errorf("%s %s: got %s, want %s", x.request.Method, x.request.URL, got, want)
		}
	}
	return nil
}

func ask(h http.Handler, r *http.Request) (response, error) {
	w, err := record(h, r)
	if err != nil {
		return response{}, err
	}
	return responseIn(w), nil
}

func record(h http.Handler, r *http.Request) (w *httptest.ResponseRecorder, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	r = r.Clone(r.Context()) // a ServeMux sets path values in the request
	rewind(r)
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, nil
}

func responseIn(w *httptest.ResponseRecorder) response {
	return response{w.Code, mediaType(w.Header().Get("Content-Type")), w.Body.String()}
}

// mediaType normalizes a Content-Type for comparison. Case is ignored, since echo writes UTF-8.
// Parameters of JSON are ignored: only some contestants write them, and they have no meaning (RFC
// 8259, 11).
func mediaType(contentType string) string {
	if name, _, _ := strings.Cut(contentType, ";"); name == "application/json" {
		return name
	}
	return strings.ToLower(contentType)
}
