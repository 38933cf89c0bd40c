package routing_test

// This file compares random trees of apps with the reference of tree_reference_test.go.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

var (
	treeKeys    = []string{"x", "y", "p", "q", "m", "w", "format"}
	treeMethods = []string{"DELETE", "GET", "HEAD", "OPTIONS", "POST"}
)

type traceKey struct{}

func noteIn(ctx context.Context, text string) {
	trace := ctx.Value(traceKey{}).(*[]string)
	*trace = append(*trace, text)
}

// action returns the function that does the steps.
func (f treeSteps) action(c routing.Context) (result routing.Result, err error) {
	noteIn(c.Request().Context(), f.id)
	for _, step := range f.steps {
		switch step {
		case "text":
			text := f.id
			for _, key := range treeKeys {
				text += " " + strings.Join(c.Params().Values(key), ",")
			}
			result = routing.Text(text + " " + c.Path("/t"))
		case "set":
			c.Header().Set("X-Set", f.id)
		case "201":
			c.SetStatus(201)
		case "404":
			c.SetStatus(404)
		case "pass":
			return result, routing.Pass
		case "halt":
			return result, &routing.HaltError{Body: routing.Text("halted " + f.id)}
		case "halt403":
			return result, fmt.Errorf("wrapped: %w", &routing.HaltError{Status: 403})
		case "redirect":
			return result, routing.Redirect("/" + f.id)
		case "raise":
			return result, errors.New("boom " + f.id)
		case "panic":
			panic("boom " + f.id)
		}
	}
	return result, nil
}

func (f treeSteps) filter(c routing.Context) error {
	_, err := f.action(c)
	return err
}

type copied struct{}

// around is the middleware of the standard form.
func (m treeMiddleware) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteIn(r.Context(), m.id+">")
		defer noteIn(r.Context(), "<"+m.id)
		switch {
		case m.responds:
			w.WriteHeader(299)
			fmt.Fprint(w, m.id)
			return
		case m.copies:
			r = r.WithContext(context.WithValue(r.Context(), copied{}, true))
		}
		if m.wraps {
			w = wrapped{w}
		}
		next.ServeHTTP(w, r)
	})
}

type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

var treeCondition = routing.When(func(r *http.Request) bool { return r.Header.Get("X-C") == "1" })

// optionsOf returns the options of a route or a group.
func optionsOf(condition bool, use []treeMiddleware) (options []routing.RouteOption) {
	if condition {
		options = append(options, treeCondition)
	}
	for _, m := range use {
		options = append(options, routing.Use(m.around))
	}
	return options
}

// build makes the routing.App. An app that is mounted twice is made once.
func (a *treeApp) build(made map[*treeApp]*routing.App) *routing.App {
	if app := made[a]; app != nil {
		return app
	}
	options := []routing.Option{routing.WithLogger(slog.New(slog.DiscardHandler)), routing.WithBasePath(a.base)}
	if a.tells {
		options = append(options, routing.WithMethodNotAllowed())
	}
	if a.first {
		options = append(options, routing.WithFirstMatch())
	}
	if a.loose {
		options = append(options, routing.WithLooseSlashes())
	}
	if a.trims {
		options = append(options, routing.WithOptionalSlash())
	}
	if a.formats {
		options = append(options, routing.WithSyntax(routing.Rails), routing.WithFormatSuffix())
	}
	if a.next {
		options = append(options, routing.WithNext(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "next ", r.Method, " ", r.URL.Path)
		})))
	}
	app := routing.New(options...)
	made[a] = app
	for _, m := range a.use {
		app.Use(m.around)
	}
	for _, d := range a.defs {
		d.define(app, d.groups, made)
	}
	if a.notFound != nil {
		app.NotFound(a.notFound.action)
	}
	if len(a.pages) > 0 {
		app.ErrorBody(func(c routing.Context, p *routing.Problem) (routing.Result, error) {
			if page := a.pages[p.Status]; page != nil {
				return page.action(c)
			}
			return routing.Result{}, routing.Pass
		})
	}
	if a.onError != nil {
		app.OnError(func(c routing.Context, err error) (routing.Result, error) {
			noteIn(c.Request().Context(), "("+err.Error()+")")
			return a.onError.action(c)
		})
	}
	return app
}

