package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"

	"example.com/flowercafe/routing"
)

// Any of echo lacks QUERY: an app below it needs a second line.
func TestQuery(t *testing.T) {
	app := routing.New(routing.WithBasePath("/x"))
	app.Query("/orders", func(routing.Context) (routing.Result, error) { return routing.Text("found"), nil })
	outer := echo.New()
	outer.Any("/x/*", echo.WrapHandler(app))
	want := map[bool]int{false: http.StatusMethodNotAllowed, true: http.StatusOK}
	define := func() { outer.Add("QUERY", "/x/*", echo.WrapHandler(app)) }
	for _, isDefined := range []bool{false, true} {
		if isDefined {
			define()
		}
		w := httptest.NewRecorder()
		outer.ServeHTTP(w, httptest.NewRequest("QUERY", "/x/orders", nil))
		if w.Code != want[isDefined] {
			t.Errorf("with a line for QUERY %t: got %d %s, want %d", isDefined, w.Code, w.Body, want[isDefined])
		}
	}
}
