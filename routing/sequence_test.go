package routing_test

// The engine uses the state of a request again for later ones. So whatever an app has answered before, each answer must be the one
// that a fresh app gives to the same request: random sequences of requests, most of them hostile, are sent to one app, and each
// alone to an app of its own.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// observation is all that can be seen of the answer to one request.
type observation struct {
	mu      sync.Mutex // what a middleware has left running may still log
	status  int
	header  http.Header
	body    string
	pattern string   // the name of the route
	ended   string   // how the handler ended, if not by returning
	notes   []string // the reason phrases that were sent, and what was logged
	over    chan struct{}
}

type observationKey struct{}

// note is for what belongs to the request of ctx; what belongs to none, as the misuse of a Context, is not noted.
func note(ctx context.Context, text string) {
	if o, ok := ctx.Value(observationKey{}).(*observation); ok {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.notes = append(o.notes, text)
	}
}

// SendReason makes an observation a routing.ReasonSender.
func (o *observation) SendReason(_ context.Context, status int, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, fmt.Sprint("reason ", status, " ", reason))
}

func (o *observation) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return fmt.Sprintf("%d %q\npattern %q, ended %q\nheader %q\nnotes %q", o.status, o.body, o.pattern, o.ended, o.header, o.notes)
}

// noting is a log handler that notes errors at their requests, without the stacks, which differ.
type noting struct{ slog.Handler }

func (noting) Enabled(context.Context, slog.Level) bool { return true }

func (noting) Handle(ctx context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" || a.Key == "route" {
			note(ctx, a.String())
		}
		return true
	})
	return nil
}

// script is one request and, by site, what the functions of the app do when they get it.
type script struct {
	method, target, contentType, body, override string

	does map[string]string // by site, names of deeds separated by spaces
}

func (s script) String() string {
	return fmt.Sprintf("%s %s %q %q %q %v", s.method, s.target, s.contentType, s.body, s.override, s.does)
}

// sendTo sends the request in a goroutine of its own, since it may end that.
func (s script) sendTo(handler http.Handler, k *keeper) *observation {
	o := &observation{over: make(chan struct{})}
	ctx := routing.WithReasonSender(context.WithValue(context.Background(), observationKey{}, o), o)
	r := httptest.NewRequestWithContext(ctx, s.method, s.target, strings.NewReader(s.body))
	if s.body == "" {
		r.Body = http.NoBody
	}
	if s.contentType != "" {
		r.Header.Set("Content-Type", s.contentType)
	}
	if s.override != "" {
		r.Header.Set("X-HTTP-Method-Override", s.override)
	}
	for site, does := range s.does {
		r.Header.Set("X-"+site, does)
	}
	w := httptest.NewRecorder()
	ended := "runtime.Goexit"
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				ended = fmt.Sprint("panic: ", v)
			}
		}()
		handler.ServeHTTP(w, r)
		ended = ""
	}()
	<-done
	close(o.over)
	defer k.overNow(o) // from then on other goroutines misuse its Contexts
	o.mu.Lock()
	defer o.mu.Unlock()
	o.status, o.header, o.body, o.pattern, o.ended = w.Code, w.Result().Header, w.Body.String(), r.Pattern, ended
	return o
}

// keeper holds Contexts that actions have kept, and misuses them as soon as their requests are over. It is safe for concurrent use.
type keeper struct {
	mu   sync.Mutex
	kept []keptContext
}

type keptContext struct {
	c    routing.Context
	o    *observation
	id   string
	over bool
}

func (k *keeper) keep(c routing.Context) {
	o, _ := c.Request().Context().Value(observationKey{}).(*observation)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) == 20 {
		k.kept = append(k.kept[:0], k.kept[10:]...)
	}
	k.kept = append(k.kept, keptContext{c: c, o: o, id: c.Params().Or("id", "")})
}

func (k *keeper) overNow(o *observation) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.kept {
		k.kept[i].over = k.kept[i].over || k.kept[i].o == o
	}
}

