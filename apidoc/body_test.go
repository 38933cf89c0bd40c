package apidoc_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests bodies with several media types.

func TestBodiesOfSeveralTypes(t *testing.T) {
	app, api := newTyped()
	type change struct {
		Name string `json:"name,omitempty" maxLength:"3"`
	}
	type output struct {
		Type   string `header:"Content-Type"`
		Change change `body:"application/json,application/vnd.change+json"`
	}
	apidoc.Patch(api, "/", "", func(_ context.Context, in struct {
		Change change `body:"application/merge-patch+json, application/json"`
	}) (output, error) {
		return output{"application/vnd.change+json", in.Change}, nil
	}, apidoc.ID("change"))
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		Body io.Reader `body:"application/json"`
	}) (string, error) {
		text, err := io.ReadAll(in.Body)
		return string(text), err
	}, apidoc.ID("stream"))
	apidoc.Put(api, "/raw", "", func(_ context.Context, in struct {
		Text string `body:"application/json,text/csv"`
	}) (string, error) {
		return in.Text, nil
	}, apidoc.ID("raw"))
	for _, c := range []struct {
		method, path, media, body, want string
	}{
		{"PATCH", "/", "application/merge-patch+json", `{"name":"a"}`, `200 {"name":"a"}`},
		{"PATCH", "/", "application/json; charset=utf-8", `{"name":"a"}`, `200 {"name":"a"}`},
		{"PATCH", "/", "application/json; charset=utf-8; q", `{"name":"a"}`, "415 "},
		{"PATCH", "/", "application/json", `{"name":"long"}`, "422 "},
		{"PATCH", "/", "text/csv", `{}`, "415 "},
		{"PATCH", "/", "application/json", "", "422 "},
		{"POST", "/", "application/json", `{ "a":`, `200 { "a":`},
		{"POST", "/", "text/csv", "a,b", "415 "},
		{"PUT", "/raw", "application/json", `{ "a":1 }`, `200 { "a":1 }`},
		{"PUT", "/raw", "text/csv", "a,b", "200 a,b"},
	} {
		w := call(app, c.method, c.path, c.media, c.body)
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s %s %s: got %s, want %s", c.method, c.path, c.media, c.body, got, c.want)
		}
	}
	d := build(t, app, "")
	for _, text := range [][]byte{d.OpenAPI30(), d.OpenAPI(), d.OpenAPI32()} {
		op := decode(t, text).at("paths", "/", "patch")
		for _, place := range []string{"requestBody application/merge-patch+json", "requestBody application/json",
			"responses/200 application/json", "responses/200 application/vnd.change+json"} {
			where, media, _ := strings.Cut(place, " ")
			way := append(strings.Split(where, "/"), "content", media, "schema")
			if got := op.at(way...)["$ref"]; fmt.Sprint(got) != "#/components/schemas/change" {
				t.Errorf("%s is described as %v", place, got)
			}
		}
	}
	swagger := decode(t, d.Swagger()).at("paths", "/", "patch")
	if got := fmt.Sprint(swagger["consumes"], swagger["produces"]); !strings.Contains(got, "[application/merge-patch+json application/json]") ||
		!strings.Contains(got, "application/vnd.change+json") {
		t.Errorf("Swagger 2.0 has %s", got)
	}
	for got, want := range map[string]string{
		refusal[struct {
			A change `body:"application/json,text/csv"`
		}, struct{}]("PUT"): "a body of text/csv is read into a []byte, a string or an io.Reader, not into apidoc_test.change",
		refusal[struct{}, struct {
			A change `body:"text/csv,application/json"`
		}]("PUT"): "a body of text/csv is a string, a []byte, an io.Reader or a func(io.Writer) error, not apidoc_test.change",
		refusal[struct {
			A []byte `body:"application/json,application/geo+json"`
		}, struct{}]("PUT"): "a []byte would be read from base64 text in JSON: write a json.RawMessage",
		refusal[struct{}, struct {
			A []byte `body:"application/json"`
		}]("PUT"): "a []byte would be sent as base64 text in JSON: write a json.RawMessage",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// If a filter has read the body, the response is a 500, not a 422 for a missing body.
func TestBodyReadByMiddleware(t *testing.T) {
	var logs strings.Builder
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logs, nil))))
	app.Before(func(c routing.Context) error {
		_, err := io.ReadAll(c.Request().Body)
		return err
	})
	api := apidoc.NewAPI(app, info)
	apidoc.Post(api, "/json", "", plantTree)
	apidoc.Post(api, "/optional", "", func(_ context.Context, in struct {
		Tree *Plum `body:""`
	}) (bool, error) {
		return in.Tree != nil, nil
	}, apidoc.ID("optional"))
	apidoc.Post(api, "/form", "", func(_ context.Context, in struct {
		Name string `form:"name"`
	}) (string, error) {
		return in.Name, nil
	}, apidoc.ID("form"))
	apidoc.Post(api, "/lines", "", func(_ context.Context, in struct {
		Lines iter.Seq2[Plum, error] `body:"application/jsonl"`
	}) (int, error) {
		for _, err := range in.Lines {
			return 0, err
		}
		return 0, nil
	}, apidoc.ID("lines"))
	apidoc.Post(api, "/stream", "", func(_ context.Context, in struct {
		Text io.Reader `body:"text/csv"`
	}) (string, error) {
		text, err := io.ReadAll(in.Text)
		return string(text), err
	}, apidoc.ID("stream"))
	for _, c := range []struct{ path, media, body string }{
		{"/json", "application/json", `{"name":"Oak"}`},
		{"/optional", "application/json", `{"name":"Oak"}`},
		{"/form", "application/x-www-form-urlencoded", "name=Oak"},
		{"/form", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nOak\r\n--b--\r\n"},
		{"/lines", "application/jsonl", `{"name":"Oak"}`},
		{"/stream", "text/csv", "oak"},
	} {
		logs.Reset()
		if w := call(app, "POST", c.path, c.media, c.body); w.Code != 500 || !strings.Contains(logs.String(), "the body was read before") {
			t.Errorf("%s of %s: got %d %s; logged %s", c.path, c.media, w.Code, w.Body, logs.String())
		}
	}
	for _, path := range []string{"/lines", "/stream"} {
		if w := call(app, "POST", path, "", ""); w.Code != 200 {
			t.Errorf("%s without a body: got %d %s", path, w.Code, w.Body)
		}
	}
}