// serve is the handler of a definition.
func (d *treeDef) serve(w http.ResponseWriter, r *http.Request) {
	noteIn(r.Context(), d.id)
	text := "handler " + d.id
	for _, key := range treeKeys {
		text += " " + r.PathValue(key)
	}
	fmt.Fprint(w, text)
}

// definer is an app or a group.
type treeDefiner interface {
	Before(routing.Filter, ...routing.FilterOption)
	After(routing.Filter, ...routing.FilterOption)
	Handle(method, pattern string, h http.Handler, options ...routing.RouteOption) *routing.Route
	Mount(prefix string, h http.Handler, options ...routing.RouteOption) *routing.Route
	Group(prefix string, define func(*routing.Group), options ...routing.RouteOption)
	Get(string, routing.Action, ...routing.RouteOption) *routing.Route
	Head(string, routing.Action, ...routing.RouteOption) *routing.Route
	Post(string, routing.Action, ...routing.RouteOption) *routing.Route
	Delete(string, routing.Action, ...routing.RouteOption) *routing.Route
	Options(string, routing.Action, ...routing.RouteOption) *routing.Route
}

// define defines d within the groups that are left.
func (d *treeDef) define(in treeDefiner, groups []treeGroup, made map[*treeApp]*routing.App) {
	if len(groups) > 0 {
		g := groups[0]
		in.Group(g.prefix, func(inner *routing.Group) { d.define(inner, groups[1:], made) }, optionsOf(g.condition, g.use)...)
		return
	}
	options := optionsOf(d.condition, d.use)
	if d.format != "" {
		options = append(options, routing.Provides(d.format))
	}
	if d.where != "" {
		options = append(options, routing.Where("format", d.where))
	}
	var conditions []routing.FilterOption
	if d.condition {
		conditions = append(conditions, treeCondition)
	}
	if d.isFilter() && d.pattern != "" {
		conditions = append(conditions, routing.On(d.pattern))
	}
	switch d.kind {
	case "before":
		in.Before(d.filter, conditions...)
	case "after":
		in.After(d.filter, conditions...)
	case "mount":
		in.Mount(d.pattern, d.app.build(made), options...)
	case "handler":
		in.Handle(d.method, d.pattern, http.HandlerFunc(d.serve), options...)
	case "files":
		in.Mount(d.pattern, http.HandlerFunc(d.serve), options...)
	default:
		route := map[string]func(string, routing.Action, ...routing.RouteOption) *routing.Route{
			"GET": in.Get, "HEAD": in.Head, "POST": in.Post, "DELETE": in.Delete, "OPTIONS": in.Options,
		}[d.method]
		route(d.pattern, d.action, options...)
	}
}

// randomTree makes trees of apps.
type randomTree struct {
	*rand.Rand
	made int // functions so far, for their names
}

func (r *randomTree) oneOf(list ...string) string { return list[r.IntN(len(list))] }

// one is true once in n times.
func (r *randomTree) one(n int) bool { return r.IntN(n) == 0 }

func (r *randomTree) name(kind string) string {
	r.made++
	return kind + strconv.Itoa(r.made)
}

func (r *randomTree) steps(kind string) treeSteps {
	f := treeSteps{id: r.name(kind)}
	for range 1 + r.IntN(2) {
		f.steps = append(f.steps, r.oneOf("text", "text", "text", "text", "set", "201", "404"))
	}
	if r.one(3) {
		f.steps = append(f.steps, r.oneOf("pass", "pass", "pass", "halt", "halt403", "redirect", "raise", "panic"))
	}
	return f
}

