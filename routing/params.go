package routing

import (
	"net/http"
	"net/url"
	"slices"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/request"
)

// Params reads the parameters of a request: the captures of the route or filter, the query, and a
// form. If a key is captured, only its captures count; otherwise the query comes before the form.
//
// A form is a urlencoded body of a request received as POST, PUT, PATCH or QUERY. For a multipart
// form, add the filter respond.Multipart. The text of a JSON body is the value of the empty key. A
// body that Params reads can still be read from its beginning.
//
// If parameters of such a body are read before the response, but it is too long or incomplete,
// there are none, and the request fails with a [RequestError], unless it fails with another error.
type Params struct {
	c Context
}

// Get returns the first value of key, and whether there is one.
func (p Params) Get(key string) (string, bool) {
	value, ok, _ := p.find(key, false)
	return value, ok
}

// GetOr returns the first value of key, or fallback if there is none.
func (p Params) GetOr(key, fallback string) string {
	if value, ok, _ := p.find(key, false); ok {
		return value
	}
	return fallback
}

// Require returns the first value of key, or an error, such as a [ParamError] if there is none.
func (p Params) Require(key string) (string, error) {
	value, ok, err := p.find(key, false)
	if !ok && err == nil {
		err = &ParamError{Key: key}
	}
	return value, err
}

// Path is Get for the captures alone.
func (p Params) Path(key string) (string, bool) {
	value, ok, _ := p.find(key, true)
	return value, ok
}

// Query returns a copy of the values of the query.
func (p Params) Query() url.Values {
	return p.query().Values()
}

// Form returns a copy of the form's values.
func (p Params) Form() (url.Values, error) {
	form, err := p.form()
	if err != nil {
		return url.Values{}, err
	}
	return form.Values(), nil
}

// Values returns all values of key in order.
func (p Params) Values(key string) []string {
	values := []string{}
	s := p.c.prepared
	for _, captures := range [...]*variant{s.variant, s.ofRoute} {
		for k, value := range captures.All(p.c.path()) {
			if k == key {
				values = append(values, value)
			}
		}
		if len(values) > 0 {
			return values
		}
	}
	if value, ok := p.Path(key); ok { // of a mount prefix
		return []string{value}
	}
	err := p.sent(key, func(value string) bool {
		values = append(values, value)
		return true
	})
	if err != nil {
		return []string{}
	}
	return values
}

