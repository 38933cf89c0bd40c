package flowercatalog

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file reads the query of a request for flowers, and makes the link to the next page.

// query says which flowers a request to /flowers wants. The zero query is all of them.
type query struct {
	name   string // a text that the names contain
	folded string // the same, folded
	page   Page
}

// longestSearch is the maximum number of characters of a text to search for in a [Store]. The limit
// of a URL would allow one that takes a second to fold. In memory the longest name is the limit.
const longestSearch = 8192

// query reads the parameters: name, and with pages also after and limit.
func (a *App) query(c routing.Context, flowers records) (q query, err error) {
	if c.Request().URL.RawQuery == "" {
		q.page.Limit = a.pageLimit
		return q, nil
	}
	if q.name, err = parameter(c, "name"); err != nil {
		return query{}, err
	}
	if a.stored.Store != nil && utf8.RuneCountInString(q.name) > longestSearch {
		return query{}, badRequest("name must have at most %d characters", longestSearch)
	}
	q.folded = flowers.fold(q.name)
	if a.pageLimit == 0 {
		return q, nil
	}
	if q.page.After, err = parameter(c, "after"); err != nil {
		return query{}, err
	}
	q.page.Limit, err = a.limit(c)
	return q, err
}

// parameter returns the first value of key, or "" if there is none.
func parameter(c routing.Context, key string) (string, error) {
	value, err := c.Params().Require(key)
	if errors.Is(err, routing.ErrNoParam) {
		return "", nil
	}
	return value, err
}

func (a *App) limit(c routing.Context) (int, error) {
	text, err := c.Params().Require("limit")
	if errors.Is(err, routing.ErrNoParam) {
		return a.pageLimit, nil
	}
	if err != nil {
		return 0, err
	}
	limit, err := strconv.ParseUint(text, 10, 31)
	if err != nil || limit == 0 || limit > uint64(a.pageLimit) {
		return 0, badRequest("limit must be a number from 1 to %d", a.pageLimit)
	}
	return int(limit), nil
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
func (q query) nextLink(r *http.Request, last string) string {
	values := urlencoded.Parse(r.URL.RawQuery)
	if q.name != "" {
		values["name"] = []string{q.name}
	}
	values["after"] = []string{last}
	values["limit"] = []string{strconv.Itoa(q.page.Limit)}
	return "<?" + values.Encode() + `>; rel="next"`
}
