package flowercatalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file serves GET /flowers/: it reads the query, and responds with all flowers or the result
// of a search, in one response or in pages.

func (a *App) list(c routing.Context) (routing.Result, error) {
	ctx := c.Request().Context()
	flowers := a.flowers()
	q, err := a.query(c, flowers)
	if err != nil {
		return routing.Result{}, err
	}
	if memory, ok := flowers.(*Memory); ok && q == (query{}) && memory.Ping(ctx) == nil {
		all := memory.current.Load()
		return jsonWithETag(c, all.tag, all.json)
	}
	if q.page.Revision, err = flowers.Revision(ctx); err != nil {
		return routing.Result{}, refusal(ctx, err)
	}
	tag := q.tag(q.page.Revision)
	if err := tag.check(c); err != nil {
		return routing.Result{}, err
	}
	if q.page.Limit == 0 {
		tag.set(c.Header())
		status := cmp.Or(c.Status(), http.StatusOK)
		return routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a.stream(&array{w: w, status: status}, r, flowers, q)
		}))(c)
	}
	return a.page(c, flowers, q, tag)
}

// page responds with the flowers of a page.
func (a *App) page(c routing.Context, flowers records, q query, tag entityTag) (routing.Result, error) {
	var out array
	var last []byte // the last record of the page
	limit, size, more := q.page.Limit, 0, false
	q.page.Limit++
	err := q.search(c.Request().Context(), flowers, func() bool {
		tag, out, size, more = "", array{}, 0, false
		return true
	}, func(record []byte) error {
		if more = size == limit; !more {
			out.add(record)
			size, last = size+1, out.json[len(out.json)-len(record):]
		}
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return routing.Result{}, halt(afterNotFound)
	}
	if err != nil {
		return routing.Result{}, refusal(c.Request().Context(), err)
	}
	tag.set(c.Header())
	if more {
		c.Header()["Link"] = []string{q.nextLink(c.Request(), limit, decode(last).Slug)}
	}
	out.close()
	return routing.Bytes(jsonType, out.json), nil
}

// search calls each for the flowers of the query. If they changed after their revision was read, it
// calls changed. If changed returns true, it begins again with the new flowers, and the response
// must not have a tag.
func (q query) search(ctx context.Context, flowers records, changed func() bool, each func(record []byte) error) error {
	err := flowers.search(ctx, q.folded, q.page, each)
	if errors.Is(err, ErrChanged) && changed() {
		q.page.Revision = ""
		err = flowers.search(ctx, q.folded, q.page, each)
	}
	return err
}

// stream writes the flowers of the query as they are found.
func (a *App) stream(out *array, r *http.Request, flowers records, q query) {
	if r.Method == http.MethodHead { // the headers are set, and the search would be wasted
		out.w.WriteHeader(out.status)
		return
	}
	err := q.search(r.Context(), flowers, func() bool {
		out.w.Header().Del("Etag")
		out.json = nil // the Store may have yielded flowers before it noticed the change
		return !out.sent
	}, out.add)
	if err == nil {
		out.close()
		err = out.flush()
	}
	switch {
	case err == nil, out.failed: // the client has disconnected
	case out.sent:
		a.routes.Logger().ErrorContext(r.Context(), "list broke off", "error", err)
		panic(http.ErrAbortHandler) // otherwise the client would not detect the incomplete list
	case isUnavailable(r.Context(), err):
		write(out.w, unavailable)
	default:
		a.routes.Logger().ErrorContext(r.Context(), "list failed", "error", err)
		write(out.w, failed)
	}
}

// array writes records as a JSON array, about 16 KiB at a time. Without w, it keeps all records.
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

// begin adds the separator before a record.
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

// flush writes the buffered bytes.
func (a *array) flush() error {
	if len(a.json) == 0 {
		return nil
	}
	if !a.sent {
		a.w.WriteHeader(a.status) // even if it is 200: in NoRoute, the default of gin's writer is 404
	}
	_, err := a.w.Write(a.json)
	a.json, a.sent, a.failed = a.json[:0], true, err != nil
	return err
}

// query selects the flowers of a request to /flowers. The zero query selects all.
type query struct {
	name   string // a text that the names contain
	folded string // the same, folded
	page   Page
}

// maxSearch is the maximum number of characters of a text to search for with WithStore. The limit
// of a URL would allow a text that takes a second to fold.
const maxSearch = 8192

// query reads the parameters: name, and with pages also after and limit.
func (a *App) query(c routing.Context, flowers records) (q query, err error) {
	if c.Request().URL.RawQuery == "" {
		q.page.Limit = a.pageLimit
		return q, nil
	}
	q.name = c.Params().GetOr("name", "")
	if a.store != nil && utf8.RuneCountInString(q.name) > maxSearch {
		return query{}, badRequest("name must have at most %d characters", maxSearch)
	}
	if memory, ok := flowers.(*Memory); ok {
		q.folded = memory.load().names.Fold(q.name)
	} else {
		q.folded = Fold(q.name)
	}
	if a.pageLimit == 0 {
		return q, nil
	}
	q.page.After = c.Params().GetOr("after", "")
	limit, err := strconv.ParseUint(c.Params().GetOr("limit", strconv.Itoa(a.pageLimit)), 10, 31)
	if err != nil || limit == 0 || limit > uint64(a.pageLimit) {
		return query{}, badRequest("limit must be a number from 1 to %d", a.pageLimit)
	}
	q.page.Limit = int(limit)
	return q, nil
}

func badRequest(format string, limit int) error {
	return halt(&routing.Problem{Status: http.StatusBadRequest, Detail: fmt.Sprintf(format, limit)})
}

// tag returns the ETag of the query's result in a revision. It is known before the search, so a
// client that has the result gets its 304 without a search.
func (q query) tag(revision string) entityTag {
	return tagOf(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", revision, q.folded, q.page.After, q.page.Limit))
}

// nextLink returns the Link header for the page after the flower last (RFC 8288). It is relative to
// the request's URL, so it works below any prefix. Other parameters are kept.
func (q query) nextLink(r *http.Request, limit int, last string) string {
	values := urlencoded.Parse(r.URL.RawQuery)
	if q.name != "" {
		values["name"] = []string{q.name}
	}
	values["after"] = []string{last}
	values["limit"] = []string{strconv.Itoa(limit)}
	return "<?" + values.Encode() + `>; rel="next"`
}
