package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"

	"example.com/flowercafe/routing"
)

// Any of gin lacks QUERY: an app below it needs a second line.
func TestQuery(t *testing.T) {
	app := routing.New(routing.WithBasePath("/x"))
	app.Query("/orders", func(routing.Context) (routing.Result, error) { return routing.Text("found"), nil })
	gin.SetMode(gin.ReleaseMode)
	outer := gin.New()
	outer.Any("/x/*p", gin.WrapH(app))
	want := map[bool]int{false: http.StatusNotFound, true: http.StatusOK}
	define := func() { outer.Handle("QUERY", "/x/*p", gin.WrapH(app)) }
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
