package apidoc_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// If an output cannot be sent, the error response has neither its headers nor its cookies.
func TestHeadersOfOutputsThatCannotBeSent(t *testing.T) {
	type session struct {
		Cookies []http.Cookie `header:"Set-Cookie"`
		Total   int           `header:"X-Total"`
		Other   http.Cookie   `header:"X-Other"`
		Body    float64       `body:""`
	}
	app, api := newTyped()
	for path, out := range map[string]session{
		"/body":   {[]http.Cookie{{Name: "id", Value: "secret"}}, 7, http.Cookie{}, math.NaN()},
		"/header": {[]http.Cookie{{Name: "id", Value: "secret"}}, 7, http.Cookie{Name: "not valid"}, 1},
	} {
		apidoc.Get(api, path, "", func(context.Context, struct{}) (session, error) { return out, nil }, apidoc.ID(path[1:]), apidoc.Status(201))
		w := call(app, "GET", path, "", "")
		if w.Code != 500 || w.Header()["Set-Cookie"] != nil || w.Header()["X-Total"] != nil {
			t.Errorf("%s: got %d %v", path, w.Code, w.Header())
		}
	}
}

// Versions that no If-Match matches are a 500, and are logged.
func TestWeakVersionsWithRequireIfMatch(t *testing.T) {
	for _, version := range []apidoc.Version{{Tag: `W/"1"`}, {Time: changed}} {
		var logs strings.Builder
		app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logs, nil))))
		apidoc.Delete(apidoc.NewAPI(app, info), "/", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }, apidoc.RequireIfMatch(),
			apidoc.Versioned(func(context.Context, struct{}) (apidoc.Version, error) { return version, nil }))
		w := call(app, "DELETE", "/", "", "", "If-Match", `W/"1"`)
		if w.Code != 500 || !strings.Contains(logs.String(), "matches no If-Match: return a tag, without W/") {
			t.Errorf("%v: got %d, logged %s", version, w.Code, logs.String())
		}
	}
}

// The description requires the header, which an input may also have as a field.
func TestRequireIfMatchIsDescribed(t *testing.T) {
	app, api := newTyped()
	type conditional struct {
		Match string `header:"If-Match"`
	}
	apidoc.Delete(api, "/plain", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }, apidoc.RequireIfMatch(),
		apidoc.Versioned(func(context.Context, struct{}) (apidoc.Version, error) { return apidoc.Version{Tag: "1"}, nil }), apidoc.ID("plain"))
	apidoc.Delete(api, "/field", "", func(context.Context, conditional) (struct{}, error) { return struct{}{}, nil }, apidoc.RequireIfMatch(),
		apidoc.Versioned(func(context.Context, conditional) (apidoc.Version, error) { return apidoc.Version{Tag: "1"}, nil }), apidoc.ID("field"))
	doc := build(t, app, "")
	for name, text := range map[string][]byte{"OpenAPI": doc.OpenAPI(), "Swagger": doc.Swagger()} {
		for _, path := range []string{"/plain", "/field"} {
			all := decode(t, text).at("paths", path, "delete")["parameters"].([]any)
			if p := all[0].(map[string]any); len(all) != 1 || p["name"] != "If-Match" || p["required"] != true {
				t.Errorf("%s %s: described as %v", name, path, all)
			}
		}
	}
}

// The headers of a 403 and a 412 are described, and so are the headers of conditional requests.
func TestHeadersOfRefusalsAreDescribed(t *testing.T) {
	app, api := newTyped()
	token := apidoc.Bearer("token", func(ctx context.Context, _ apidoc.Credentials) (context.Context, error) {
		return ctx, apidoc.ErrForbidden
	})
	apidoc.Delete(api, "/tree", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil },
		apidoc.RequireIfMatch(), apidoc.Versioned(func(context.Context, struct{}) (apidoc.Version, error) {
			return apidoc.Version{Tag: "1", Time: time.Unix(1, 0)}, nil
		}))
	apidoc.Get(api, "/secret", "", func(context.Context, struct{}) (string, error) { return "", nil }, token.Scopes("read"))
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	paths := decode(t, document.OpenAPI()).at("paths")
	for _, c := range []struct {
		method, path, name, value string
		status                    int
		headers                   []string
	}{
		{"DELETE", "/tree", "If-Match", `"2"`, 412, []string{"ETag", "Last-Modified"}},
		{"GET", "/secret", "Authorization", "Bearer x", 403, []string{"WWW-Authenticate"}},
	} {
		w := call(app, c.method, c.path, "", "", c.name, c.value)
		headers := paths.at(c.path, strings.ToLower(c.method), "responses", strconv.Itoa(c.status), "headers")
		for _, name := range c.headers {
			if w.Code != c.status || w.Header().Get(name) == "" || headers[name] == nil {
				t.Errorf("%s %s: got %d %v, described: %v", c.method, c.path, w.Code, w.Header(), headers)
			}
		}
	}
}

