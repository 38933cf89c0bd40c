package routing

import (
	"fmt"
	"log/slog"
	"net/http"

	"example.com/flowercafe/routing/internal/form"
)

// Context is what an action, a filter or a handler has of its request. It is a small value: pass it on as it is.
//
// A Context is valid until the response is rendered, for one goroutine at a time, like the [http.ResponseWriter] and the
// [http.Request] that it holds. A Context that is kept longer still reads its own request, never another one.
type Context struct {
	// Four words are what the compiler keeps in registers.
	w    http.ResponseWriter
	r    *http.Request
	site *site
}

// site is where in an app a Context stands. Sites are made with the index, so that a Context costs nothing.
type site struct {
	app    *App
	own    *shape // cuts the own parameters out of the path
	ran    *shape // the route that ran, for filters and handlers behind the action
	base   int    // length of the base path, which patterns do not see
	limits *limits
	extras *extras // nil for sites that are not of one request alone
}

// extras are what few requests have.
type extras struct {
	base  string     // in front of path, where the site's does not tell
	path  string     // what patterns see, where the site's base does not tell
	input *form.Body // what was read of the body
	outer *outer     // parameters in the prefix that the app is mounted at
}

// admit sets the limits of who reads the body by himself.
func (e *extras) admit(l *limits) {
	if e.input != nil {
		e.input.Admit(l.Total())
	}
}

// context returns the Context at a site.
func (x *call) context(s *site) Context {
	if x.extras != nil {
		own := *s
		own.extras = x.extras
		s = &own
	}
	return Context{x.w, x.r, s}
}

// behind returns the site of what runs behind the action and has own parameters.
func (c *candidate) behind(own *shape) *site {
	if own == nil && c.late != nil {
		return c.late
	}
	s := c.site
	s.own, s.ran = own, c.site.own
	return &s
}

// path returns what patterns see of the request's path. It is empty if somebody has cut the path meanwhile.
func (c Context) path() string {
	s := c.site
	switch path := c.r.URL.Path; {
	case s.extras != nil:
		return s.extras.path
	case len(path) > s.base:
		return path[s.base:]
	case len(path) == s.base:
		return "/"
	}
	return ""
}

// Request returns the request: as the app received it, but for its method if that was overridden, and for a body that holds
// parameters, which is replayed for whoever reads it later. Its URL holds the base path.
func (c Context) Request() *http.Request { return c.r }

// Params returns the parameters.
func (c Context) Params() Params { return Params{c} }

// Header returns the headers of the response, to be changed until the response is rendered. A name or value that is not legal
// makes the response a 500. While a status is set, there is an empty entry ":status" too, which is never sent.
func (c Context) Header() http.Header {
	if c.w == nil {
		return make(http.Header)
	}
	return c.w.Header()
}

// Status returns the status that was set so far, or 0 if none was; the response is then a 200. In an after filter it is the status
// that the response will have, unless a handler or middleware writes another one.
func (c Context) Status() int {
	if c.w == nil {
		return 0
	}
	return statusIn(c.w.Header())
}

// SetStatus sets the status of the response, 200 to 999. Any other makes the response a 500.
func (c Context) SetStatus(status int) {
	if c.w != nil {
		setStatus(c.w.Header(), status)
	}
}

// SetContentType sets the Content-Type header. It wins over the type of the result.
func (c Context) SetContentType(contentType string) {
	c.Header().Set("Content-Type", contentType)
}

// SetCookie adds a cookie to the response. One that browsers would not take as it is, by [http.Cookie.Valid], is an error and is not
// added. Without a Path it counts for the directory of the request's path only: Path: "/" is for the whole site, c.Path("/") for the
// app. Nothing else is set by itself: a cookie with a session wants HttpOnly, Secure and SameSite. Of two with the same name, path
// and domain, browsers keep the later one.
func (c Context) SetCookie(cookie *http.Cookie) error {
	if err := cookie.Valid(); err != nil {
		return fmt.Errorf("routing: set cookie: %w", err)
	}
	c.Header().Add("Set-Cookie", cookie.String())
	return nil
}

// Logger returns the logger of the app: the one of [WithLogger], or [slog.Default]. It is for route options and middleware that
// were not given a logger, and may be used after the request.
func (c Context) Logger() *slog.Logger {
	if c.site == nil {
		return slog.Default()
	}
	return c.site.app.logger()
}