// Keys returns the keys that have values, sorted.
func (p Params) Keys() []string {
	keys := []string{}
	s := p.c.prepared
	for _, captures := range [...]*variant{s.variant, s.ofRoute} {
		for key := range captures.All(p.c.path()) {
			keys = append(keys, key)
		}
	}
	s.mountPoint.captures(p.c.urlPath(), func(key, _ string) { keys = append(keys, key) })
	keys = p.query().AppendKeys(keys)
	if form, err := p.form(); err == nil {
		keys = form.AppendKeys(keys)
	}
	if text, _ := p.json(); text != "" {
		keys = append(keys, "")
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Err returns a [RequestError] if the body cannot be read for parameters, or nil.
func (p Params) Err() error {
	if _, err := p.form(); err != nil {
		return err
	}
	_, err := p.json()
	return err
}

// find returns the first value of key in the path or, unless pathOnly is set, in the query and
// body.
func (p Params) find(key string, pathOnly bool) (value string, ok bool, err error) {
	s := p.c.prepared
	// Most keys are captures of the route or filter itself.
	if value, ok := s.variant.First(p.c.path(), key); ok {
		return value, true, nil
	}
	if s.ofRoute != nil {
		value, ok = s.ofRoute.First(p.c.path(), key)
	}
	if !ok && slices.Contains(s.mountPoint.params, key) {
		s.mountPoint.captures(p.c.urlPath(), func(k, nearest string) {
			if k == key {
				value, ok = nearest, true
			}
		})
	}
	if !ok && !pathOnly {
		err = p.sent(key, func(first string) bool {
			value, ok = first, true
			return false
		})
	}
	return value, ok, err
}

// sent calls yield with the values of key in the query and the body, in order, until it returns
// false.
func (p Params) sent(key string, yield func(value string) bool) error {
	if key == "" {
		if text, err := p.json(); text != "" || err != nil {
			if err == nil {
				yield(text)
			}
			return err
		}
	}
	inQuery := false
	if !p.query().Each(key, func(value string) bool { inQuery = true; return yield(value) }) {
		return nil
	}
	form, err := p.form()
	if err == nil {
		form.Each(key, yield)
	}
	if !inQuery {
		p.warnOfJSON(key)
	}
	return err
}

// warnOfJSON logs once for each route that an action has requested a parameter of a JSON body.
func (p Params) warnOfJSON(key string) {
	app := p.c.prepared.mountPoint.app
	if key == "" || app == nil || p.c.r.ContentLength == 0 || !form.IsJSON(p.c.r) {
		return
	}
	if _, known := app.warned.LoadOrStore(p.c.r.Pattern, nil); !known {
		p.c.Logger().Warn("an action read a parameter of a request with a JSON body: decode the body instead",
			"route", p.c.r.Pattern, "parameter", key)
	}
}

// withPathValues returns a copy of the request that has captures as path values: all captures of
// the mount prefixes, and of the pattern's captures the ones in names, or all if names is nil. Of a
// repeated name the first value counts, as in [Params.Get]. Without captures it returns the request
// itself.
func (c Context) withPathValues(names []string) *http.Request {
	c = c.orEmpty()
	values := request.PathValues{Request: c.r}
	c.captures(names, values.Set)
	return values.Request
}

// captures calls f with the captures of mount prefixes, outermost first, and then with the captures
// of the pattern, so that a later call overrides an earlier one with the same key. Of the pattern,
// it uses only the given names, or all if names is nil. A parameter without a value is empty.
func (c Context) captures(names []string, f func(key, value string)) {
	for _, key := range c.prepared.variant.MayLack() {
		// An outer ServeMux, or an earlier route, may have set a value of the same name.
		if (names == nil || slices.Contains(names, key)) && c.r.PathValue(key) != "" {
			f(key, "")
		}
	}
	if c.prepared.mountPoint.varies {
		c.prepared.mountPoint.captures(c.urlPath(), f)
	}
	var array [8]string // enough for most patterns
	set := array[:0]
	for key, value := range c.prepared.variant.All(c.path()) {
		if (names == nil || slices.Contains(names, key)) && !slices.Contains(set, key) {
			set = append(set, key)
			f(key, value)
		}
	}
}

// query returns the fields of the query.
func (p Params) query() urlencoded.Fields {
	text := p.c.r.URL.RawQuery
	if m := p.c.prepared.matchedURL; m != nil {
		return m.query.Fields(text)
	}
	return urlencoded.Of(text)
}

// form returns the form, and reads it if needed.
func (p Params) form() (urlencoded.Fields, error) {
	body := form.Of(p.c.r)
	fields, problem := body.Form(p.c.r, p.c.prepared.bodyLimit)
	return fields, p.refuse(body, problem)
}

// json returns the body if it is JSON, or the empty string.
func (p Params) json() (string, error) {
	body := form.Of(p.c.r)
	text, problem := body.JSON(p.c.r, p.c.prepared.bodyLimit)
	return text, p.refuse(body, problem)
}

// refuse records that the parameters cannot be read, so that the request fails, and returns the
// error. Without a problem it returns nil.
func (p Params) refuse(body *form.Body, problem *form.Error) error {
	if problem == nil {
		return nil
	}
	body.Refuse(problem)
	return &RequestError{problem.Status, problem.Err}
}

// path returns the part of the path that patterns match, from which captures are cut. It is empty
// if middleware has shortened the path meanwhile.
func (c Context) path() string {
	if m := c.prepared.matchedURL; m != nil {
		return m.path
	}
	switch path, base := c.r.URL.Path, c.prepared.base; {
	case base < 0:
		path, _ = c.prepared.mountPoint.cutBase(path)
		return path
	case len(path) > base:
		return path[base:]
	case len(path) == base:
		return "/"
	}
	return ""
}
