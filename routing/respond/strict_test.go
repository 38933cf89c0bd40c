package respond_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

func TestStrictPaths(t *testing.T) {
	app := routing.New(routing.WithLooseSlashes())
	app.Use(respond.StrictPaths)
	app.Route("", routing.Pattern{}, func(routing.Context) (routing.Result, error) { return routing.Text("ok"), nil })
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	handlers := map[string]http.Handler{"an app": app, "in front of one": respond.StrictPaths(app), "another": respond.StrictPaths(ok)}
	for target, want := range map[string]int{
		"": 200, "/": 200, "/a/b": 200, "/a/": 200, "/a%20b": 200, "/é": 200, "/100%25": 200, "/...": 200,
		"/a//b": 400, "//": 400, "/a/./b": 400, "/a/../b": 400, "/..": 400, "/a%2Fb": 400, "/a%2fb": 400, "/a%5Cb": 400, "/a;b": 400, "/a%0Ab": 400, "/a%00": 400,
		"/%FF": 400, "/%252e": 400, "/%c0%af": 400,
		"/%61dmin": 400, "/x/%41": 400, "/a%2Db": 400, "/%7euser": 400, "/a%30": 400, "/%21%40": 200, "/%C3%A9": 200,
		`/a"b%2Fc`: 400, "/é%2Fb": 400, `/a"%62`: 400, // with characters that clients should encode
		"/a%C2%85b": 200, // a control character beyond ASCII
	} {
		for name, handler := range handlers {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", "http://host"+target, nil))
			if w.Code != want || want == 400 && w.Body.String() != "Bad Request\n" {
				t.Errorf("%s, %s: got %d %q, want %d", name, target, w.Code, w.Body, want)
			}
		}
	}
}

// Paths that a proxy may read differently are refused.
func ExampleStrictPaths() {
	app := routing.New()
	app.Get("/*", func(routing.Context) (routing.Result, error) { return routing.Text("found"), nil })
	strict := respond.StrictPaths(app)
	for _, path := range []string{"/public/page", "/public/..%2Fadmin"} {
		w := httptest.NewRecorder()
		strict.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code)
	}
	// Output:
	// 200
	// 400
}
