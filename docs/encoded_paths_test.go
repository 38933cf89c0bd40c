package docs_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flowercafe/routing"
)

// This file shows why no option makes %2F a part of a parameter, and %2E of an id. A router can
// match the segments of the path as it was sent, and decode each once: http.ServeMux does. Each
// case is a program that is right as long as nobody sends %2F, made with ServeMux, and what a
// request with %2F does to it. The same program as an app is not affected.

var vault = fstest.MapFS{"public/a.txt": {Data: []byte("open")}, "private/key.txt": {Data: []byte("secret")}}

func read(name string) string {
	content, err := vault.ReadFile(name)
	if err != nil {
		return "no such file"
	}
	return string(content)
}

func send(handler http.Handler, target string) (int, string) {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w.Code, strings.TrimSpace(w.Body.String())
}

// A guard has a part of the paths, the route behind it uses the value as the name of a file. The
// guard sees a segment "private%2Fkey.txt", which is not its segment "private"; the file system
// sees the file that is guarded. It makes no difference whether the route has a wildcard or a
// parameter.
func TestEncodedSlashAvoidsAGuard(t *testing.T) {
	for _, route := range []string{"/files/{name...}", "/files/{name}"} {
		mux := http.NewServeMux()
		mux.Handle("/files/private/", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }))
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(read(r.PathValue("name")))) })
		if code, _ := send(mux, "/files/private/key.txt"); code != 403 {
			t.Fatalf("ServeMux, %s: got %d of the guarded file, want 403", route, code)
		}
		if _, got := send(mux, "/files/private%2Fkey.txt"); got != "secret" {
			t.Errorf("ServeMux, %s: got %q with %%2F: it has become safe, and the documents may say so", route, got)
		}
	}
	app := routing.New(routing.WithFirstMatch())
	app.Before(func(routing.Context) error { return &routing.HaltError{Status: 403} }, routing.On("/files/private/*"))
	app.Get("/files/:name", func(c routing.Context) (routing.Result, error) {
		return routing.Text(read(c.Params().GetOr("name", ""))), nil
	})
	app.Get("/files/*", func(c routing.Context) (routing.Result, error) {
		return routing.Text(read(c.Params().GetOr("splat", ""))), nil
	})
	for _, target := range []string{"/files/private/key.txt", "/files/private%2Fkey.txt", "/files/private%2fkey.txt", "/files%2Fprivate%2Fkey.txt"} {
		if code, body := send(app, target); code != 403 {
			t.Errorf("app, %s: got %d %q, want 403", target, code, body)
		}
	}
	if _, got := send(app, "/files/public%2Fa.txt"); got != "open" {
		t.Errorf("app: got %q of an open file, want its content: a wildcard takes %%2F", got)
	}
}

// So filters would have to match the decoded path as well. But a filter may also allow something:
// then it must not run for the paths of another route.
func TestEncodedSlashIsAllowedByAFilterOfOtherPaths(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) {
		if w.Header().Get("X-Open") == "" {
			w.WriteHeader(403)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/public/{page}", page)
	mux.HandleFunc("/{account}", page)
	allow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/public/") { // the decoded path
			w.Header().Set("X-Open", "yes")
		}
		mux.ServeHTTP(w, r)
	})
	if code, _ := send(allow, "/ann"); code != 403 {
		t.Fatalf("ServeMux: got %d of an account, want 403", code)
	}
	if code, _ := send(allow, "/public%2Fann"); code != 200 {
		t.Errorf("ServeMux: got %d of an account with %%2F: it has become safe, and the documents may say so", code)
	}
	app := routing.New(routing.WithFirstMatch())
	app.Before(func(c routing.Context) error {
		c.Header().Set("X-Open", "yes")
		return nil
	}, routing.On("/public/*"))
	app.Handle("GET", "/public/:page", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("page")) }))
	app.Handle("GET", "/:account", http.HandlerFunc(page))
	if code, body := send(app, "/public%2Fann"); code != 200 || body != "page" {
		t.Errorf("app: got %d %q, want the public page: the route is that of the filter", code, body)
	}
}

// The path as it was sent is lost where anything in front changes the path: then the same request
// runs another route.
func TestEncodedSlashRunsAnotherRoute(t *testing.T) {
	tell := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte(name + " " + r.PathValue("id")))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/books/{id}", tell("show"))
	mux.HandleFunc("/books/{id}/delete", tell("delete"))
	app := routing.New()
	app.Get("/books/:id", routing.Handler(tell("show")))
	app.Get("/books/:id/delete", routing.Handler(tell("delete")))
	behind := func(next http.Handler) http.Handler { // removes a prefix, and knows nothing of RawPath
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = strings.TrimPrefix(r.URL.Path, "/shop")
			next.ServeHTTP(w, r)
		})
	}
	if _, got := send(mux, "/books/7%2Fdelete"); got != "show 7/delete" {
		t.Fatalf("ServeMux: got %q, want one segment", got)
	}
	if _, got := send(behind(mux), "/shop/books/7%2Fdelete"); got != "delete 7" {
		t.Errorf("ServeMux behind a prefix: got %q: it has become safe, and the documents may say so", got)
	}
	_, alone := send(app, "/books/7%2Fdelete")
	if _, got := send(behind(app), "/shop/books/7%2Fdelete"); got != alone || got != "delete 7" {
		t.Errorf("app behind a prefix: got %q, want %q as without", got, alone)
	}
}

// The same holds for %2E: formats are cut from the decoded path. If they were cut from the path as
// it was sent, a guard of a format would have to match that, too, and miss the file.
func TestEncodedDotAvoidsAGuard(t *testing.T) {
	files := fstest.MapFS{"a.key": {Data: []byte("secret")}}
	serve := func(w http.ResponseWriter, r *http.Request) {
		content, _ := files.ReadFile(r.PathValue("name"))
		w.Write(content)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/files/{name}", serve)
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.EscapedPath(), ".key") { // the path as it was sent
			w.WriteHeader(403)
			return
		}
		mux.ServeHTTP(w, r)
	})
	if code, _ := send(guarded, "/files/a.key"); code != 403 {
		t.Fatalf("ServeMux: got %d of the guarded file, want 403", code)
	}
	if _, got := send(guarded, "/files/a%2Ekey"); got != "secret" {
		t.Errorf("ServeMux: got %q with %%2E: it has become safe, and the documents may say so", got)
	}
	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch())
	app.Before(func(routing.Context) error { return &routing.HaltError{Status: 403} }, routing.On("/files/:name.key"))
	app.Get("/files/:name", routing.Handler(http.HandlerFunc(serve)), routing.Where("name", "[^/]+"))
	for _, target := range []string{"/files/a.key", "/files/a%2Ekey", "/files/a%2ekey"} {
		if code, body := send(app, target); code != 403 {
			t.Errorf("app, %s: got %d %q, want 403", target, code, body)
		}
	}
	if code, _ := send(app, "/files/a%2Etxt"); code != 200 {
		t.Errorf("app: got %d of another file, want 200", code)
	}
}