// A HEAD of events does not call the function, which may open resources that only its sequence
// closes.
func TestHeadOfEventsCallsNothing(t *testing.T) {
	calls := 0
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (iter.Seq[int], error) { calls++; return nil, nil })
	w := call(app, "HEAD", "/", "", "")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" || calls != 0 {
		t.Errorf("got %d %v, %d calls", w.Code, w.Header(), calls)
	}
}

func TestNilBodiesAreEmpty(t *testing.T) {
	type lines struct {
		Body iter.Seq2[int, error] `body:"application/jsonl"`
	}
	pass := apidoc.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		return next(ctx)
	})
	for _, options := range [][]apidoc.Option{nil, {pass}} {
		app, api := newTyped()
		with := func(id string) []apidoc.Option { return append(options, apidoc.ID(id)) }
		apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (io.Reader, error) { return nil, nil }, with("reader")...)
		apidoc.Get(api, "/pointer", "", func(context.Context, struct{}) (*bytes.Reader, error) { return nil, nil }, with("pointer")...)
		apidoc.Get(api, "/hidden", "", func(context.Context, struct{}) (io.Reader, error) { return (*bytes.Reader)(nil), nil }, with("hidden")...)
		apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lines, error) { return lines{}, nil }, with("lines")...)
		apidoc.Get(api, "/events", "", func(context.Context, struct{}) (iter.Seq[int], error) { return nil, nil }, with("events")...)
		for _, path := range []string{"/reader", "/pointer", "/hidden", "/lines", "/events"} {
			if w := call(app, "GET", path, "", ""); w.Code != 200 || strings.Trim(w.Body.String(), ":\n") != "" {
				t.Errorf("%s: got %d %q", path, w.Code, w.Body)
			}
		}
	}
}

// A response without a body has no media type, whatever its status.
func TestResponsesWithoutABodyHaveNoType(t *testing.T) {
	type none struct {
		Status int `status:"200,201,204,303"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		Status int `query:"status"`
	}) (none, error) {
		return none(in), nil
	}, apidoc.ID("get"))
	for _, status := range []int{200, 201, 204, 303} {
		w := call(app, "GET", "/?status="+strconv.Itoa(status), "", "")
		if w.Code != status || w.Body.Len() != 0 || w.Header()["Content-Type"] != nil {
			t.Errorf("%d: got %d, %q and %q", status, w.Code, w.Header(), w.Body)
		}
	}
}

// A body of unknown length needs its media type too.
func TestMediaTypeOfABodyWithoutALength(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in Plum) (string, error) { return in.Name, nil })
	r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(`{"name":"Oak"}`)))
	r.ContentLength = -1
	r.Header.Set("Content-Type", "text/plain")
	w := httptest.NewRecorder()
	if app.ServeHTTP(w, r); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestNilTimeWithOmitzero(t *testing.T) {
	type event struct {
		At *time.Time `json:"at,omitzero"`
	}
	app, api := newTyped()
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	apidoc.Get(api, "/", "", func(context.Context, struct{}) ([]event, error) { return []event{{}, {&at}, {new(time.Time)}}, nil })
	const want = `[{},{"at":"2030-01-02T03:04:05Z"},{}]`
	if w := call(app, "GET", "/", "", ""); w.Body.String() != want {
		t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
	}
}

// Events end with a problem if an event cannot be encoded.
func TestEventsThatCannotBeEncoded(t *testing.T) {
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (iter.Seq2[map[string][]time.Time, error], error) {
		return func(yield func(map[string][]time.Time, error) bool) { yield(map[string][]time.Time{"at": {late}}, nil) }, nil
	})
	const want = ":\n\nevent: problem\ndata: {\"type\":\"about:blank\",\"title\":\"Internal Server Error\",\"status\":500}\n\n"
	if w := call(app, "GET", "/", "", ""); w.Body.String() != want {
		t.Errorf("got %d %q, want %q", w.Code, w.Body, want)
	}
}
