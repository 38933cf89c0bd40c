package routing

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/response"
)

// The ways into apps form trees. This file has a node of such a tree: it says how a request came,
// and its parent is the node of the app around.

// mountPoint is one way into an app: directly, through [App.Middleware], or through a mount. It
// holds what is the same for all requests that come this way. It is immutable, but for the index of
// the definitions, which is built here because the names of routes contain the base path.
type mountPoint struct {
	response.Sender
	app      *App
	parent   *mountPoint // of the app around; nil for requests from outside
	route    *Route      // that mounts this one there
	settings             // of the app, with those of the apps around; base has their prefixes, with ":user"
	varies   bool        // base has parameters
	upload   int64       // how many bytes of files the mounts around admit

	index   atomic.Pointer[index] // may be of earlier definitions
	mu      sync.Mutex            // for building the index
	mounted sync.Map              // the ways from here into mounted apps: *mountPoint by *mount
}

// init makes p a way into an app for requests from outside.
func (p *mountPoint) init(a *App, next http.Handler) {
	p.app, p.settings, p.upload = a, a.settings, form.MaxLimit
	p.next = next
	p.Sender = response.Sender{Problems: a.settings.problems, Log: p}
}

// cut returns the part of a URL's path that patterns match, or false if the path is not below the
// base path.
func (p *mountPoint) cut(path string) (below string, inside bool) {
	if !p.varies {
		return basepath.Cut(path, p.base)
	}
	end := p.mountEnd(path)
	if end < 0 {
		return "", false
	}
	return basepath.Cut(path[end:], p.app.settings.base)
}

// baseEnd returns the length of the base path in the path of a URL.
func (p *mountPoint) baseEnd(path string) int {
	if !p.varies {
		return min(len(p.base), len(path))
	}
	return min(max(p.mountEnd(path), 0)+len(p.app.settings.base), len(path))
}

// mountEnd returns where the prefix of the mount ends in the path of a URL, or -1 if middleware has
// changed the path to one that does not begin with it.
func (p *mountPoint) mountEnd(path string) int {
	if p.parent == nil {
		return 0
	}
	begin := p.parent.baseEnd(path)
	length := p.route.mount.length(path[begin:])
	if length < 0 {
		return -1
	}
	return begin + length
}

// captures calls f with the parameters of prefixes, outermost first.
func (p *mountPoint) captures(path string, f func(key, value string)) {
	if !p.varies {
		return
	}
	p.parent.captures(path, f)
	if !p.route.mount.varies {
		return
	}
	below := path[p.parent.baseEnd(path):]
	for key, value := range p.route.mount.pattern.p.Find(below).All(below) {
		if key != "splat" {
			f(key, value)
		}
	}
}

// log logs an error: at level error for a status of 500 and above, else at level debug.
func (p *mountPoint) log(r *http.Request, status int, err error) {
	severity := slog.LevelDebug
	if status >= 500 {
		severity = slog.LevelError
	}
	logger := cmp.Or(p.logger, slog.Default())
	if !logger.Enabled(r.Context(), severity) {
		return
	}
	path := ""
	if r.URL != nil { // an action may have removed it
		path = r.URL.Path
	}
	attributes := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", path), slog.String("route", r.Pattern),
		slog.Int("status", status), slog.String("error", errorText(err)),
	}
	var panicked *PanicError
	if find(err, &panicked) {
		attributes = append(attributes, slog.String("stack", string(panicked.Stack)))
	}
	logger.LogAttrs(context.WithoutCancel(r.Context()), severity, "request failed", attributes...)
}

// Report logs a failure that ends in a 500 or a closed connection. It is for [response.Log].
func (p *mountPoint) Report(r *http.Request, err error) {
	p.log(r, http.StatusInternalServerError, err)
}

// ReportPanic is Report for a panic.
func (p *mountPoint) ReportPanic(r *http.Request, value any) { p.Report(r, newPanicError(value)) }

// mount is one definition of a mount: an app or another handler below a prefix of an app.
type mount struct {
	http.Handler      // an app is entered by the router itself
	in, app      *App // nil for another handler
	prefix       string
	pattern      Pattern
	varies       bool // the prefix has parameters
}

// length returns the length of the prefix in a path, or -1 if the path does not begin with it.
func (m *mount) length(path string) int {
	if !m.varies {
		if _, inside := basepath.Cut(path, m.prefix); !inside {
			return -1
		}
		return len(m.prefix)
	}
	return m.pattern.p.PrefixEnd(path)
}

// mountedAt returns the mounts of the app, in order.
func (a *App) mountedAt() []*mount {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mounts
}

// values holds the values of parameters by their keys.
type values = map[string][]string

// publicBase returns the base path of an app that is mounted at most once, with the prefixes of
// mounts. It takes their parameters from given, and removes them there.
func (a *App) publicBase(given values) (string, error) {
	mounts := a.mountedAt()
	switch len(mounts) {
	case 0:
		return a.settings.base, nil
	case 1:
		around, err := mounts[0].in.publicBase(given)
		if err != nil {
			return "", err
		}
		prefix, err := mounts[0].pattern.p.PrefixPath(given)
		return around + prefix + a.settings.base, err
	}
	return "", errors.New("its app is mounted in several places: use Context.URL")
}
