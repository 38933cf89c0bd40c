package apidoc_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// BodyLimit also limits a form that a filter has parsed, with and without a Content-Length.
func TestBodyLimitOfParsedForms(t *testing.T) {
	app := routing.New()
	app.Before(func(c routing.Context) error {
		c.Request().FormValue("name") // parses forms of both kinds
		return nil
	})
	type input struct {
		Name string       `form:"name"`
		File *apidoc.File `form:"file"`
	}
	type fields struct {
		Name string `form:"name"`
	}
	api := apidoc.NewAPI(app, info, apidoc.BodyLimit(1000))
	apidoc.Post(api, "/", "", func(context.Context, input) (string, error) { return "", nil }, apidoc.ID("files"))
	apidoc.Post(api, "/fields", "", func(context.Context, fields) (string, error) { return "", nil }, apidoc.ID("fields"))
	send := func(path, contentType, body string, hasLength bool) int {
		var content io.Reader = strings.NewReader(body)
		if !hasLength {
			content = struct{ io.Reader }{content}
		}
		r := httptest.NewRequest("POST", path, content)
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		return w.Code
	}
	for size, want := range map[int]int{500: http.StatusOK, 2000: http.StatusRequestEntityTooLarge} {
		text := strings.Repeat("a", size)
		for _, hasLength := range []bool{true, false} {
			field, bodyOfField := multipartBody(part{"name", "", text})
			file, bodyOfFile := multipartBody(part{"file", "text/plain", text})
			for i, got := range []int{
				send("/fields", "application/x-www-form-urlencoded", "name="+text, hasLength), send("/", field, bodyOfField, hasLength), send("/", file, bodyOfFile, hasLength),
			} {
				if got != want {
					t.Errorf("form %d of %d bytes, length %t: got %d, want %d", i, size, hasLength, got, want)
				}
			}
		}
	}
}