func (r *randomTree) optional(kind string, n int) *treeSteps {
	if !r.one(n) {
		return nil
	}
	f := r.steps(kind)
	return &f
}

func (r *randomTree) middleware(n int) (use []treeMiddleware) {
	for r.one(n) {
		use = append(use, treeMiddleware{id: r.name("m"), responds: r.one(6), copies: r.one(3), wraps: r.one(3)})
	}
	return use
}

// app makes an app. Some definitions mount other apps, nested up to depth.
func (r *randomTree) app(depth int, outer *treeApp, mountable []*treeApp) *treeApp {
	a := &treeApp{base: r.oneOf("", "", "/v"), first: r.one(4), tells: r.one(3), next: r.one(6), use: r.middleware(6)}
	a.notFound, a.onError = r.optional("n", 3), r.optional("e", 3)
	a.loose, a.formats = r.one(4), r.one(4)
	a.trims = !a.loose && r.one(6)
	if outer != nil { // else filters of the outer app would miss paths
		a.loose, a.trims, a.formats = a.loose && outer.loose, a.trims && (outer.trims || outer.loose), a.formats && outer.formats
	}
	for _, status := range []int{400, 403, 404, 405, 406, 500} {
		if page := r.optional("s", 6); page != nil {
			if a.pages == nil {
				a.pages = make(map[int]*treeSteps)
			}
			a.pages[status] = page
		}
	}
	for range 1 + r.IntN(7) {
		d := &treeDef{treeSteps: r.steps("r"), kind: "route", method: r.oneOf("GET", "GET", "GET", "HEAD", "POST", "DELETE", "OPTIONS"), condition: r.one(6)}
		for r.one(4) && len(d.groups) < 2 {
			name := []string{"p", "q"}[len(d.groups)]
			d.groups = append(d.groups, treeGroup{r.oneOf("/g", "/:"+name, ""), r.one(6), r.middleware(6)})
		}
		d.pattern = r.oneOf("/", "/a", "/:x", "/a/:y", "/:x/:y", "/:x/b", "/*", "/a/*", "/g/:x", "/v/a")
		switch r.IntN(9) {
		case 0, 1:
			d.kind, d.method = r.oneOf("before", "after"), ""
			d.pattern = r.oneOf("", "", d.pattern)
		case 2:
			d.kind, d.steps = "handler", nil
		case 3, 4:
			if depth > 0 {
				d.kind, d.method, d.pattern = "mount", "", r.oneOf("/in", "/in", "/:m", "/in/:m", "/:x", "/a")
				d.app = r.app(depth-1, a, nil)
				if len(mountable) > 0 && r.one(2) {
					d.app = mountable[r.IntN(len(mountable))]
				}
				mountable = append(mountable, d.app)
			}
		case 5:
			d.kind, d.method, d.steps, d.pattern = "files", "", nil, r.oneOf("/in", "/:m", "/a", "")
		}
		if !d.isFilter() {
			d.format = r.oneOf("", "", "", "application/json", "text/csv")
			d.use = r.middleware(5)
		}
		d.in = a
		if a.formats { // and the syntax of Rails
			d.pattern = inRails.Replace(d.pattern)
			for i := range d.groups {
				d.groups[i].prefix = inRails.Replace(d.groups[i].prefix)
			}
			if (d.kind == "route" || d.kind == "handler") && d.whole() != "/" && r.one(3) {
				d.where = r.oneOf("json", "[^/]+", "[a-z.]+", `tar\.gz`)
			}
		}
		a.defs = append(a.defs, d)
	}
	return a
}

var inRails = strings.NewReplacer(")?", ")", "/*", "/*w")

