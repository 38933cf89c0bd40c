package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"example.com/flowercafe/routing"
)

// A parameter of the pattern has the value of the path or none, whatever path values the request
// has: those of a mux around, or of the first route if middleware serves the request again.
func TestPathValuesOfServedAgain(t *testing.T) {
	define := func(app *routing.App) {
		show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%q ", r.PathValue("page"))
		})
		app.Handle("GET", "/list(/:page)?", show)
		app.Handle("GET", "/part-(:page)?", show)
		app.Route("GET", routing.WholeRegexp(regexp.MustCompile(`/(?P<page>\d+)?x`)), routing.Handler(show))
	}
	app, mounted := routing.New(), routing.New()
	define(app)
	define(mounted)
	app.Mount("/app", mounted)
	noPage := routing.When(func(r *http.Request) bool { return r.PathValue("page") == "" })
	app.Get("/when(/:page)?", text(`"" `), noPage)
	app.Handle("GET", "/use(/:page)?", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q ", r.PathValue("page"))
	}), routing.PathValues())
	again := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		app.ServeHTTP(w, r)
		r.URL.Path = r.URL.RawQuery
		app.ServeHTTP(w, r)
	})
	mux := http.NewServeMux()
	mux.Handle("/list/{page}", again)
	mux.Handle("/app/list/{page}", again)
	for _, handler := range []http.Handler{again, mux} {
		for _, first := range []string{"/list/3", "/app/list/3"} {
			for _, second := range []string{"/list", "/part-", "/x", "/app/list", "/when", "/use"} {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest("GET", first+"?"+second, nil))
				if got := w.Body.String(); got != `"3" "" ` {
					t.Errorf("%s and then %s: got %s", first, second, got)
				}
			}
		}
	}
}
