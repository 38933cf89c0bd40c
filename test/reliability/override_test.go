package reliability_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// The override must be enabled. Only a POST becomes another method, only PUT or DELETE, and only by
// a form's body or the header. A page of another site can make a browser send any query and any
// POST form, but not this header.

const (
	urlencoded = "application/x-www-form-urlencoded"
	multipart  = "multipart/form-data; boundary=b"
)

// part is a multipart form with the field _method.
func part(value string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"_method\"\r\n\r\n" + value + "\r\n--b--\r\n"
}

var overrides = []struct {
	name        string
	method      string
	header      []string // X-HTTP-Method-Override
	query       string
	contentType string
	body        string
	want        string // the method that routes see if overriding is on
}{
	{"header, lower case", "POST", []string{"put"}, "", "", "", "PUT"},
	{"header", "POST", []string{"PUT"}, "", "", "", "PUT"},
	{"header, mixed case", "POST", []string{"pUt"}, "", "", "", "PUT"},
	{"header, delete", "POST", []string{"delete"}, "", "", "", "DELETE"},
	{"header, get", "POST", []string{"GET"}, "", "", "", "POST"},
	{"header, head", "POST", []string{"HEAD"}, "", "", "", "POST"},
	{"header, patch", "POST", []string{"PATCH"}, "", "", "", "POST"},
	{"header, options", "POST", []string{"OPTIONS"}, "", "", "", "POST"},
	{"header, connect", "POST", []string{"CONNECT"}, "", "", "", "POST"},
	{"header, trace", "POST", []string{"TRACE"}, "", "", "", "POST"},
	{"header, empty", "POST", []string{""}, "", "", "", "POST"},
	{"header, line break", "POST", []string{"PUT\r\nX-Evil: 1"}, "", "", "", "POST"},
	{"header, line break at the end", "POST", []string{"PUT\r\n"}, "", "", "", "POST"},
	{"header, NUL", "POST", []string{"PUT\x00"}, "", "", "", "POST"},
	{"header, space", "POST", []string{" PUT"}, "", "", "", "POST"},
	{"header, list", "POST", []string{"PUT, DELETE"}, "", "", "", "POST"},
	{"header, long s", "POST", []string{"DELETE\u017f"}, "", "", "", "POST"},
	{"header, twice", "POST", []string{"PUT", "DELETE"}, "", "", "", "PUT"},
	{"header, nonsense first", "POST", []string{"x", "PUT"}, "", "", "", "POST"},

	{"form, lower case", "POST", nil, "", urlencoded, "_method=put", "PUT"},
	{"form", "POST", nil, "", urlencoded, "_method=PUT", "PUT"},
	{"form, delete", "POST", nil, "", urlencoded, "a=1&_method=delete", "DELETE"},
	{"form, with a charset", "POST", nil, "", urlencoded + "; charset=utf-8", "_method=PUT", "PUT"},
	{"form, encoded", "POST", nil, "", urlencoded, "%5Fmethod=%50UT", "PUT"},
	{"form, get", "POST", nil, "", urlencoded, "_method=GET", "POST"},
	{"form, connect", "POST", nil, "", urlencoded, "_method=connect", "POST"},
	{"form, trace", "POST", nil, "", urlencoded, "_method=TRACE", "POST"},
	{"form, empty", "POST", nil, "", urlencoded, "_method=", "POST"},
	{"form, line break", "POST", nil, "", urlencoded, "_method=PUT%0D%0AX-Evil:+1", "POST"},
	{"form, another letter case", "POST", nil, "", urlencoded, "_METHOD=PUT", "POST"},
	{"form, twice", "POST", nil, "", urlencoded, "_method=PUT&_method=DELETE", "PUT"},
	{"form, nonsense first", "POST", nil, "", urlencoded, "_method=x&_method=DELETE", "POST"},
	{"form, without a type", "POST", nil, "", "", "_method=PUT", "POST"},
	{"form, as text", "POST", nil, "", "text/plain", "_method=PUT", "POST"},

	{"query", "POST", nil, "_method=PUT", "", "", "POST"},
	{"query of a form", "POST", nil, "_method=PUT", urlencoded, "a=1", "POST"},
	{"query named as the header", "POST", nil, "X-HTTP-Method-Override=PUT", "", "", "POST"},
	{"query against form", "POST", nil, "_method=PUT", urlencoded, "_method=delete", "DELETE"},
	{"form against header", "POST", []string{"DELETE"}, "", urlencoded, "_method=put", "PUT"},
	{"form of nonsense and header", "POST", []string{"DELETE"}, "", urlencoded, "_method=x", "DELETE"},

	{"JSON", "POST", nil, "", "application/json", `{"_method":"PUT"}`, "POST"},
	{"JSON like a form", "POST", nil, "", "application/json", "_method=PUT", "POST"},
	{"multipart", "POST", nil, "", multipart, part("PUT"), "POST"},
	{"multipart with the header", "POST", []string{"PUT"}, "", multipart, part("DELETE"), "PUT"},

	{"GET, header", "GET", []string{"DELETE"}, "", "", "", "GET"},
	{"GET, query", "GET", nil, "_method=DELETE", "", "", "GET"},
	{"GET, form", "GET", nil, "", urlencoded, "_method=DELETE", "GET"},
	{"HEAD, header", "HEAD", []string{"DELETE"}, "", "", "", "HEAD"},
	{"PUT, header", "PUT", []string{"DELETE"}, "", "", "", "PUT"},
	{"PUT, form", "PUT", nil, "", urlencoded, "_method=DELETE", "PUT"},
	{"PATCH, form", "PATCH", []string{"PUT"}, "", urlencoded, "_method=DELETE", "PATCH"},
	{"DELETE, header", "DELETE", []string{"PUT"}, "", "", "", "DELETE"},
	{"OPTIONS, header", "OPTIONS", []string{"PUT"}, "", "", "", "OPTIONS"},
	{"lower-case post, header", "post", []string{"PUT"}, "", "", "", "post"},
}

