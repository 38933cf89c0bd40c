package routing_test

import (
	"context"
	"crypto/tls"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing/internal/request"
)

var userTemplate = request.NewTemplate([]string{"user", "post"})

// filledRequest returns a request in which each exported field has a value.
func filledRequest(t *testing.T) *http.Request {
	r := &http.Request{
		Method: "POST", URL: &url.URL{Path: "/users/7"}, Proto: "HTTP/1.0", ProtoMajor: 1, ProtoMinor: 2,
		Header: http.Header{"A": {"b"}}, Body: io.NopCloser(strings.NewReader("body")), ContentLength: 4,
		GetBody:          func() (io.ReadCloser, error) { return nil, nil },
		TransferEncoding: []string{"chunked"}, Close: true, Host: "host",
		Form: url.Values{"form": nil}, PostForm: url.Values{"post": nil}, MultipartForm: new(multipart.Form),
		Trailer: http.Header{"T": nil}, RemoteAddr: "address", RequestURI: "/uri", TLS: new(tls.ConnectionState),
		Cancel:   make(chan struct{}), //nolint:staticcheck // deprecated, but handlers may read it
		Response: new(http.Response), Pattern: "pattern",
	}
	value := reflect.ValueOf(*r)
	for i := range value.NumField() {
		if f := value.Type().Field(i); f.IsExported() && value.Field(i).IsZero() {
			t.Fatalf("this test sets no value for the field %s", f.Name)
		}
	}
	return r
}

// If this fails with a new release of Go, Template.Copy and hasPathValues must know its fields.
func TestRequestTemplateCopiesAllFields(t *testing.T) {
	r := filledRequest(t)
	c := userTemplate.Copy(r, t.Context())
	given, copied := reflect.ValueOf(*r), reflect.ValueOf(*c)
	var unexported []string
	for i := range given.NumField() {
		f := given.Type().Field(i)
		switch {
		case !f.IsExported():
			unexported = append(unexported, f.Name)
		case f.Type.Kind() == reflect.Func:
			if given.Field(i).Pointer() != copied.Field(i).Pointer() {
				t.Errorf("%s is not copied", f.Name)
			}
		case !reflect.DeepEqual(given.Field(i).Interface(), copied.Field(i).Interface()):
			t.Errorf("%s is not copied", f.Name)
		}
	}
	if want := []string{"ctx", "matches", "otherValues", "pat"}; !slices.Equal(slices.Sorted(slices.Values(unexported)), want) {
		t.Errorf("http.Request has the unexported fields %q, want %q", unexported, want)
	}
	if c.Context() != t.Context() {
		t.Error("the copy has another context")
	}
	if c.URL != r.URL || c.MultipartForm != r.MultipartForm {
		t.Error("a copy shares the URL and the form")
	}
}

// Each copy has its own path values, without a map.
func TestRequestTemplate(t *testing.T) {
	first, second := userTemplate.Copy(filledRequest(t), t.Context()), userTemplate.Copy(filledRequest(t), t.Context())
	if first.PathValue("user") != "" || first.PathValue("post") != "" {
		t.Errorf("a new copy has the values %q and %q", first.PathValue("user"), first.PathValue("post"))
	}
	first.SetPathValue("user", "first")
	second.SetPathValue("user", "second")
	second.SetPathValue("elsewhere", "x")
	if got := first.PathValue("user") + " " + second.PathValue("user") + " " + second.PathValue("elsewhere") + first.PathValue("elsewhere"); got != "first second x" {
		t.Errorf("got %q", got)
	}
	again := userTemplate.Copy(second, context.Background())
	again.SetPathValue("user", "again")
	if got := again.PathValue("elsewhere") + " " + second.PathValue("user"); got != "x second" {
		t.Errorf("the copy of a copy: got %q", got)
	}
	r := httptest.NewRequest("GET", "/", nil)
	if n := testing.AllocsPerRun(1000, func() { userTemplate.Copy(r, r.Context()).SetPathValue("post", "x") }); n > 2 {
		t.Errorf("%v allocations, want 2: the request and its values", n)
	}
}

// A template without preallocated path values makes usual copies.
func TestRequestTemplateWithoutPreallocation(t *testing.T) {
	templates := []*request.Template{nil}
	for _, names := range [][]string{nil, {""}, {"a", "a"}, {"0"}, {"9x"}, {"_"}, {"a-b"}, {"é"}, {"a..."}, {"$"}, {"a}"}} {
		templates = append(templates, request.NewTemplate(names))
	}
	for _, template := range templates {
		r := filledRequest(t)
		c := template.Copy(r, t.Context())
		c.SetPathValue("user", "inner")
		if c.PathValue("user") != "inner" || r.PathValue("user") != "" || c.URL != r.URL || c.Method != "POST" {
			t.Errorf("the copy has %q, the request %q", c.PathValue("user"), r.PathValue("user"))
		}
	}
}
