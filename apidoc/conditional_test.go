package apidoc_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests conditional requests and ranges.

type entityName struct {
	Name string `path:"name"`
}

var changed = time.Date(2026, 3, 1, 10, 0, 0, 5e8, time.UTC)

// versionOf returns the versions of three entities; any other does not exist yet.
func versionOf(_ context.Context, in entityName) (apidoc.Version, error) {
	switch in.Name {
	case "gone":
		return apidoc.Version{}, noTree
	case "weak":
		return apidoc.Version{Tag: `W/"7"`}, nil
	case "oak":
		return apidoc.Version{Tag: "7", Time: changed}, nil
	case "newer": // zero in another zone
		return apidoc.Version{Time: time.Time{}.In(time.FixedZone("", 2*60*60))}, nil
	case "time": // in another zone
		return apidoc.Version{Time: changed.In(time.FixedZone("", 2*60*60))}, nil
	}
	return apidoc.Version{}, nil
}

func TestConditionalRequests(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.Versioned(versionOf), noTree)
	ran := false
	run := func(context.Context, entityName) (string, error) { ran = true; return "done", nil }
	apidoc.Get(api, "/:name", "", run, apidoc.ID("get"))
	apidoc.Put(api, "/:name", "", run, apidoc.ID("put"))
	apidoc.Delete(api, "/:name", "", run, apidoc.ID("delete"), apidoc.RequireIfMatch())
	build(t, app, "")
	handler := apidoc.CheckResponses(app, func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) })
	before, after := changed.Add(-time.Hour).Format(http.TimeFormat), changed.Format(http.TimeFormat)
	for _, c := range []struct {
		request, header, value string
		want                   int
	}{
		{"GET /oak", "If-None-Match", `"7"`, 304},
		{"HEAD /oak", "If-None-Match", `"7"`, 304},
		{"GET /oak", "If-None-Match", `W/"7"`, 304},
		{"GET /oak", "If-None-Match", `"x, y" ,,W/"8", "7"`, 304},
		{"GET /oak", "If-None-Match", `"x" y, "7"`, 200}, // the list is read up to the syntax error
		{"GET /oak", "If-None-Match", `7`, 200},
		{"GET /oak", "If-None-Match", `"7`, 200},
		{"GET /oak", "If-None-Match", ``, 200},
		{"GET /oak", "If-None-Match", ` * `, 304},
		{"GET /new", "If-None-Match", `*`, 200},
		{"GET /oak", "If-Modified-Since", after, 304},
		{"GET /oak", "If-Modified-Since", before, 200},
		{"GET /oak", "If-Modified-Since", "yesterday", 200},
		{"GET /weak", "If-Modified-Since", after, 200},
		{"GET /time", "If-None-Match", `"7"`, 200},
		{"GET /oak", "If-Match", `"8"`, 412},
		{"GET /gone", "If-None-Match", `*`, 404},
		{"PUT /oak", "If-Match", `"7"`, 200},
		{"PUT /oak", "If-Match", `"8"`, 412},
		{"PUT /oak", "If-Match", ``, 412},
		{"PUT /weak", "If-Match", `W/"7"`, 412},
		{"PUT /weak", "If-None-Match", `"7"`, 412},
		{"PUT /new", "If-Match", `*`, 412},
		{"PUT /newer", "If-Match", `*`, 412},
		{"PUT /new", "If-None-Match", `*`, 200},
		{"PUT /oak", "If-None-Match", `*`, 412},
		{"PUT /oak", "If-Unmodified-Since", after, 200},
		{"PUT /oak", "If-Unmodified-Since", before, 412},
		{"PUT /oak", "If-Unmodified-Since", "?", 200},
		{"PUT /oak", "If-Modified-Since", after, 200},
		{"PUT /oak", "X", "", 200},
		{"DELETE /oak", "X", "", 428},
		{"DELETE /oak", "If-None-Match", `"8"`, 428},
		{"DELETE /oak", "If-Match", `"7"`, 200},
		{"DELETE /oak", "If-Match", `"8"`, 412},
		{"DELETE /gone", "If-Match", `"7"`, 404},
		{"DELETE /new", "If-Match", `*`, 412},
		// No other condition is enough.
		{"DELETE /oak", "If-Unmodified-Since", after, 428},
		{"DELETE /oak", "If-Modified-Since", before, 428},
		{"DELETE /new", "If-None-Match", `*`, 428},
	} {
		ran = false
		method, path, _ := strings.Cut(c.request, " ")
		w := call(handler, method, path, "", "", c.header, c.value)
		if w.Code != c.want || ran != (w.Code == 200) {
			t.Errorf("%s with %s: %s: got %d, want %d; its function ran: %t", c.request, c.header, c.value, w.Code, c.want, ran)
		}
		hasTag := w.Header()["Etag"] != nil
		if path == "/time" && hasTag {
			t.Errorf("%s: got the tag %q", c.request, w.Header()["Etag"])
		}
		if c.want == 200 && method == "GET" && (path == "/oak" || path == "/time") && w.Header().Get("Last-Modified") != after {
			t.Errorf("%s: Last-Modified is %q, want %s", c.request, w.Header().Get("Last-Modified"), after)
		}
		if path == "/oak" && hasTag != (method == "GET" || method == "HEAD" || w.Code == 412) {
			t.Errorf("%s with %s: %s: got the headers %v", c.request, c.header, c.value, w.Header())
		}
	}
	// A tag counts before a date (RFC 9110, 13.2.2).
	if w := call(app, "PUT", "/oak", "", "", "If-Match", `"7"`, "If-Unmodified-Since", before); w.Code != 200 {
		t.Errorf("If-Match and If-Unmodified-Since: got %d", w.Code)
	}
	if w := call(app, "GET", "/oak", "", "", "If-None-Match", `"8"`, "If-Modified-Since", after); w.Code != 200 {
		t.Errorf("If-None-Match and If-Modified-Since: got %d", w.Code)
	}
}

