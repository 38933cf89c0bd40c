package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// Mounts with parameters, nested in each other, take time linear in their number. If each app cut
// the path from its beginning, the requests would take more than a minute.
func TestNestedMountsAreLinear(t *testing.T) {
	const depth = 2000
	app := routing.New(quiet())
	app.Get("/x", func(c routing.Context) (routing.Result, error) {
		first, _ := c.Params().Path("p0")
		last, _ := c.Params().Path(fmt.Sprint("p", depth-1))
		return routing.Text(first + " " + last + " " + c.Path("/")), nil
	})
	path := ""
	for i := depth - 1; i >= 0; i-- {
		outer := routing.New(quiet())
		outer.Mount(fmt.Sprint("/:p", i), app)
		app = outer
		path = fmt.Sprint("/", i, path)
	}
	want := fmt.Sprint("0 ", depth-1, " ", path, "/")
	begin := time.Now()
	for range 100 {
		if got := get(app, path+"/x").Body.String(); got != want {
			t.Fatalf("got %.100q", got)
		}
		if time.Since(begin) > 30*time.Second {
			t.Fatal("not served within 30 seconds")
		}
	}
}

// A mounted app does not use the path that the outer app has cut if middleware has changed the URL.
func TestNestedMountsBehindMiddleware(t *testing.T) {
	deep, inner, app := routing.New(quiet()), routing.New(quiet(), routing.WithLooseSlashes()), routing.New(quiet(), routing.WithLooseSlashes())
	deep.Get("/:id", values)
	inner.Mount("/:b", deep)
	inner.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r = r.Clone(r.Context())
			r.URL.Path = "/x/y/7"
			next.ServeHTTP(w, r)
		})
	})
	app.Mount("/:a", inner)
	for path, want := range map[string]string{"/x/y/7": "a=x b=y id=7", "/p/q/1": "a=x b=y id=7", "/x//y//7/": "a=x b=y id=7"} {
		if got := strings.Join(strings.Fields(get(app, path).Body.String()), " "); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if w := send(app, httptest.NewRequest("GET", "/p", nil)); w.Code != 200 {
		t.Errorf("got %d", w.Code)
	}
}