// misuse does with all Contexts whose requests are over what must not reach another request.
func (k *keeper) misuse() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, kept := range k.kept {
		if !kept.over {
			continue
		}
		c := kept.c
		c.SetStatus(599)
		c.Header().Set("X-Kept", "leaked")
		c.SetContentType("leaked/type")
		routing.Text("leaked")
		routing.HTML("leaked")
		routing.Bytes("leaked/bytes", []byte("leaked"))
		if id := c.Params().Or("id", kept.id); id != kept.id {
			panic(fmt.Sprintf("a Context of %s %v that was kept has id %q, want %q", c.Request().URL, c.Request().Header, id, kept.id))
		}
	}
}

// deeds are what an action can do, or any other function of an app's that has a Context.
var deeds = map[string]func(routing.Context, *keeper) (routing.Result, error){
	"text": func(c routing.Context, k *keeper) (routing.Result, error) {
		result := routing.Text("text of " + c.Request().URL.Path)
		return result, nil
	},
	"html":      result(func(c routing.Context) routing.Result { return routing.HTML("<b>") }),
	"bytes":     result(func(c routing.Context) routing.Result { return routing.Bytes("image/png", []byte("PNG")) }),
	"css":       result(func(c routing.Context) routing.Result { return routing.Bytes("text/css", []byte("a{}")) }),
	"empty":     result(func(c routing.Context) routing.Result { return routing.Bytes("", nil) }),
	"badtype":   result(func(c routing.Context) routing.Result { return routing.Bytes("a\nb", []byte("bad")) }),
	"big":       result(func(c routing.Context) routing.Result { return routing.Text(strings.Repeat("big", 1000)) }),
	"second":    result(func(c routing.Context) routing.Result { routing.Text("the first"); return routing.HTML("the second") }),
	"own":       result(func(c routing.Context) routing.Result { return routing.Text("own") }),
	"nothing":   result(func(c routing.Context) routing.Result { return routing.Result{} }),
	"params":    result(func(c routing.Context) routing.Result { return routing.Text(paramsOf(c)) }),
	"201":       setting(func(c routing.Context) { c.SetStatus(201) }),
	"403":       setting(func(c routing.Context) { c.SetStatus(403) }), // the status of a halt with a reason
	"204":       setting(func(c routing.Context) { c.SetStatus(204) }),
	"304":       setting(func(c routing.Context) { c.SetStatus(304) }),
	"99":        setting(func(c routing.Context) { c.SetStatus(99) }),
	"1000":      setting(func(c routing.Context) { c.SetStatus(1000) }),
	"header":    setting(func(c routing.Context) { c.Header().Add("X-Set", "1") }),
	"badheader": setting(func(c routing.Context) { c.Header().Set("X-Bad", "a\nb") }),
	"type":      setting(func(c routing.Context) { c.SetContentType("text/x-set") }),
	"read":      setting(func(c routing.Context) { c.Params().Err() }),
	"tell":      setting(func(c routing.Context) { c.Header().Add("X-Tell", fmt.Sprint(c.Status(), paramsOf(c))) }),
	"keep": func(c routing.Context, k *keeper) (routing.Result, error) {
		k.keep(c)
		return routing.Result{}, nil
	},
	"claim": func(c routing.Context, k *keeper) (routing.Result, error) { // the room, for a result that is not answered
		routing.Text("claimed")
		return routing.Result{}, nil
	},
	"background": func(c routing.Context, k *keeper) (routing.Result, error) { // may claim the room during this request, or too late
		go routing.Bytes("leaked/bytes", []byte("leaked"))
		return routing.Result{}, nil
	},

	"error": failing(errors.New("an error")),
	"resulterror": func(c routing.Context, _ *keeper) (routing.Result, error) {
		return routing.Text("x"), errors.New("beside")
	},
	"pass": failing(routing.Pass),
	"textpass": func(c routing.Context, _ *keeper) (routing.Result, error) {
		return routing.Text("passed"), routing.Pass
	},
	"bytespass": func(c routing.Context, _ *keeper) (routing.Result, error) {
		return routing.Bytes("a/b", nil), routing.Pass
	},
	"halt":    failing(&routing.HaltError{}),
	"halt403": failing(&routing.HaltError{Status: 403, Reason: "Not You", Body: routing.Text("halted")}),
	"halttext": func(c routing.Context, _ *keeper) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 402, Body: routing.Text("room")}
	},
	"haltbad":     failing(&routing.HaltError{Status: 42, Body: routing.HTML("bad")}),
	"haltreason":  failing(&routing.HaltError{Status: 403, Reason: "a\nb", Body: routing.HTML("bad")}),
	"haltheader":  failing(&routing.HaltError{Header: http.Header{"X-Halt": {"1"}, "Content-Type": {"a/halt"}}, Body: routing.Text("halted")}),
	"haltbadhead": failing(&routing.HaltError{Status: 410, Header: http.Header{"X-Bad": {"a\rb"}}}),
	"redirect":    failing(routing.Redirect("/elsewhere")),
	"refuse":      failing(&routing.RequestError{Status: 400, Err: errors.New("refused")}),

	"panic":   setting(func(routing.Context) { panic("a panic") }),
	"slice":   setting(func(routing.Context) { panic([]string{"not", "comparable"}) }),
	"abort":   setting(func(routing.Context) { panic(http.ErrAbortHandler) }),
	"roompan": setting(func(c routing.Context) { routing.Text("claimed"); panic("with the room") }),
	"goexit":  setting(func(routing.Context) { runtime.Goexit() }),

	"stream":      streaming(func() io.Reader { return strings.NewReader("streamed") }),
	"streamerror": streaming(func() io.Reader { return errorReader{errors.New("no stream")} }),
	"streamlate":  streaming(func() io.Reader { return io.MultiReader(strings.NewReader("begun"), errorReader{errors.New("late")}) }),
	"streampanic": streaming(func() io.Reader { return readerFunc(func([]byte) (int, error) { panic("a reader") }) }),
	"streamabort": streaming(func() io.Reader { return readerFunc(func([]byte) (int, error) { panic(http.ErrAbortHandler) }) }),
	"streamexit":  streaming(func() io.Reader { return readerFunc(func([]byte) (int, error) { runtime.Goexit(); return 0, nil }) }),
	"streambad":   result(func(routing.Context) routing.Result { return routing.Stream("a\nb", strings.NewReader("")) }),

	"handle":       handling(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "handled ", r.PathValue("id")) }),
	"handle202":    handling(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202); io.Copy(w, r.Body) }),
	"handlenone":   handling(func(http.ResponseWriter, *http.Request) {}),
	"handlebad":    handling(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Bad", "\n"); io.WriteString(w, "bad") }),
	"handlepanic":  handling(func(w http.ResponseWriter, r *http.Request) { panic("a handler") }),
	"handlelate":   handling(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "begun"); panic("a handler") }),
	"handleabort":  handling(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }),
	"handlegoexit": handling(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "begun"); runtime.Goexit() }),
}