// If the conditions hold, an error of the operation still determines the response.
func TestVersionedOperationsThatFail(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.Versioned(versionOf), noTree)
	apidoc.Put(api, "/:name", "", func(context.Context, entityName) (string, error) { return "done", noTree })
	if w := call(app, "PUT", "/oak", "", "", "If-Match", `"7"`); w.Code != 404 {
		t.Errorf("got %d %s, want the error of the operation", w.Code, w.Body)
	}
}

// The version is read inside the interceptors: in their transaction, and again when they call next
// again. They see the 412.
func TestVersionsInsideInterceptors(t *testing.T) {
	transaction := routing.NewKey[int]()
	number := 0
	retry := func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (output any, err error) {
		for range 2 {
			number++
			if output, err = next(transaction.With(ctx, number)); err == nil {
				break
			}
		}
		return output, err
	}
	find := func(ctx context.Context, _ entityName) (apidoc.Version, error) {
		n, _ := transaction.From(ctx)
		return apidoc.Version{Tag: strconv.Itoa(n)}, nil
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.Intercept(retry), apidoc.Versioned(find))
	apidoc.Put(api, "/:name", "", func(ctx context.Context, _ entityName) (int, error) {
		n, _ := transaction.From(ctx)
		return n, nil
	}, apidoc.ID("put"))
	apidoc.Get(api, "/:name", "", func(context.Context, entityName) (string, error) { return "oak", nil }, apidoc.ID("get"))
	for _, c := range []struct {
		ifMatch, want string
		calls         int // of next so far
	}{{`"1"`, "1", 1}, {`"3"`, "3", 3}, {`"1"`, "version", 5}} {
		if w := call(app, "PUT", "/oak", "", "", "If-Match", c.ifMatch); !strings.Contains(w.Body.String(), c.want) || number != c.calls {
			t.Errorf("If-Match %s: got %d %s after %d calls", c.ifMatch, w.Code, w.Body, number)
		}
	}
	if w := call(app, "GET", "/oak", "", ""); w.Header().Get("ETag") != `"6"` {
		t.Errorf("GET: got the tag %s", w.Header().Get("ETag"))
	}
}

