package apidoc_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests what the next route reads after an operation has passed.

func TestBodyAfterAPass(t *testing.T) {
	type form struct {
		Title string `form:"title"`
	}
	type stream struct {
		Body io.Reader `body:"text/plain,application/x-www-form-urlencoded,multipart/form-data"`
	}
	const urlencoded = "application/x-www-form-urlencoded"
	contentType, multipart := multipartBody(part{"title", "", "Oak"})
	for _, c := range []struct{ name, contentType, body, want string }{
		{"urlencoded", urlencoded, "title=Oak", "title=Oak"},
		{"multipart", contentType, multipart, "415"}, // it was read, and its files are on disk
	} {
		app, api := newTyped()
		app.Post("/raw", func(c routing.Context) (routing.Result, error) {
			body, err := io.ReadAll(c.Request().Body)
			return routing.Text(string(body)), err
		})
		app.Post("/params", func(c routing.Context) (routing.Result, error) {
			return routing.Text(c.Params().GetOr("title", "none")), nil
		})
		app.Post("/value", func(c routing.Context) (routing.Result, error) {
			return routing.Text(c.Request().FormValue("title")), nil
		})
		apidoc.Post(api, "/typed", "", func(_ context.Context, in form) (string, error) { return in.Title, nil }, apidoc.ID("typed"))
		apidoc.Post(api, "/bytes", "", func(_ context.Context, in []byte) ([]byte, error) { return in, nil }, apidoc.ID("bytes"))
		apidoc.Post(api, "/stream", "", func(_ context.Context, in stream) (string, error) {
			body, err := io.ReadAll(in.Body)
			return string(body), err
		}, apidoc.ID("stream"))
		for _, path := range []string{"/raw", "/params", "/value", "/typed", "/bytes", "/stream"} {
			apidoc.Post(api, path, "", func(context.Context, form) (none struct{}, _ error) { return none, routing.Pass }, apidoc.Hidden(), apidoc.ID("pass"+path[1:]))
		}
		for path, want := range map[string]string{"/raw": c.want, "/params": "Oak", "/value": "Oak", "/typed": "Oak", "/bytes": c.want, "/stream": c.want} {
			w := call(app, "POST", path, c.contentType, c.body)
			if got := fmt.Sprint(w.Code, " ", w.Body); !strings.Contains(got, want) {
				t.Errorf("%s, %s: got %q, want %q", c.name, path, got, want)
			}
		}
	}
}