// A body that an operation has read is read again by the next route after a pass, and when
// middleware runs the operation again.
func TestBodyIsReadAgainAfterPass(t *testing.T) {
	type text struct {
		Text string `body:"text/plain"`
	}
	type raw struct {
		Bytes []byte `body:"text/plain"`
	}
	busy, tries := apidoc.NewProblem(503, "Busy"), 0
	twice := apidoc.RouteOptions(routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			next.ServeHTTP(w, r)
		})
	}))
	app, api := newTyped()
	apidoc.Post(api, "/typed", "", func(_ context.Context, in Plum) (string, error) { return in.Name, nil }, apidoc.ID("last"))
	app.Post("/hand", func(c routing.Context) (routing.Result, error) {
		content, err := io.ReadAll(c.Request().Body)
		return routing.Text(string(content)), err
	})
	app.Post("/params", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("", "none")), nil
	})
	app.Post("/raw", func(c routing.Context) (routing.Result, error) {
		content, err := io.ReadAll(c.Request().Body)
		return routing.Text(string(content)), err
	})
	for _, path := range []string{"/typed", "/hand", "/params"} {
		for i := range 2 {
			apidoc.Post(api, path, "", func(context.Context, Plum) (string, error) { return "", routing.Pass }, apidoc.ID(path[1:]+strconv.Itoa(i)))
		}
	}
	apidoc.Post(api, "/raw", "", func(context.Context, text) (string, error) { return "", routing.Pass }, apidoc.ID("raw"))
	apidoc.Post(api, "/raw", "", func(_ context.Context, in raw) (string, error) {
		clear(in.Bytes) // the operation may change its bytes
		return "", routing.Pass
	}, apidoc.ID("bytes"))
	apidoc.Post(api, "/twice", "", func(_ context.Context, in Plum) (string, error) {
		if tries++; tries == 1 {
			return "", busy
		}
		return in.Name, nil
	}, twice, busy, apidoc.ID("twice"))
	apidoc.Post(api, "/success", "", func(_ context.Context, in Plum) (string, error) { return in.Name, nil }, twice, apidoc.ID("success"))
	const oak = `{"name":"Oak"}`
	server := httptest.NewServer(app)
	defer server.Close()
	for _, c := range []struct{ path, media, want string }{
		{"/typed", "application/json", "Oak"},
		{"/hand", "application/json", oak},
		{"/params", "application/json", oak},
		{"/raw", "text/plain", oak},
		{"/twice", "application/json", "Oak"},
		{"/success", "application/json", "Oak"},
	} {
		tries = 0
		response, err := http.Post(server.URL+c.path, c.media, strings.NewReader(oak))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != 200 || string(got) != c.want {
			t.Errorf("%s: got %d %s %v, want %s", c.path, response.StatusCode, got, err, c.want)
		}
	}
}