func TestVersionsInOutputs(t *testing.T) {
	type tagged struct {
		Tag  string    `header:"ETag"`
		Time time.Time `header:"Last-Modified"`
		Body string    `body:""`
	}
	app, api := newTyped()
	give := func(context.Context, struct{}) (tagged, error) { return tagged{`"7"`, changed, "done"}, nil }
	apidoc.Get(api, "/", "", give, apidoc.ID("get"))
	apidoc.Put(api, "/", "", give, apidoc.ID("put"))
	// The output's headers override the version that was read before.
	apidoc.Get(api, "/versioned", "", give, apidoc.ID("versioned"), apidoc.Versioned(func(context.Context, struct{}) (apidoc.Version, error) {
		return apidoc.Version{Tag: "6", Time: changed.Add(-time.Hour)}, nil
	}))
	w := call(app, "GET", "/versioned", "", "")
	if tag, at := w.Header().Get("ETag"), w.Header().Get("Last-Modified"); tag != `"7"` || at != changed.Format(http.TimeFormat) {
		t.Errorf("versioned: got %s of %s", tag, at)
	}
	for _, c := range []struct {
		method, header, value string
		want                  int
	}{
		{"GET", "If-None-Match", `"7"`, 304},
		{"HEAD", "If-None-Match", `"7"`, 304},
		{"GET", "If-None-Match", `"8"`, 200},
		{"GET", "If-Modified-Since", changed.Format(http.TimeFormat), 304},
		{"PUT", "If-None-Match", `"7"`, 200},
	} {
		w := call(app, c.method, "/", "", "", c.header, c.value)
		if w.Code != c.want || w.Header().Get("ETag") != `"7"` || (w.Code == 304) != (w.Body.Len() == 0) && c.method != "HEAD" {
			t.Errorf("%s with %s: %s: got %d %v %s", c.method, c.header, c.value, w.Code, w.Header(), w.Body)
		}
	}
	for _, text := range []string{`"304"`, `"Last-Modified"`} {
		if doc := build(t, app, ""); !strings.Contains(string(doc.OpenAPI()), text) || !strings.Contains(string(doc.Swagger()), text) {
			t.Errorf("%s is not described", text)
		}
	}
}

// A response has one ETag: the output's, or else the version's. An error response has neither the
// output's nor the one of an earlier attempt.
func TestOneETag(t *testing.T) {
	type tagged struct {
		Tag  string `header:"ETag"`
		Body string `body:""`
	}
	tries, fails := 0, false
	app := routing.New()
	api := apidoc.NewAPI(app, info, noTree, apidoc.Versioned(func(context.Context, struct{}) (apidoc.Version, error) {
		tries++
		return apidoc.Version{Tag: fmt.Sprint("version", tries)}, nil
	}))
	twice := apidoc.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		if _, err := next(ctx); err != nil {
			return nil, err
		}
		return next(ctx)
	})
	apidoc.Get(api, "/output", "", func(context.Context, struct{}) (tagged, error) { return tagged{`"output"`, ""}, nil }, apidoc.ID("output"))
	apidoc.Get(api, "/twice", "", func(context.Context, struct{}) (string, error) { return "", nil }, twice, apidoc.ID("twice"))
	apidoc.Get(api, "/error", "", func(context.Context, struct{}) (string, error) {
		if fails {
			return "", noTree
		}
		fails = true
		return "", nil
	}, twice, apidoc.ID("error"))
	for path, want := range map[string][]string{"/output": {`"output"`}, "/twice": {`"version2"`}, "/error": nil} {
		tries = 0
		if w := call(app, "GET", path, "", ""); !slices.Equal(w.Header()["Etag"], want) {
			t.Errorf("%s: %d with the tags %q, want %q", path, w.Code, w.Header()["Etag"], want)
		}
	}
}

