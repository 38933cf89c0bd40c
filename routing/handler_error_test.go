package routing_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/routing"
)

// lateHandler is a handler like the ones of package apidoc. It fails before its first byte.
type lateHandler struct{ err error }

func (lateHandler) ServeHTTP(http.ResponseWriter, *http.Request)           {}
func (h lateHandler) ServeResult(http.ResponseWriter, *http.Request) error { return h.err }

// An error before the first byte goes to the error handler. If the error handler's result fails
// too, the response is a plain 500.
func TestErrorsOfHandlersThatHaveSentNothing(t *testing.T) {
	for name, test := range map[string]struct {
		err, handled error
		want         string
	}{
		"an error":        {errors.New("broken"), nil, "500 mine"},
		"a halt":          {&routing.HaltError{Status: 409, Body: routing.Text("halted")}, nil, "409 halted"},
		"a late response": {errors.New("broken"), errors.New("broken"), "500 Internal Server Error"},
	} {
		app := routing.New(quiet())
		late := func(c routing.Context, err error) (routing.Result, error) {
			return routing.Handler(lateHandler{err})(c)
		}
		app.OnError(func(c routing.Context, err error) (routing.Result, error) {
			if test.handled != nil {
				return late(c, test.handled)
			}
			return routing.Text("mine"), nil
		})
		app.Get("/", func(c routing.Context) (routing.Result, error) { return late(c, test.err) })
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if fmt.Sprint(w.Code, " ", w.Body) != test.want {
			t.Errorf("%s: got %d %q, want %s", name, w.Code, w.Body, test.want)
		}
	}
}
