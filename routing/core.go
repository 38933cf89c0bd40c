package routing

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/flowercafe/routing/internal/pattern"
)

// core is the part of an app that requests and Contexts use: its settings, its logger, and its
// mounts in other apps.
type core struct {
	settings settings
	ways     atomic.Pointer[[]*way] // without a lock, since the apps that build an index follow them
	forget   func()                 // drops the index of the app

	mounting sync.Mutex // guards below, and changes of ways
	below    []*core    // the apps that are mounted in this one
}

// way is one mount of an app in another app.
type way struct {
	parent   *core
	prefix   string
	segments int // how many segments a prefix with parameters has, else 0
}

// cut returns the part of a path that the prefix matches.
func (w *way) cut(path string) string {
	if w.segments == 0 {
		return w.prefix
	}
	end := 0
	for range w.segments {
		end = pattern.SegmentEnd(path, end+1)
	}
	return path[:end]
}

// reachedBy returns the mounts of the app, in order.
func (c *core) reachedBy() []*way {
	if ways := c.ways.Load(); ways != nil {
		return *ways
	}
	return nil
}

// addWay records a mount of the app. The app and those mounted in it compute their base paths
// again.
func (c *core) addWay(w *way) {
	c.mounting.Lock()
	ways := append(slices.Clone(c.reachedBy()), w)
	c.ways.Store(&ways)
	c.mounting.Unlock()

	w.parent.mounting.Lock()
	w.parent.below = append(w.parent.below, c)
	w.parent.mounting.Unlock()
	c.forgetBase(make(map[*core]bool))
}

func (c *core) forgetBase(seen map[*core]bool) {
	if seen[c] {
		return
	}
	seen[c] = true
	c.forget()
	c.mounting.Lock()
	below := slices.Clone(c.below)
	c.mounting.Unlock()
	for _, inner := range below {
		inner.forgetBase(seen)
	}
}

// isBelow reports whether c is above, or is mounted in it without any prefix.
func (c *core) isBelow(above *core, seen map[*core]bool) bool {
	if c == above {
		return true
	}
	if seen[c] {
		return false
	}
	seen[c] = true
	for _, w := range c.reachedBy() {
		if w.prefix == "" && w.parent.settings.base == "" && w.parent.isBelow(above, seen) {
			return true
		}
	}
	return false
}

// basePath returns the base path of the app, with mount prefixes. If there are several, or if they
// have parameters, it is that of the settings.
func (c *core) basePath() string {
	base, err := c.reached(nil, nil)
	if err != nil {
		return c.settings.base
	}
	return base
}

// values holds the values of parameters by their keys.
type values = map[string][]string

// reached returns the base path of an app that is mounted at most once. It takes the parameters of
// prefixes from given, and removes them there.
func (c *core) reached(given values, seen []*core) (string, error) {
	ways := c.reachedBy()
	switch {
	case len(ways) == 0:
		return c.settings.base, nil
	case len(ways) > 1 || slices.Contains(seen, c):
		return "", errors.New("its app is mounted in several places: use Context.URL")
	}
	above, err := ways[0].parent.reached(given, append(seen, c))
	if err != nil {
		return "", err
	}
	prefix, err := pattern.Prefix(ways[0].prefix, given)
	return above + prefix + c.settings.base, err
}

// mostMounts limits the nested mounts that are followed, since an app may be mounted in itself.
const mostMounts = 16

// logger returns the app's logger, or that of the nearest app around it.
func (c *core) logger() *slog.Logger {
	for range mostMounts {
		if c.settings.logger != nil {
			return c.settings.logger
		}
		ways := c.reachedBy()
		if len(ways) == 0 {
			break
		}
		c = ways[0].parent
	}
	return slog.Default()
}

// log logs an error: at level error for a status of 500 and above, else at level debug.
func (c *core) log(r *http.Request, status int, err error) {
	severity := slog.LevelDebug
	if status >= 500 {
		severity = slog.LevelError
	}
	logger := c.logger()
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

// report logs a failure that ends in a 500 or a closed connection.
func (c *core) report(r *http.Request, err error) { c.log(r, http.StatusInternalServerError, err) }

// failures is the [response.Log] of an app.
type failures struct{ app *core }

func (f failures) Report(r *http.Request, err error)      { f.app.report(r, err) }
func (f failures) ReportPanic(r *http.Request, value any) { f.app.report(r, newPanicError(value)) }