func TestOverride(t *testing.T) {
	for _, on := range []bool{true, false} {
		for _, parsed := range []bool{false, true} { // multipart forms are parsed in front
			// One route for each of these methods, and one for all others. Each responds with its
			// name.
			var options []routing.Option
			if on {
				options = append(options, routing.WithMethodOverride())
			}
			app := routing.New(options...)
			var ran, seen, filtered string
			app.Before(func(c routing.Context) error { filtered = c.Request().Method; return nil })
			for _, method := range []string{"", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"} {
				app.Route(method, routing.Must(routing.Sinatra("/x")), func(c routing.Context) (routing.Result, error) {
					ran, seen = method, c.Request().Method
					return routing.Result{}, nil
				})
			}
			for _, test := range overrides {
				r := httptest.NewRequest(http.MethodPost, "/x?"+test.query, strings.NewReader(test.body))
				r.Method = test.method
				if test.contentType != "" {
					r.Header.Set("Content-Type", test.contentType)
				}
				r.Header["X-Http-Method-Override"] = test.header
				ran, seen, filtered = "none", "none", "none"
				w := httptest.NewRecorder()
				want := test.method
				if on {
					want = test.want
				}
				if parsed && test.contentType == multipart {
					r.ParseMultipartForm(1 << 10)
					if on {
						want = strings.ToUpper(r.PostFormValue("_method"))
					}
				}
				app.ServeHTTP(w, r)
				route := want
				if want == "post" {
					route = "" // not a standard method; only the route for all methods matches
				}
				if ran != route || seen != want || filtered != want || w.Code != http.StatusOK {
					t.Errorf("%s (on: %v): the route for %q ran and saw %q, the filter %q, status %d; want %q", test.name, on, ran, seen, filtered, w.Code, want)
				}
				if !strings.EqualFold(r.Method, test.method) {
					t.Errorf("%s: the caller's request has become a %s", test.name, r.Method)
				}
			}
		}
	}
	t.Logf("%d rows, on and off, with multipart forms parsed and not", len(overrides))
}
