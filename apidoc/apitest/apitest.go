// Package apitest tests handlers: a request, the status and the body in one line.
//
//	func TestTrees(t *testing.T) {
//		c := apitest.New(t, app)
//		c.Get("/trees/7").Want(200, Tree{ID: 7, Name: "Oak"})
//		c.Post("/trees", Tree{Name: "Ash"}).Want(201).WantHeader("Location", "/trees/8")
//		photo := apitest.File{Name: "ash.png", Content: png}
//		c.Post("/trees", apitest.Form{"name": "Ash", "photo": photo}).Want(415)
//	}
//
// The handler may be an app, middleware or a mux. It is called directly, without a network.
// A response that differs from the description of its operation, as [apidoc.CheckResponses] finds
// it, fails the test.
package apitest

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
)

// T is the subset of [testing.TB] that the package uses.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Client sends requests to a handler. It keeps cookies as a browser does, and follows no redirects.
// It is safe for concurrent use if the handler is.
type Client struct {
	t       T
	handler http.Handler
	cookies http.CookieJar
	header  http.Header
}

// New returns a client for a handler.
func New(t T, handler http.Handler) *Client {
	cookies, _ := cookiejar.New(nil) // returns no error
	checked := apidoc.CheckResponses(handler, func(r *http.Request, err error) {
		t.Helper()
		t.Errorf("%s %s: %v", r.Method, r.URL.RequestURI(), err)
	})
	return &Client{t, checked, cookies, make(http.Header)}
}

// WithHeader returns a client whose requests also have a header, such as Authorization or Host. It
// replaces an earlier value. The two share cookies.
func (c *Client) WithHeader(name, value string) *Client {
	with := *c
	with.header = c.header.Clone()
	with.header.Set(name, value)
	return &with
}

// Get sends a GET request. The target is a path with an optional query, or a whole URL for HTTPS or
// for a host other than example.com.
func (c *Client) Get(target string) *Response {
	c.t.Helper()
	return c.Send(http.MethodGet, target, nil)
}

// Post sends a POST request. For the body see [Client.Send].
func (c *Client) Post(target string, body any) *Response {
	c.t.Helper()
	return c.Send(http.MethodPost, target, body)
}

// Put sends a PUT request.
func (c *Client) Put(target string, body any) *Response {
	c.t.Helper()
	return c.Send(http.MethodPut, target, body)
}

// Patch sends a PATCH request.
func (c *Client) Patch(target string, body any) *Response {
	c.t.Helper()
	return c.Send(http.MethodPatch, target, body)
}

// Delete sends a DELETE request.
func (c *Client) Delete(target string) *Response {
	c.t.Helper()
	return c.Send(http.MethodDelete, target, nil)
}

// Send sends a request. The body is nil, a [Form] or [url.Values], a string, []byte or [io.Reader]
// that is sent as it is, or any other value, which is sent as JSON. The body's content type is that
// of the form or else application/json, unless [Client.WithHeader] has set one.
func (c *Client) Send(method, target string, body any) *Response {
	c.t.Helper()
	content, contentType, err := encode(body)
	if err != nil {
		c.t.Fatalf("%s %s: encode the body: %v", method, target, err)
	}
	if _, err := url.ParseRequestURI(target); err != nil || strings.ContainsAny(target, " \t\r\n") {
		c.t.Fatalf("%s %s: write a path such as /trees?limit=2, or a whole URL, with escaped values", method, target)
		return &Response{t: c.t, name: method + " " + target}
	}
	r := httptest.NewRequest(method, target, strings.NewReader(content))
	if body == nil {
		r = httptest.NewRequest(method, target, nil)
	} else {
		r.Header.Set("Content-Type", contentType)
	}
	return c.Do(r)
}

