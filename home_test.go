package flowercafe_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/page"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

func fetch(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func withViewer() flowercafe.Option {
	return flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New()))
}

func TestHome(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("hello")) })
	for _, c := range []struct {
		name         string
		options      []flowercafe.Option
		method, path string
		status       int
		location     string
		has, lacks   string
	}{
		{"off", nil, "GET", "/", 404, "", "", "flowers/"},
		{"root", []flowercafe.Option{flowercafe.WithHome()}, "GET", "/", 200, "", `href="flowers/"`, "api-docs/ui/"},
		{"HEAD", []flowercafe.Option{flowercafe.WithHome()}, "HEAD", "/", 200, "", "", "<"},
		{"POST", []flowercafe.Option{flowercafe.WithHome()}, "POST", "/", 404, "", "", "flowers/"},
		{"other paths", []flowercafe.Option{flowercafe.WithHome()}, "GET", "/none", 404, "", "", "flowers/"},
		{"two slashes", []flowercafe.Option{flowercafe.WithHome()}, "GET", "//", 404, "", "", "flowers/"},
		{"base path", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/", 200, "", "<code>/shop</code>", `"/`},
		{"base path without a slash", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/a/shop")}, "GET", "/a/shop", 302, "shop/", "", ""},
		{"base path with a colon", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/a:b")}, "GET", "/a:b", 302, "./a:b/", "", ""},
		{"outside", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/", 404, "", "", "flowers/"},
		{"viewer", []flowercafe.Option{flowercafe.WithHome(), withViewer()}, "GET", "/", 200, "", "api-docs/ui/", ""},
		{"description without a viewer", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs", 302, "./", "", ""},
		{"the same with a slash", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs/", 302, "../", "", ""},
		{"page without a viewer", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs/ui", 302, "../", "", ""},
		{"the same with a slash", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs/ui/", 302, "../../", "", ""},
		{"description with a viewer", []flowercafe.Option{flowercafe.WithHome(), withViewer()}, "GET", "/api-docs", 302, "api-docs/ui/", "", ""},
		{"viewer alone", []flowercafe.Option{withViewer(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/", 302, "api-docs/ui/", "", ""},
		{"viewer alone, without a slash", []flowercafe.Option{withViewer(), flowercafe.WithBasePath("/a:b")}, "GET", "/a:b", 302, "./a:b/api-docs/ui/", "", ""},
		{"viewer alone at the root", []flowercafe.Option{withViewer()}, "GET", "/", 302, "api-docs/ui/", "", ""},
		{"viewer alone, with a next handler", []flowercafe.Option{withViewer(), flowercafe.WithNext(hello)}, "GET", "/", 200, "", "hello", ""},
		{"neither", []flowercafe.Option{flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs", 404, "", "", ""},
		{"steps of the coffee demo", []flowercafe.Option{flowercafe.WithHome()}, "GET", "/", 200, "", `href="db/load-data"`, ""},
		{"mounts", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithMount("/<b>", hello)}, "GET", "/", 200, "", "/&lt;b&gt;</a>", "<b>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			app, err := flowercafe.New(c.options...)
			if err != nil {
				t.Fatal(err)
			}
			defer app.Close()
			w := fetch(app, c.method, c.path)
			if w.Code != c.status || w.Header().Get("Location") != c.location {
				t.Errorf("got %d and location %q, want %d and %q", w.Code, w.Header().Get("Location"), c.status, c.location)
			}
			if body := w.Body.String(); !strings.Contains(body, c.has) || c.lacks != "" && strings.Contains(body, c.lacks) {
				t.Errorf("got %s, want it with %q and without %q", body, c.has, c.lacks)
			}
		})
	}
}

// The page is an ordinary route: logs have its name, a 405 has its methods, and another route may
// replace it.
func TestHomeIsRoute(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithHome(), flowercafe.WithMethodNotAllowed(), flowercafe.WithBasePath("/shop"))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	r := httptest.NewRequest("GET", "/shop/", nil)
	app.ServeHTTP(httptest.NewRecorder(), r)
	if r.Pattern != "GET /shop/" {
		t.Errorf("the route is %q, want GET /shop/", r.Pattern)
	}
	if w := fetch(app, "POST", "/shop/"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST: got %d and Allow %q, want 405 and GET, HEAD, OPTIONS", w.Code, w.Header().Get("Allow"))
	}
	app.Coffee().Routes().Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("the host's own"), nil })
	if w := fetch(app, "GET", "/shop/"); w.Body.String() != "the host's own" {
		t.Errorf("got %s, want the host's page", w.Body)
	}
}

// Every link of the page works, in this order, below a base path and behind a proxy that removes a
// prefix.
func TestHomeLinks(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithHome(), flowercafe.WithBasePath("/shop"),
		flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())),
		flowercafe.WithMount("/more", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	links := regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(fetch(app, "GET", "/shop/").Body.String(), -1)
	if len(links) < 8 {
		t.Errorf("there are %d links", len(links))
	}
	for _, link := range links {
		if link[1] == "data:," { // no icon
			continue
		}
		if w := fetch(app, "GET", "/shop/"+link[1]); w.Code != 200 {
			t.Errorf("%s: got %d", link[1], w.Code)
		}
	}
}

// The page's policy allows no script and no frame.
func TestHomePolicy(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithHome())
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	policy := fetch(app, "GET", "/").Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "style-src 'sha256-", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q lacks %q", policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		t.Errorf("the policy %q is too wide", policy)
	}
}

// switchable is a Memory whose Ping can be made to fail or hang.
type switchable struct {
	*flowercatalog.Memory
	broken atomic.Bool
	pings  atomic.Int64
	entry  chan struct{} // a Ping waits for it, if it is not nil
}

func (s *switchable) Ping(ctx context.Context) error {
	s.pings.Add(1)
	if s.entry != nil {
		<-s.entry
	}
	if s.broken.Load() {
		return errors.New("dial tcp 10.0.0.1:5432: secret reason")
	}
	return s.Memory.Ping(ctx)
}

func newSwitchable(t *testing.T) *switchable {
	t.Helper()
	memory, err := flowercatalog.NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	return &switchable{Memory: memory}
}

// healthApp returns a shop over a store of flowers, and its log.
func healthApp(t *testing.T, store flowercatalog.Store) (*flowercafe.App, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	app, err := flowercafe.New(flowercafe.WithHealth(), flowercafe.WithBasePath("/shop"),
		flowercafe.WithLogger(slog.New(slog.NewTextHandler(log, nil))), flowercafe.WithCatalog(flowercatalog.WithStore(store)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return app, log
}

// readiness waits for a response of /readyz, which reuses a result for a second.
func readiness(t *testing.T, h http.Handler, status int, text string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		w := ask(h, "GET", "/shop/readyz")
		if w.Code == status && w.Body.String() == text+"\n" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("readyz: got %d %q, want %d %q", w.Code, w.Body, status, text)
		}
	}
}

// panicking is a store whose Ping panics when it is broken.
type panicking struct{ *switchable }

func (s panicking) Ping(context.Context) error {
	if s.broken.Load() {
		panic("no connection")
	}
	return nil
}

// A Ping that panics does not end the process.
func TestReadinessPanics(t *testing.T) {
	synctest.Test(t, testReadinessPanics)
}

func testReadinessPanics(t *testing.T) {
	store := panicking{newSwitchable(t)}
	app, log := healthApp(t, store)
	store.broken.Store(true)
	readiness(t, app, 200, "ready; not responding: catalog")
	if !strings.Contains(log.String(), "no connection") {
		t.Errorf("the log does not have the reason: %s", log)
	}
}

func TestReadiness(t *testing.T) {
	synctest.Test(t, testReadiness)
}

func testReadiness(t *testing.T) {
	store := newSwitchable(t)
	app, log := healthApp(t, store)
	readiness(t, app, 200, "ready")
	store.broken.Store(true)
	readiness(t, app, 200, "ready; not responding: catalog")
	if w := ask(app, "GET", "/shop/healthz"); w.Code != 200 || w.Body.String() != "ok\n" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("healthz: got %d %q %v, want 200 whatever the store does", w.Code, w.Body, w.Header())
	}
	store.broken.Store(false)
	readiness(t, app, 200, "ready")
	if got := strings.Count(log.String(), "\n"); got != 2 || !strings.Contains(log.String(), "secret reason") || !strings.Contains(log.String(), "passes again") {
		t.Errorf("the log says %q, want a line for each change, with the reason", log.String())
	}
	app.Close()
	readiness(t, app, 503, "not ready: closed: catalog, coffee")
}

// An app starts without its stores: New does not wait for them.
func TestStartWithoutStore(t *testing.T) {
	store := newSwitchable(t)
	store.broken.Store(true)
	app, _ := healthApp(t, store)
	if w := ask(app, "GET", "/shop/flowers/rose"); w.Code != 200 && w.Code != 404 {
		t.Errorf("got %d, want the response of the store", w.Code)
	}
	readiness(t, app, 200, "ready; not responding: catalog")
}

// A probe does not wait for a store that does not respond, and pings it once.
func TestReadinessOfSlowStore(t *testing.T) {
	synctest.Test(t, testReadinessOfSlowStore)
}

func testReadinessOfSlowStore(t *testing.T) {
	store := newSwitchable(t)
	app, err := flowercafe.New(flowercafe.WithHealth(), flowercafe.WithBasePath("/shop"), flowercafe.WithCatalog(flowercatalog.WithStore(store)))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	store.entry = make(chan struct{})
	store.pings.Store(0)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if w := ask(app, "GET", "/shop/readyz"); w.Code != 200 || w.Body.String() != "ready; not responding: catalog\n" {
				t.Errorf("got %d %q, want 200 and the catalog", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	if got := store.pings.Load(); got != 1 {
		t.Errorf("the store was asked %d times, want once", got)
	}
	app.Catalog().Close()
	time.Sleep(3 * time.Second)
	readiness(t, app, 200, "ready; not responding: catalog") // until the Ping ends
	close(store.entry)
	readiness(t, app, 503, "not ready: closed: catalog")
}

// During the shutdown, /readyz responds with 503 while the host still serves.
func TestReadinessDuringShutdown(t *testing.T) {
	t.Parallel() // waits for the end
	app, err := flowercafe.New(flowercafe.WithHealth())
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	logger := slog.New(slog.DiscardHandler)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		end()
		<-serving.ShuttingDown(r.Context())
		app.ServeHTTP(w, r)
	})
	ended := make(chan error, 1)
	go func() {
		ended <- serving.Run(ctx, serving.NewServer(handler, logger), listener, logger, serving.WithDrain(0))
	}()
	response, err := http.Get("http://" + listener.Addr().String() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 503 || string(body) != "not ready: shutting down\n" {
		t.Errorf("got %d %q, %v; want 503 and the reason", response.StatusCode, body, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestHealthPaths(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) })
	with := newApp(t, flowercafe.WithHealth(), flowercafe.WithNext(next))
	without := newApp(t, flowercafe.WithNext(next))
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/healthz", 200}, {"HEAD", "/healthz", 200}, {"HEAD", "/readyz", 200},
		{"POST", "/healthz", 418}, {"GET", "/healthz/", 418}, {"GET", "/readyz/x", 418}, {"GET", "/health", 418},
	} {
		if w := ask(with, test.method, test.path); w.Code != test.status {
			t.Errorf("%s %s: got %d, want %d", test.method, test.path, w.Code, test.status)
		}
		if w := ask(without, test.method, test.path); w.Code != 418 {
			t.Errorf("without the option: %s %s: got %d, want the next handler", test.method, test.path, w.Code)
		}
	}
	for _, prefix := range []string{"/healthz", "/readyz"} {
		_, err := flowercafe.New(flowercafe.WithHealth(), flowercafe.WithMount(prefix, next))
		if err == nil || !strings.Contains(err.Error(), "WithHealth or another mount: write another one") {
			t.Errorf("mount at %s: got %v, want an error", prefix, err)
		}
	}
}

// The health paths are ordinary routes: with the option they have 405, Allow and OPTIONS.
func TestHealthPathsMethodNotAllowed(t *testing.T) {
	app := newApp(t, flowercafe.WithHealth(), flowercafe.WithMethodNotAllowed(), flowercafe.WithBasePath("/shop"))
	for _, path := range []string{"/shop/healthz", "/shop/readyz"} {
		for method, status := range map[string]int{"POST": 405, "DELETE": 405, "OPTIONS": 204} {
			if w := ask(app, method, path); w.Code != status || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
				t.Errorf("%s %s: got %d, Allow %q, want %d and the methods", method, path, w.Code, w.Header().Get("Allow"), status)
			}
		}
	}
}

// With the option OPTIONS has Allow, also as a preflight, unless CORS responds to that.
func TestPreflightsAndAllow(t *testing.T) {
	app := newApp(t, flowercafe.WithMethodNotAllowed())
	for path, want := range map[string]string{"/coffees": "GET, HEAD, OPTIONS", "/flowers": "GET, HEAD, OPTIONS", "/api-docs/openapi.json": ""} {
		r := httptest.NewRequest("OPTIONS", path, nil)
		r.Header.Set("Origin", "https://example.com")
		r.Header.Set("Access-Control-Request-Method", "GET")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if allowed := w.Header().Get("Access-Control-Allow-Origin"); w.Code != 204 || w.Header().Get("Allow") != want || (allowed != "") != (want == "") {
			t.Errorf("%s: got %d, Allow %q and Access-Control-Allow-Origin %q, want Allow %q", path, w.Code, w.Header().Get("Allow"), allowed, want)
		}
	}
}

// Each application alone has the home page and the health paths too.
func TestHomeAndHealthAlone(t *testing.T) {
	catalog, err := flowercatalog.New(flowercatalog.WithBasePath("/shop"), flowercatalog.WithHome(), flowercatalog.WithHealth())
	if err != nil {
		t.Fatal(err)
	}
	coffee, err := coffeedemo.New(coffeedemo.WithBasePath("/shop"), coffeedemo.WithHome(), coffeedemo.WithHealth())
	if err != nil {
		t.Fatal(err)
	}
	defer coffee.Close()
	for _, test := range []struct {
		app        http.Handler
		has, lacks string
	}{{catalog, "flowers/", "coffees"}, {coffee, "coffees", "flowers/"}} {
		if w := ask(test.app, "GET", "/shop"); w.Code != 302 || w.Header().Get("Location") != "shop/" {
			t.Errorf("without a slash: got %d to %q", w.Code, w.Header().Get("Location"))
		}
		if body := ask(test.app, "GET", "/shop/").Body.String(); !strings.Contains(body, test.has) || strings.Contains(body, test.lacks) {
			t.Errorf("got the page %s, want links to %s alone", body, test.has)
		}
		for _, path := range []string{"/shop/healthz", "/shop/readyz"} {
			if w := ask(test.app, "GET", path); w.Code != 200 {
				t.Errorf("%s: got %d %s", path, w.Code, w.Body)
			}
		}
	}
	for name, option := range map[string]flowercafe.Option{
		"WithHome in WithCatalog":  flowercafe.WithCatalog(flowercatalog.WithHome()),
		"WithHealth in WithCoffee": flowercafe.WithCoffee(coffeedemo.WithHealth()),
	} {
		if _, err := flowercafe.New(option); err == nil || !strings.Contains(err.Error(), name+": write flowercafe.With") {
			t.Errorf("%s: got %v, want an error", name, err)
		}
	}
}

const pageTemplate = `{{template "head" .Title}}<body>{{.Title}}</html>`

// The policy has the hashes of the page's style and script. Otherwise browsers would not use them.
func TestPagePolicy(t *testing.T) {
	p, err := page.New(pageTemplate, "p > b { color: red } /* \"<&> */", `const a = "x" < 1 && '</' + "y"; // <!-- {{.}}`)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := p.Serve(w, httptest.NewRequest("GET", "/", nil), struct{ Title string }{"<b>"}); err != nil {
		t.Fatal(err)
	}
	policy, body := w.Header().Get("Content-Security-Policy"), w.Body.String()
	for _, element := range []string{"style", "script"} {
		match := regexp.MustCompile(`(?s)<` + element + `>(.*)</` + element + `>`).FindStringSubmatch(body)
		if match == nil {
			t.Fatalf("there is no %s in %s", element, body)
		}
		sum := sha256.Sum256([]byte(match[1]))
		if want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if !strings.Contains(body, "<title>&lt;b&gt;</title>") {
		t.Errorf("the data is not escaped: %s", body)
	}
	if length := w.Header().Get("Content-Length"); length != strconv.Itoa(len(body)) {
		t.Errorf("the length is %s, want %d", length, len(body))
	}
}

// A page without a script allows none, HEAD has no body, and the caller's Cache-Control stays.
func TestPageHeaders(t *testing.T) {
	p, err := page.New(pageTemplate, "", "")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Cache-Control", "no-store")
	if err := p.Serve(w, httptest.NewRequest("HEAD", "/", nil), struct{ Title string }{"a"}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(w.Header().Get("Content-Security-Policy"), "script-src") || w.Body.Len() > 0 || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got %v and %d bytes", w.Header(), w.Body.Len())
	}
}

// If there is an error, nothing is written.
func TestPageErrors(t *testing.T) {
	if _, err := page.New("{{", "", ""); err == nil {
		t.Error("a template that is not one is accepted")
	}
	p, err := page.New("<p>{{.None}}", "", "")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := p.Serve(w, httptest.NewRequest("GET", "/", nil), struct{}{}); err == nil || w.Body.Len() > 0 || len(w.Header()) > 0 {
		t.Errorf("got error %v, %d bytes and %v; want an error and nothing", err, w.Body.Len(), w.Header())
	}
}

// There is no Content-Length, because middleware may encode the page and not change the header.
func TestEncodedPage(t *testing.T) {
	p, err := page.New(pageTemplate, "", "")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Encoding", "gzip")
	if err := p.Serve(w, httptest.NewRequest("GET", "/", nil), struct{ Title string }{"a"}); err != nil {
		t.Fatal(err)
	}
	if length := w.Header().Get("Content-Length"); length != "" {
		t.Errorf("the length is %s, want none", length)
	}
}