func (r *randomTree) target() string {
	if r.one(50) {
		return r.oneOf("http:a/b", "http:http://a/in/a")
	}
	var b strings.Builder
	for range 1 + r.IntN(4) {
		b.WriteString(r.oneOf("/a", "/b", "/in", "/g", "/v", "/x", "/", "/%C3%A9", "/a%2Fb", "/..", "/."))
	}
	path := b.String()
	if strings.HasPrefix(path, "//") {
		path = "/in" + path
	}
	return path + r.oneOf("", "", "", ".json", ".tar.gz", ".a.json") + r.oneOf("", "", "?x=q&y=q")
}

// compare sends a request to both and returns the difference.
func (a *treeApp) compare(app http.Handler, method, target string, condition bool, accept string) error {
	want := treeReference(a, method, target, condition, accept)
	var trace []string
	r := httptest.NewRequestWithContext(context.WithValue(context.Background(), traceKey{}, &trace), method, target, nil)
	if condition {
		r.Header.Set("X-C", "1")
	}
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	h := w.Result().Header
	mediaType, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	got := treeResponse{w.Code, w.Body.String(), h.Get("X-Set"), h.Get("Allow"), h.Get("Location"), mediaType, r.Pattern, strings.Join(trace, " ")}
	if want.mediaType == "" {
		got.mediaType = "" // of a page, or without a body
	}
	if method == "HEAD" || want.body == ownPage && got.body != "" {
		got.body = want.body // net/http sends no body; pages have tests of their own
	}
	if got != want {
		return fmt.Errorf("%s %s, accepting %q, conditions hold: %v\n got %+v\nwant %+v\n%s", method, target, accept, condition, got, want, a.describe(""))
	}
	return nil
}

// describe lists the definitions.
func (a *treeApp) describe(indent string) string {
	text := fmt.Sprintf("%sapp base %q first %v tells %v next %v loose %v trims %v formats %v use %+v notFound %+v onError %+v\n",
		indent, a.base, a.first, a.tells, a.next, a.loose, a.trims, a.formats, a.use, a.notFound, a.onError)
	for status, page := range a.pages {
		text += fmt.Sprintf("%s  page %d %+v\n", indent, status, *page)
	}
	for _, d := range a.defs {
		text += fmt.Sprintf("%s  %s %s %q %+v condition %v format %q use %+v groups %+v\n", indent, d.kind, d.method, d.pattern, d.treeSteps, d.condition, d.format, d.use, d.groups)
		if d.app != nil {
			text += d.app.describe(indent + "    ")
		}
	}
	return text
}

// TestRandomTrees compares random apps with the reference, for a short time or, with
// FLOWERCAFE_LONG=1, for 20 seconds. RANDOM_TREES sets the duration, RANDOM_TREES_SEED the seed.
func TestRandomTrees(t *testing.T) {
	seed := rand.Uint64()
	if given := os.Getenv("RANDOM_TREES_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	duration := time.Duration(runs(1000, 20_000)) * time.Millisecond
	if given := os.Getenv("RANDOM_TREES"); given != "" {
		var err error
		if duration, err = time.ParseDuration(given); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("RANDOM_TREES_SEED=%d", seed)
	r := &randomTree{Rand: rand.New(rand.NewPCG(seed, 0))}
	compared, statuses := 0, map[int]int{}
	for end := time.Now().Add(duration); time.Now().Before(end) || compared == 0; {
		r.made = 0
		a := r.app(2, nil, nil)
		app := a.build(map[*treeApp]*routing.App{})
		for range 40 {
			method, target, condition := r.oneOf(slices.Concat(treeMethods, []string{"GET", "GET", "PUT", "CONNECT"})...), r.target(), r.one(2)
			accept := r.oneOf("", "", "application/json", "text/csv", "image/png")
			switch {
			case target[0] == '/':
				target = a.base + target
			case method == "CONNECT": // whose target would be a host
				continue
			}
			if err := a.compare(app, method, target, condition, accept); err != nil {
				t.Fatal(err)
			}
			statuses[treeReference(a, method, target, condition, accept).status]++
			compared++
		}
	}
	t.Logf("%d responses as the reference's, by status: %v", compared, statuses)
}