func TestMisusedConditions(t *testing.T) {
	define := func(method string, options ...apidoc.Option) string {
		return panicOf(func() {
			_, api := newTyped()
			apidoc.Route(api, method, routing.Must(routing.Sinatra("/:id")), "", func(context.Context, PlumByID) (string, error) { return "", nil },
				append(options, apidoc.ID("one"))...)
		})
	}
	byID := apidoc.Versioned(func(context.Context, PlumByID) (apidoc.Version, error) { return apidoc.Version{}, nil })
	for _, c := range []struct{ name, got, want string }{
		{"RequireIfMatch without a version", define("PUT", apidoc.RequireIfMatch()), "RequireIfMatch is for a PUT, PATCH, DELETE or POST with the option Versioned"},
		{"RequireIfMatch of a GET", define("GET", byID, apidoc.RequireIfMatch()), "RequireIfMatch is for a PUT"},
		{"a version of another input", define("PUT", apidoc.Versioned(versionOf)), "the function of Versioned takes a apidoc_test.entityName: write one for apidoc_test.PlumByID"},
		{"a version without a function", panicOf(func() { apidoc.Versioned[int](nil) }), "apidoc: Versioned: pass a function, not nil"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

// A tag may be any text, such as a title. It is encoded as a valid ETag, both from a version and
// from an output.
func TestTagsOfAnyText(t *testing.T) {
	type tagged struct {
		Tag  string `header:"ETag"`
		Body string `body:""`
	}
	sent := make(map[string]string)
	for _, tag := range []string{"a", "W/a", "a,b", "é", `a"b`, "a b", "a%20b", "\n", `"a"b"`, `"`, `W/"`, `"a"`} {
		app := routing.New()
		api := apidoc.NewAPI(app, info)
		version := apidoc.Versioned(func(context.Context, struct{}) (apidoc.Version, error) { return apidoc.Version{Tag: tag}, nil })
		ok := func(context.Context, struct{}) (string, error) { return "ok", nil }
		apidoc.Get(api, "/", "", ok, version, apidoc.ID("get"))
		apidoc.Put(api, "/", "", ok, version, apidoc.RequireIfMatch(), apidoc.ID("put"))
		apidoc.Get(api, "/output", "", func(context.Context, struct{}) (tagged, error) { return tagged{tag, "ok"}, nil }, apidoc.ID("output"))
		got := call(app, "GET", "/", "", "").Header().Get("ETag")
		if output := call(app, "GET", "/output", "", "").Header()["Etag"]; !slices.Equal(output, []string{got}) {
			t.Errorf("%q is sent as %s, and from an output as %q", tag, got, output)
		}
		if w := call(app, "GET", "/output", "", "", "If-None-Match", got); w.Code != 304 {
			t.Errorf("%q of an output: If-None-Match: %d", tag, w.Code)
		}
		if other, taken := sent[got]; taken && strings.Trim(tag, `"`) != strings.Trim(other, `"`) {
			t.Errorf("%q and %q are both sent as %s", tag, other, got)
		}
		sent[got] = tag
		if w := call(app, "GET", "/", "", "", "If-None-Match", got); w.Code != 304 {
			t.Errorf("%q is sent as %s: If-None-Match: %d", tag, got, w.Code)
		}
		if w := call(app, "PUT", "/", "", "", "If-Match", got); w.Code != 200 {
			t.Errorf("%q is sent as %s: If-Match: %d", tag, got, w.Code)
		}
	}
}

// A response whose body fails before its first byte is an error without the version.
func TestVersionOfBodiesThatFail(t *testing.T) {
	app, api := newTyped()
	type csv struct {
		Body func(io.Writer) error `body:"text/csv"`
	}
	failing := func(io.Writer) error { return noTree }
	apidoc.Get(api, "/:name", "", func(context.Context, entityName) (csv, error) { return csv{failing}, nil }, apidoc.Versioned(versionOf), noTree)
	w := call(app, "GET", "/oak", "", "")
	if h := w.Header(); w.Code != 404 || h["Etag"] != nil || h["Last-Modified"] != nil {
		t.Errorf("got %d with the headers %v, want 404 without a version", w.Code, h)
	}
}
