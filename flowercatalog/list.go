package flowercatalog

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"example.com/flowercafe/routing"
)

// This file serves GET /flowers/: all flowers or the result of a search, in one response or in
// pages.

func (a *App) list(c routing.Context) (routing.Result, error) {
	ctx := c.Request().Context()
	flowers, err := a.flowers()
	if err != nil {
		return routing.Result{}, refusal(ctx, err)
	}
	q, err := a.query(c, flowers)
	if err != nil {
		return routing.Result{}, err
	}
	if all, ok := flowers.(*list); ok && q == (query{}) {
		return jsonWithETag(c, all.tag, all.json)
	}
	if q.page.Revision, err = flowers.revision(ctx); err != nil {
		return routing.Result{}, refusal(ctx, err)
	}
	tag := q.tag(q.page.Revision)
	if err := tag.check(c); err != nil {
		return routing.Result{}, err
	}
	if q.page.Limit == 0 {
		tag.set(c.Header())
		status := cmp.Or(c.Status(), http.StatusOK)
		return routing.HandlerResult(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a.stream(&array{w: w, status: status}, r, flowers, q)
		})), nil
	}
	return a.page(c, flowers, q, tag)
}

// page responds with the flowers of one page.
func (a *App) page(c routing.Context, flowers records, q query, tag entityTag) (routing.Result, error) {
	ctx := c.Request().Context()
	page, err := newPage(ctx, flowers, q)
	if errors.Is(err, ErrChanged) {
		// The flowers changed after their revision was read: respond without a tag.
		tag, q.page.Revision = "", ""
		page, err = newPage(ctx, flowers, q)
	}
	if errors.Is(err, ErrNotFound) {
		return routing.Result{}, halt(afterNotFound)
	}
	if err != nil {
		return routing.Result{}, refusal(ctx, err)
	}
	tag.set(c.Header())
	if page.more {
		c.Header()["Link"] = []string{q.nextLink(c.Request(), decode(page.last).Slug)}
	}
	page.close()
	return routing.Bytes(jsonType, page.json), nil
}

// page collects the flowers of a page.
type page struct {
	array
	last []byte // the record of the last flower
	more bool   // there is a next page
}

func newPage(ctx context.Context, flowers records, q query) (p page, err error) {
	left := q.page.Limit
	q.page.Limit++
	err = flowers.search(ctx, q.folded, q.page, func(record []byte) error {
		if left == 0 {
			p.more = true
			return nil
		}
		left--
		p.add(record)
		p.last = p.json[len(p.json)-len(record):]
		return nil
	})
	return p, err
}

// stream writes the flowers of the query as they are found.
func (a *App) stream(out *array, r *http.Request, flowers records, q query) {
	if r.Method == http.MethodHead { // the headers are set, and the search would be wasted
		out.w.WriteHeader(out.status)
		return
	}
	err := flowers.search(r.Context(), q.folded, q.page, out.add)
	if errors.Is(err, ErrChanged) && !out.sent {
		// As for a page. The Store may have yielded flowers before it noticed the change: drop
		// them.
		out.w.Header().Del("Etag")
		out.json, q.page.Revision = nil, ""
		err = flowers.search(r.Context(), q.folded, q.page, out.add)
	}
	if err == nil {
		out.close()
		err = out.flush()
	}
	switch {
	case err == nil, out.failed: // the client has gone
	case out.sent:
		a.routes.Logger().ErrorContext(r.Context(), "list broke off", "error", err)
		panic(http.ErrAbortHandler) // otherwise the client would take the part for the whole
	case isUnavailable(r.Context(), err):
		write(out.w, unavailable)
	default:
		a.routes.Logger().ErrorContext(r.Context(), "list failed", "error", err)
		write(out.w, failed)
	}
}

// array writes records as a JSON array, about 16 KiB at a time. Without w it keeps them all.
type array struct {
	w      http.ResponseWriter
	status int // of the response
	json   []byte
	sent   bool // something was written to w
	failed bool // the last write failed
}

const arrayBuffer = 16 << 10

// add adds a record.
func (a *array) add(record []byte) error {
	a.begin()
	a.json = append(a.json, record...)
	if a.w != nil && len(a.json) >= arrayBuffer {
		return a.flush()
	}
	return nil
}

// begin adds what is before a record.
func (a *array) begin() {
	separator := byte(',')
	if len(a.json) == 0 && !a.sent {
		separator = '['
	}
	a.json = append(a.json, separator)
}

// close adds the closing bracket.
func (a *array) close() {
	if len(a.json) == 0 && !a.sent {
		a.json = append(a.json, '[')
	}
	a.json = append(a.json, ']')
}

// flush writes what was not sent.
func (a *array) flush() error {
	if len(a.json) == 0 {
		return nil
	}
	if !a.sent {
		a.w.WriteHeader(a.status) // also 200: gin's writer holds a 404 in NoRoute
	}
	_, err := a.w.Write(a.json)
	a.json, a.sent, a.failed = a.json[:0], true, err != nil
	return err
}
