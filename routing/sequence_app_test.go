package routing_test

// This file has the apps for random sequences of requests, and the behaviors of their handlers.

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// keeper holds Contexts that actions have kept, and misuses them when their requests are over. It
// is safe for concurrent use.
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
	k.kept = append(k.kept, keptContext{c: c, o: o, id: c.Params().GetOr("id", "")})
}

func (k *keeper) overNow(o *observation) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.kept {
		k.kept[i].over = k.kept[i].over || k.kept[i].o == o
	}
}

// misuse calls methods of all Contexts whose requests are over. Other requests must not be
// affected.
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
		if id := c.Params().GetOr("id", kept.id); id != kept.id {
			panic(fmt.Sprintf("a Context of %s %v that was kept has id %q, want %q", c.Request().URL, c.Request().Header, id, kept.id))
		}
	}
}

// behaviors are the actions that a script may name. They also run in filters and error handlers.
var behaviors = map[string]func(routing.Context, *keeper) (routing.Result, error){
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
	"claim": func(c routing.Context, k *keeper) (routing.Result, error) { // the room, for a result that is not sent
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
	return func(c routing.Context, _ *keeper) (routing.Result, error) { return routing.Handler(f)(c) }
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

// do runs the behaviors of the request's script for a site. Only the last one ends the function.
func do(site string, c routing.Context, k *keeper) (result routing.Result, err error) {
	k.misuse()
	for _, name := range strings.Fields(c.Request().Header.Get("X-" + site)) {
		if result, err = behaviors[name](c, k); err != nil {
			return result, err
		}
	}
	return result, err
}

// layout is a kind of app. Without after filters and bodies, requests take the shortest path
// through the code.
type layout struct {
	before, after, onError, notFound, next, override, use, base, inner, multi bool
}

func (l layout) options() []routing.Option {
	options := []routing.Option{routing.WithLogger(slog.New(noteHandler{})), routing.WithBodyLimit(100)}
	add := func(is bool, o routing.Option) {
		if is {
			options = append(options, o)
		}
	}
	add(l.override, routing.WithMethodOverride())
	add(l.base, routing.WithBasePath("/base"))
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

// holds is a condition that may panic.
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

// newApp makes an app. All its parts keep their Contexts in the same keeper.
func (l layout) newApp(k *keeper) *routing.App {
	app := routing.New(l.options()...)
	if l.multi {
		app.Before(respond.Multipart(100))
	}
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
		return routing.Text("too late for " + c.Params().GetOr("id", "")), nil
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
