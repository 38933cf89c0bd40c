package routing

import (
	"bufio"
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing/internal/response"
)

// Context gives actions, filters and error handlers access to the request and the response headers.
//
// Use it in one goroutine at a time. After the response, only Request, Params, Path, RootPath, URL,
// Logger and [Key.Get] may be used.
type Context struct {
	// The compiler can keep a struct of up to four words in registers.
	w        http.ResponseWriter
	r        *http.Request
	prepared *preparedContext
}

// preparedContext is the part of a Context that usually does not depend on the request. The index
// has one for each route and filter, so that creating a Context usually allocates nothing.
type preparedContext struct {
	mountPoint *mountPoint
	variant    *variant // of the route or filter itself, for its captures
	ofRoute    *variant // of the route that ran, for an after filter with a pattern; else nil
	base       int      // length of the base path; -1 if it depends on the request (mountPoint.varies)
	bodyLimit  int64
	matchedURL *matchedURL // in a copy for a single request; else nil
}

// matchedURL holds data that few requests need in addition to their prepared context.
type matchedURL struct {
	urlPath string            // of the URL when it was matched, tidied; middleware may change the URL later
	path    string            // the part of urlPath that patterns match
	query   *urlencoded.Index // nil for a short query
}

// orEmpty returns c, or an empty context for the zero Context.
func (c Context) orEmpty() Context {
	if c.prepared == nil {
		return noRequest()
	}
	return c
}

// noRequest returns the Context of an empty request. Inlined, noRequest and noHeader would add a
// request and a map to the stack of each function that calls a method of Context.
//
//go:noinline
func noRequest() Context {
	return Context{r: &http.Request{URL: new(url.URL)}, prepared: &preparedContext{mountPoint: new(mountPoint)}}
}

//go:noinline
func noHeader() http.Header { return make(http.Header) }

// urlPath returns the path of the URL, as it was matched: without the slashes that the app ignores.
func (c Context) urlPath() string {
	if m := c.prepared.matchedURL; m != nil {
		return m.urlPath
	}
	return c.r.URL.Path
}

// Request returns the request, which may be a copy. Its URL includes the base path. For parameters
// of the path use [Params.Path], not PathValue.
func (c Context) Request() *http.Request { return c.orEmpty().r }

// Params returns the parameters of the request.
func (c Context) Params() Params { return Params{c.orEmpty()} }

// Header returns the headers of the response, which may be changed until it is sent. A status
// that is set is in the map as ":status", which is not sent.
func (c Context) Header() http.Header {
	if c.w == nil {
		return noHeader()
	}
	return c.w.Header()
}

// Status returns the status that was set so far, such as 404 in [App.NotFound], or 0. A mounted
// app begins with 0.
func (c Context) Status() int { return response.Status(c.Header()) }

// SetStatus sets the status of the response, unless another replaces it. A status that is not 200
// to 999 becomes a 500.
func (c Context) SetStatus(status int) { response.SetStatus(c.Header(), status) }

// SetContentType sets the header Content-Type, which [Text], [HTML], [Bytes], [JSON] and [Stream]
// do not replace.
func (c Context) SetContentType(contentType string) { c.Header().Set("Content-Type", contentType) }

// Controller returns a controller of the connection, for example for deadlines in place of the
// server's timeouts. Flush and Hijack return [http.ErrNotSupported].
//
//	err := c.Controller().SetReadDeadline(time.Now().Add(10 * time.Minute)) // of a large upload
func (c Context) Controller() *http.ResponseController {
	return http.NewResponseController(controlled{c.w})
}

// controlled is a writer that cannot be flushed or hijacked.
type controlled struct{ http.ResponseWriter }

func (w controlled) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (controlled) FlushError() error { return http.ErrNotSupported }

func (controlled) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, http.ErrNotSupported
}

// SetCookie adds a cookie to the response, or returns the error of [http.Cookie.Valid]. For a
// cookie of the whole site, set its Path to "/".
func (c Context) SetCookie(cookie *http.Cookie) error {
	if err := cookie.Valid(); err != nil {
		return fmt.Errorf("routing: set cookie: %w", err)
	}
	c.Header().Add("Set-Cookie", cookie.String())
	return nil
}

// Path returns a path of the app for a link: below the prefix of [WithProxyPrefix], the base path
// and the mount prefixes of the request. The path given must be escaped, and may have a query.
//
//	return routing.Result{}, routing.Redirect(c.Path("/login?again=1"))
func (c Context) Path(path string) string {
	return join(c.base(), path)
}

// RootPath is [Context.Path] for a path of the outermost app.
func (c Context) RootPath(path string) string {
	c = c.orEmpty()
	root := c.prepared.mountPoint
	for root.parent != nil {
		root = root.parent
	}
	return join(root.proxyPrefix+root.baseOf(c.urlPath()), path)
}

// join returns the escaped path below a base path.
func join(base, path string) string {
	// Browsers read a backslash as a slash, and remove tabs and line breaks (URL Standard).
	isSlash := func(c rune) bool { return c == '/' || c == '\\' || c < ' ' }
	return escape(base) + "/" + strings.TrimLeftFunc(path, isSlash)
}

// base returns the prefix of the proxy, the base path and the prefixes of mounts, decoded.
func (c Context) base() string {
	c = c.orEmpty()
	return c.prepared.mountPoint.proxyPrefix + c.prepared.mountPoint.baseOf(c.urlPath())
}

// escape encodes a path for a URL (RFC 3986, 3.3), except for its slashes.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// Logger returns the logger of the app that serves the request: see [WithLogger].
func (c Context) Logger() *slog.Logger {
	return cmp.Or(c.orEmpty().prepared.mountPoint.logger, slog.Default())
}