// Do sends a request that [httptest.NewRequest] made, with the client's headers and cookies.
func (c *Client) Do(r *http.Request) *Response {
	c.t.Helper()
	r = r.Clone(r.Context())
	name := r.Method + " " + r.URL.RequestURI()
	for name, values := range c.header {
		r.Header[name] = slices.Clone(values)
	}
	if host := c.header.Get("Host"); host != "" { // net/http has it in a field
		r.Host = host
		r.Header.Del("Host")
	}
	address := *r.URL
	address.Host = r.Host
	address.Scheme = "http"
	if r.TLS != nil {
		address.Scheme = "https"
	}
	for _, cookie := range c.cookies.Cookies(&address) {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	c.serve(w, r, name)
	sent := w.Result()
	sent.Header = message.Received(sent.Header)
	c.cookies.SetCookies(&address, sent.Cookies())
	return &Response{
		Status: sent.StatusCode, Header: sent.Header, Body: w.Body.String(),
		t: c.t, name: name,
	}
}

// serve calls the handler. If the handler aborts the response with [http.ErrAbortHandler], the test
// fails.
func (c *Client) serve(w http.ResponseWriter, r *http.Request, name string) {
	c.t.Helper()
	defer func() {
		if v := recover(); v == http.ErrAbortHandler {
			c.t.Errorf("%s: the handler aborted the response", name)
		} else if v != nil {
			panic(v)
		}
	}()
	c.handler.ServeHTTP(w, r)
}

// Response is the response to a request. A method that finds a difference fails the test with
// Errorf, so that one run shows all differences. The methods return the response.
type Response struct {
	Status int
	Header http.Header
	Body   string

	t    T
	name string // of the request
}

// Want checks the status, and the body if one is given: a string is the whole text, and any other
// value is JSON as operations write it, in any order of members; 1.0 equals 1.
func (r *Response) Want(status int, body ...any) *Response {
	r.t.Helper()
	if len(body) > 1 {
		panic("apitest: Want: pass one body")
	}
	if r.Status != status {
		r.t.Errorf("%s: got status %d, want %d; the body is %s", r.name, r.Status, status, r.Body)
	}
	if len(body) == 0 {
		return r
	}
	if text, ok := body[0].(string); ok {
		if r.Body != text {
			r.t.Errorf("%s: got %q, want %q", r.name, r.Body, text)
		}
		return r
	}
	want, err := encodeJSON(body[0], schema.InResponses)
	if err != nil {
		r.t.Fatalf("%s: encode what is wanted: %v", r.name, err)
	}
	var a, b any
	r.Decode(&a)
	decode(string(want), &b)
	if !reflect.DeepEqual(canonical(a), canonical(b)) {
		r.t.Errorf("%s: got %s, want %s", r.name, strings.TrimSpace(r.Body), want)
	}
	return r
}

// WantHeader checks the first value of a header. An empty value means that the header is absent.
func (r *Response) WantHeader(name, value string) *Response {
	r.t.Helper()
	if got := r.Header.Get(name); got != value {
		r.t.Errorf("%s: got the header %s %q, want %q", r.name, name, got, value)
	} else if value == "" && r.Header.Values(name) != nil {
		r.t.Errorf("%s: got the header %s %q, want it absent", r.name, name, got)
	}
	return r
}

// WantText checks that the body contains each of the texts.
func (r *Response) WantText(parts ...string) *Response {
	r.t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.Body, part) {
			r.t.Errorf("%s: got %q, want it to contain %q", r.name, r.Body, part)
		}
	}
	return r
}

// Decode decodes the body, which must be JSON, into v, as [json.Unmarshal] does. Numbers become a
// [json.Number] in an any.
func (r *Response) Decode(v any) *Response {
	r.t.Helper()
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if !message.IsJSON(media) {
		r.t.Errorf("%s: got the content type %q, want JSON", r.name, media)
	}
	if err := decode(r.Body, v); err != nil {
		r.t.Errorf("%s: %v: %s", r.name, err, r.Body)
	}
	return r
}

// decode decodes a whole JSON text.
func decode(text string, v any) error {
	var whole json.RawMessage
	err := json.Unmarshal([]byte(text), &whole) // a Decoder would stop behind the first value
	if err == nil {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		err = d.Decode(v)
	}
	if err != nil {
		return fmt.Errorf("decode the body: %w", err)
	}
	return nil
}

// canonical replaces the numbers in decoded JSON by texts that are the same for equal numbers.
func canonical(v any) any {
	switch v := v.(type) {
	case json.Number:
		return json.Number(schema.Canonical(v.String()))
	case []any:
		for i := range v {
			v[i] = canonical(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = canonical(v[name])
		}
	}
	return v
}
