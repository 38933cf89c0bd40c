package routing_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

var userOf = routing.NewKey[string]()

// A value that a filter sets is seen by later filters, actions and handlers, and by outer
// middleware that has the same request.
func TestKeys(t *testing.T) {
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, ok := userOf.From(r.Context())
		fmt.Fprint(w, user, ok)
	})
	inner := routing.New(quiet())
	inner.Get("/get", func(c routing.Context) (routing.Result, error) {
		user, ok := userOf.Get(c)
		return routing.Text(fmt.Sprint(user, ok)), nil
	})
	app := routing.New(quiet(), routing.WithNext(show))
	app.Before(respond.Multipart(1 << 20))
	app.Before(func(c routing.Context) error {
		if name := c.Params().GetOr("user", ""); name != "" {
			userOf.Set(c, "replaced")
			userOf.Set(c, name)
		}
		return nil
	})
	action := func(c routing.Context) (routing.Result, error) {
		user, ok := userOf.Get(c)
		return routing.Text(fmt.Sprint(user, ok)), nil
	}
	app.Get("/get", action)
	app.Post("/get", action)
	app.Handle("GET", "/handle", show)
	app.Handle("GET", "/handle/:x", show)
	app.Get("/passes", func(c routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	app.Get("/middleware/:x", action, routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Middleware", fmt.Sprint(userOf.From(r.Context())))
			next.ServeHTTP(w, r)
		})
	}))
	app.Get("/timeout", action, routing.Use(func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, time.Minute, "")
	}))
	app.Mount("/mounted", inner)
	app.After(func(c routing.Context) error {
		c.Header().Set("X-After", fmt.Sprint(userOf.Get(c)))
		return nil
	})
	outside := make(chan string, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(oddContext{r.Context(), nil})
		app.ServeHTTP(w, r)
		user, ok := userOf.From(r.Context())
		outside <- fmt.Sprint(user, ok)
	})
	address := serve(t, handler)
	body, multipartType := upload("x", 10)
	for _, test := range []struct{ method, path, contentType, body string }{
		{"GET", "/get", "", ""}, {"GET", "/handle", "", ""}, {"GET", "/handle/1", "", ""}, {"GET", "/passes", "", ""},
		{"GET", "/none", "", ""}, {"GET", "/middleware/1", "", ""}, {"GET", "/timeout", "", ""}, {"GET", "/mounted/get", "", ""},
		{"POST", "/get", urlencoded, "a=b"}, {"POST", "/get", multipartType, string(body)},
	} {
		for query, want := range map[string]string{"": "false", "?user=ann": "anntrue", "?user=bob": "bobtrue"} {
			got := fetch(t, test.method, address+test.path+query, test.body, "Content-Type", test.contentType)
			if got.body != want {
				t.Errorf("%s %s%s: got %d %q, want %q", test.method, test.path, query, got.status, got.body, want)
			}
			if got := got.header.Get("X-After"); got != want {
				t.Errorf("%s %s%s: the after filter saw %q, want %q", test.method, test.path, query, got, want)
			}
			if got := <-outside; got != want {
				t.Errorf("%s %s%s: outside saw %q, want %q", test.method, test.path, query, got, want)
			}
		}
	}
}

// oddContext cannot be compared.
type oddContext struct {
	context.Context
	_ []int
}

// A request that middleware serves twice, as caches and retries do, has no more nested contexts
// than a request that is served once.
func TestKeysDoNotNestContexts(t *testing.T) {
	other := routing.NewKey[int]()
	app := routing.New(quiet())
	app.Before(func(c routing.Context) error {
		userOf.Set(c, c.Request().URL.Path)
		other.Set(c, len(c.Request().URL.Path))
		return nil
	})
	app.Get("/*", func(c routing.Context) (routing.Result, error) {
		user, _ := userOf.Get(c)
		n, _ := other.Get(c)
		return routing.Text(fmt.Sprint(user, n)), nil
	})
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	once := 0
	for i := range 100 {
		r.URL.Path = fmt.Sprint("/", i)
		if got, want := send(app, r).Body.String(), fmt.Sprint(r.URL.Path, len(r.URL.Path)); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		depth := 0
		for v := reflect.ValueOf(r.Context()); v.IsValid() && v.Kind() == reflect.Pointer; depth++ {
			v = v.Elem().FieldByName("Context").Elem()
		}
		if once == 0 {
			once = depth
		}
		if depth != once {
			t.Fatalf("the request is in %d contexts after %d times, and in %d after the first", depth, i+1, once)
		}
	}
}

func TestKeysAreDistinct(t *testing.T) {
	one, other, nothing := routing.NewKey[any](), routing.NewKey[any](), routing.NewKey[error]()
	app := routing.New(quiet())
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		one.Set(c, 1)
		nothing.Set(c, nil)
		_, ok := other.Get(c)
		_, set := nothing.Get(c)
		return routing.Text(fmt.Sprint(ok, set)), nil
	})
	if got := get(app, "/").Body.String(); got != "false true" {
		t.Errorf("got %s, want another key without a value, and a nil value", got)
	}
	var zero routing.Context
	one.Set(zero, 1)
	if _, ok := one.Get(zero); ok {
		t.Error("the zero Context has a value")
	}
}