func result(f func(routing.Context) routing.Result) func(routing.Context, *keeper) (routing.Result, error) {
	return func(c routing.Context, _ *keeper) (routing.Result, error) { return f(c), nil }
}

func setting(f func(routing.Context)) func(routing.Context, *keeper) (routing.Result, error) {
	return func(c routing.Context, _ *keeper) (routing.Result, error) { f(c); return routing.Result{}, nil }
}

func failing(err error) func(routing.Context, *keeper) (routing.Result, error) {
	return func(routing.Context, *keeper) (routing.Result, error) { return routing.Result{}, err }
}

func streaming(body func() io.Reader) func(routing.Context, *keeper) (routing.Result, error) {
	return result(func(routing.Context) routing.Result { return routing.Stream("a/stream", body()) })
}

func handling(f http.HandlerFunc) func(routing.Context, *keeper) (routing.Result, error) {
	return result(func(routing.Context) routing.Result { return routing.HandlerResult(f) })
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func paramsOf(c routing.Context) string {
	var b strings.Builder
	for _, key := range c.Params().Keys() {
		fmt.Fprintf(&b, "%s=%q ", key, c.Params().Values(key))
	}
	return b.String()
}

// do does what the request's script has for a site: all deeds but for the last only for what they set.
func do(site string, c routing.Context, k *keeper) (result routing.Result, err error) {
	k.misuse()
	for _, name := range strings.Fields(c.Request().Header.Get("X-" + site)) {
		if result, err = deeds[name](c, k); err != nil {
			return result, err
		}
	}
	return result, err
}

// layout is what kind of app there is. One without after filters and without a body takes the shortest way through the engine.
type layout struct {
	before, after, onError, notFound, next, override, use, base, inner, multi bool
}

func (l layout) options() []routing.Option {
	options := []routing.Option{routing.WithLogger(slog.New(noting{})), routing.WithBodyLimit(100), routing.WithParamLimit(8), routing.WithPathLimit(60)}
	add := func(is bool, o routing.Option) {
		if is {
			options = append(options, o)
		}
	}
	add(l.override, routing.WithMethodOverride())
	add(l.base, routing.WithBasePath("/base"))
	add(l.multi, routing.WithMultipart())
	add(l.multi, routing.WithMethodNotAllowed())
	add(l.multi, routing.WithStrictPaths())
	add(l.next, routing.WithNext(http.HandlerFunc(hostileNext)))
	return options
}

func hostileNext(w http.ResponseWriter, r *http.Request) {
	switch r.Header.Get("X-Next") {
	case "panic":
		panic("the next handler")
	case "abort":
		panic(http.ErrAbortHandler)
	case "goexit":
		runtime.Goexit()
	case "late":
		io.WriteString(w, "begun")
		panic("the next handler")
	}
	body, err := io.ReadAll(r.Body)
	fmt.Fprintf(w, "next %s %s %q %v", r.Method, r.URL.Path, body, err)
}

// holds is a condition, which may panic.
func holds(r *http.Request) bool {
	switch r.Header.Get("X-Condition") {
	case "panic":
		panic("a condition")
	case "abort":
		panic(http.ErrAbortHandler)
	case "goexit":
		runtime.Goexit()
	}
	return r.Header.Get("X-Condition") != "no"
}

// newApp makes an app. That its parts keep Contexts at the same keeper is what lets them misuse those of each other.
func (l layout) newApp(k *keeper) *routing.App {
	app := routing.New(l.options()...)
	action := func(site string) routing.Action {
		return func(c routing.Context) (routing.Result, error) { return do(site, c, k) }
	}
	filter := func(site string) routing.Filter {
		return func(c routing.Context) error { _, err := do(site, c, k); return err }
	}
	if l.before {
		app.Before(filter("Before"))
		app.Before(filter("Before-X"), routing.On("/x/:before"))
	}
	if l.after {
		app.After(filter("After"))
		app.After(filter("After-X"), routing.On("/x/:after"))
		app.After(filter("After-Last"), routing.When(holds))
	}
	if l.onError {
		app.OnError(func(c routing.Context, _ error) (routing.Result, error) { return do("Error", c, k) })
	}
	if l.notFound {
		app.NotFound(action("NotFound"))
	}
	if l.use {
		app.Use(tag("app"), func(next http.Handler) http.Handler {
			return http.TimeoutHandler(next, time.Minute, "never")
		})
	}
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		for i := range 4 {
			app.Route(method, routing.Must(routing.Sinatra("/pass/:n"+strconv.Itoa(i))), action("Pass-"+strconv.Itoa(i)))
		}
		app.Route(method, routing.Must(routing.Sinatra("/x/:id")), action("Action"))
		app.Route(method, routing.Must(routing.Sinatra("/static")), action("Action"))
		app.Route(method, routing.Must(routing.Sinatra("/if/:id")), action("Action"), routing.When(holds))
		app.Route(method, routing.Must(routing.Sinatra("/around/:id")), action("Pass-0"))
		app.Route(method, routing.Must(routing.Sinatra("/around/:id")), action("Action"), routing.Use(tag("route")))
		app.Route(method, routing.Must(routing.Sinatra("/timed/:id")), action("Action"), routing.Use(func(next http.Handler) http.Handler {
			return http.TimeoutHandler(next, time.Minute, "never")
		}))
	}
	app.Get("/slow/:id", func(c routing.Context) (routing.Result, error) {
		<-c.Request().Context().Value(observationKey{}).(*observation).over // and other requests go on
		c.SetStatus(299)
		c.Header().Set("X-Slow", "leaked")
		return routing.Text("too late for " + c.Params().Or("id", "")), nil
	}, routing.Use(func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, time.Microsecond, "timed out")
	}))
	app.Handle("", "/handler/:id", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %q %v", r.PathValue("id"), body, err)
	}))
	if l.inner {
		inner := l
		inner.inner, inner.base, inner.use, inner.next = false, false, !l.use, false
		sub := inner.newApp(k)
		app.Mount("/in", sub)
		app.Mount("/also/in", sub)
	}
	return app
}