// Setting a value does not affect trailers or timeouts over HTTP/1.1 and HTTP/2. Run it with the
// race detector.
func TestKeysWithTrailersAndTimeouts(t *testing.T) {
	app := routing.New(quiet())
	app.Before(func(c routing.Context) error { userOf.Set(c, c.Params().GetOr("user", "")); return nil })
	app.Post("/trailer", func(c routing.Context) (routing.Result, error) {
		body, err := io.ReadAll(c.Request().Body)
		user, _ := userOf.Get(c)
		return routing.Text(user + " " + string(body) + " " + c.Request().Trailer.Get("X-T") + " " + c.Request().Pattern), err
	})
	timedOut := make(chan struct{})
	app.Get("/slow", func(c routing.Context) (routing.Result, error) {
		<-timedOut
		userOf.Set(c, "late")
		return routing.Result{}, nil
	})
	handler := http.NewServeMux()
	handler.Handle("/", app)
	handler.Handle("/slow", http.TimeoutHandler(app, time.Millisecond, "too slow"))
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	for _, protocol := range []string{"http/1.1", "h2"} {
		transport := &http.Transport{
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}},
			ForceAttemptHTTP2: protocol == "h2",
		}
		client := &http.Client{Transport: transport}
		for range 20 {
			r, _ := http.NewRequestWithContext(context.Background(), "POST", server.URL+"/trailer?user=ann", io.MultiReader(strings.NewReader("body")))
			r.Trailer = http.Header{"X-T": {"trailer"}}
			response, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if want := "ann body trailer POST /trailer"; string(body) != want {
				t.Fatalf("%s: got %q, want %q", response.Proto, body, want)
			}
			response, err = client.Get(server.URL + "/slow?user=bob")
			if err != nil {
				t.Fatal(err)
			}
			body, _ = io.ReadAll(response.Body)
			response.Body.Close()
			if string(body) != "too slow" {
				t.Fatalf("%s: got %q, want the timeout's text", response.Proto, body)
			}
			timedOut <- struct{}{}
		}
		transport.CloseIdleConnections()
	}
}

// Middleware around the app sees the values of keys after the response, even if the app or the
// route has middleware of its own. The context of that middleware stays inside.
func TestKeysReachMiddlewareAroundTheApp(t *testing.T) {
	user, role := routing.NewKey[string](), routing.NewKey[string]()
	limited := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
	for name, middleware := range map[string]func(http.Handler) http.Handler{"": nil, "plain": identity, "copying": limited} {
		app, inner := routing.New(quiet(), routing.WithMethodOverride()), routing.New(quiet())
		var options []routing.RouteOption
		if middleware != nil {
			app.Use(middleware)
			inner.Use(middleware)
			options = []routing.RouteOption{routing.Use(middleware)}
		}
		set := func(c routing.Context) (routing.Result, error) { user.Set(c, "Ann"); return routing.Text("x"), nil }
		app.Before(func(c routing.Context) error { role.Set(c, "guest"); role.Set(c, "admin"); return nil })
		app.Get("/plain", set)
		app.Post("/plain", set)
		app.Get("/used", set, options...)
		inner.Get("/a", set)
		app.Mount("/inner", inner)
		for _, r := range []*http.Request{
			httptest.NewRequest("GET", "/plain", nil), form("/plain", "a=b"), httptest.NewRequest("GET", "/used", nil), httptest.NewRequest("GET", "/inner/a", nil),
		} {
			send(app, r)
			u, _ := user.From(r.Context())
			a, _ := role.From(r.Context())
			if u+" "+a != "Ann admin" {
				t.Errorf("%q, %s %s: got %s %s, want Ann admin", name, r.Method, r.URL, u, a)
			}
			if r.Context().Err() != nil {
				t.Errorf("%q, %s %s: the context of the middleware has ended: %v", name, r.Method, r.URL, r.Context().Err())
			}
		}
	}
}

// The context of a copy has the values of the context given, then those of the request's. A key set
// in the copy is also set in the request.
func TestWithContextHasBothValues(t *testing.T) {
	type name string
	app := routing.New(quiet())
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		middle, endMiddle := c.WithContext(context.WithValue(context.Background(), name("given"), "middle"))
		inner, end := middle.WithContext(context.WithValue(context.Background(), name("given"), "inner"))
		defer endMiddle()
		defer end()
		userOf.Set(inner, "ann")
		values := []any{inner.Request().Context().Value(name("given")), middle.Request().Context().Value(name("given")), inner.Request().Context().Value(name("sent"))}
		for _, c := range []routing.Context{inner, middle, c} {
			user, _ := userOf.Get(c)
			values = append(values, user)
		}
		return routing.Text(fmt.Sprint(values)), nil
	})
	ctx := context.WithValue(context.WithValue(t.Context(), name("given"), "request"), name("sent"), "request")
	w := send(app, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	if want := "[inner middle request ann ann ann]"; w.Body.String() != want {
		t.Errorf("got %s, want %s", w.Body, want)
	}
}