// randomScripts makes layouts and scripts.
type randomScripts struct{ *rand.Rand }

func (r randomScripts) layout() layout {
	bit := func() bool { return r.IntN(2) == 0 }
	return layout{bit(), bit(), bit(), bit(), bit(), bit(), r.IntN(4) == 0, r.IntN(4) == 0, bit(), r.IntN(3) == 0}
}

var deedNames = func() (names []string) {
	for name := range deeds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

func (r randomScripts) of(list ...string) string { return list[r.IntN(len(list))] }

// deeds returns one deed or a few.
func (r randomScripts) deeds() string {
	chosen := []string{r.of(deedNames...)}
	for r.IntN(3) == 0 {
		chosen = append(chosen, r.of(deedNames...))
	}
	return strings.Join(chosen, " ")
}

func (r randomScripts) script(l layout) script {
	s := script{method: r.of("GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "PATCH"), does: make(map[string]string)}
	id := r.of("1", "two", "%C3%A9", "a.b")
	s.target = r.of("/x/"+id, "/x/"+id, "/static", "/if/"+id, "/around/"+id, "/timed/"+id, "/handler/"+id,
		"/pass/"+id+"0", "/pass/n1", "/pass/n", "/none", "/none/"+id, "/x/"+id+"/", "//x", "/x/%2f", "/x/"+strings.Repeat("l", 60))
	if r.IntN(40) == 0 {
		s.target = "/slow/" + id
	}
	if r.IntN(4) == 0 {
		s.target = r.of("/in", "/also/in") + s.target
	}
	if l.base && r.IntN(8) > 0 {
		s.target = "/base" + s.target
	}
	s.target += r.of("", "", "?q=1", "?id=query&q=%zz", "?1&2&3&4&5&6&7&8&9")
	switch {
	case s.method == "GET" && r.IntN(8) > 0 || s.method == "HEAD":
	case r.IntN(3) == 0:
		s.contentType, s.body = "application/json", r.of(`{"a":1}`, strings.Repeat("1", 101))
	case r.IntN(3) == 0:
		s.contentType = "multipart/form-data; boundary=b"
		s.body = r.of("--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\nv\r\n--b--\r\n", "--b\r\nbroken", strings.Repeat("1", 101))
	default:
		s.contentType = "application/x-www-form-urlencoded"
		s.body = r.of("id=form&f=1", "_method=put&f=2", "_method=delete", "1&2&3&4&5&6&7&8&9", strings.Repeat("1", 101), "")
	}
	if r.IntN(6) == 0 {
		s.override = r.of("PUT", "DELETE", "PATCH")
	}
	if r.IntN(2) == 0 {
		// Half of the requests set little, so that they would show what another has left, or leave that alone.
		s.does["Action"] = r.of("text", "read", "read text", "tell", "nothing", "halt", "403", r.of(deedNames...))
		s.tame(l)
		return s
	}
	s.does["Action"] = r.deeds()
	for _, site := range []string{"Before", "Before-X", "After", "After-X", "After-Last", "Error", "NotFound"} {
		if r.IntN(5) == 0 {
			s.does[site] = r.deeds()
		}
	}
	if r.IntN(2) == 0 {
		s.does["After"] = "tell " + s.does["After"]
	}
	for i := range 4 {
		s.does["Pass-"+strconv.Itoa(i)] = r.of("pass", "textpass", "bytespass", r.deeds())
	}
	if r.IntN(4) == 0 {
		s.does["Condition"] = r.of("panic", "abort", "goexit", "no")
	}
	if r.IntN(4) == 0 {
		s.does["Next"] = r.of("panic", "abort", "goexit", "late")
	}
	s.tame(l)
	return s
}

// tame takes out what has no answer that is always the same: http.TimeoutHandler waits for ever for a goroutine that ended by
// runtime.Goexit, and nobody waits for what goes on behind a timeout. Also, it sends a status for an action that has passed, so that
// the next route's is one too many, which net/http logs.
func (s *script) tame(l layout) {
	late := strings.Contains(s.target, "/slow/")
	if strings.Contains(s.target, "/timed/") && strings.Contains(s.does["Action"], "pass") {
		s.does["Action"] = "text"
	}
	for site, does := range s.does {
		switch {
		case late && !strings.HasPrefix(site, "Before"):
			s.does[site] = ""
		case late && strings.Contains(does, "keep"):
			s.does[site] = "201" // a Context is not over as long as its action runs
		case late || l.use || l.inner || strings.Contains(s.target, "/timed/"):
			for _, exit := range []string{"handlegoexit", "streamexit", "goexit"} {
				does = strings.ReplaceAll(does, exit, strings.ReplaceAll(exit, "goexit", "panic"))
			}
			s.does[site] = strings.ReplaceAll(does, "streamexit", "streampanic")
		}
	}
}

// A sequence is a random app with random scripts for it and what a fresh app answers to each.
type sequence struct {
	layout  layout
	scripts []script
	want    []string
}

func (r randomScripts) sequence(scripts int) *sequence {
	q := &sequence{layout: r.layout()}
	for range scripts {
		s := r.script(q.layout)
		k := newKeeper()
		q.scripts = append(q.scripts, s)
		q.want = append(q.want, s.sendTo(q.layout.newApp(k), k).String())
	}
	return q
}

func newKeeper() *keeper { return new(keeper) }

// run sends requests in a random order, and returns what differs from a fresh app's answer, with the requests before it.
func (q *sequence) run(app http.Handler, k *keeper, r *rand.Rand, requests int) error {
	var sent []string
	for range requests {
		i := r.IntN(len(q.scripts))
		got := q.scripts[i].sendTo(app, k).String()
		if got != q.want[i] {
			return fmt.Errorf("%+v\nbehind\n%s\nsending %s\ngot  %s\nwant %s", q.layout, strings.Join(sent[max(0, len(sent)-4):], "\n"), q.scripts[i], got, q.want[i])
		}
		sent = append(sent, q.scripts[i].String())
	}
	return nil
}

// seeded returns the seed of the environment or else a random one, and logs it.
func seeded(t *testing.T) uint64 {
	seed := rand.Uint64()
	if given := os.Getenv("SEQUENCES_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("SEQUENCES_SEED=%d", seed)
	return seed
}

// TestSequences sends one request after the other. SEQUENCES_SEED gives a seed.
func TestSequences(t *testing.T) {
	r := randomScripts{rand.New(rand.NewPCG(seeded(t), 0))}
	apps, requests := runs(15, 40, 150), 300
	for range apps {
		q, k := r.sequence(60), newKeeper()
		if err := q.run(q.layout.newApp(k), k, r.Rand, requests); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
	}
}

// TestConcurrentSequences sends them from several goroutines at once.
func TestConcurrentSequences(t *testing.T) {
	r := randomScripts{rand.New(rand.NewPCG(seeded(t), 1))}
	apps, requests := runs(8, 20, 60), 80
	for range apps {
		q, k := r.sequence(60), newKeeper()
		app := q.layout.newApp(k)
		var wg sync.WaitGroup
		for range 8 {
			own := rand.New(rand.NewPCG(r.Uint64(), 2))
			wg.Go(func() {
				if err := q.run(app, k, own, requests); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
		runtime.GC()
	}
}
