package routing

import (
	"slices"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing/internal/form"
)

// Params holds the parameters of a request, from three places: the captures of the path, the
// query, and a form. If the path has a key, only the path's values count; otherwise the query's
// values come before the form's.
//
// A form is an urlencoded body, or a multipart one with [WithMultipart], of a request received as
// POST, PUT or PATCH. If the form was parsed before, for example by [http.Request.ParseForm], its
// values are taken from there. A JSON body (application/json or +json) that is not empty is the
// value of the empty key, unparsed. In a query or form, a percent sign that encodes nothing stands
// for itself, and bytes that are not UTF-8 stay as they are.
//
// The body is read when a parameter is first asked for that may be in it. It can then be read
// again by later readers.
//
// Parameters that cannot be read are absent: those beyond a limit, of a body that breaks off, or
// of a body that was read before without parsing a form. Require and Err then return a
// [RequestError]. If the action returns no error, the request fails with that one, so that a
// parameter that could not be read is never taken for one that was not sent.
type Params struct {
	c Context
}

// Params returns the parameters of the request.
func (c Context) Params() Params { return Params{c} }

// Get returns the first value of key, and whether there is one.
func (p Params) Get(key string) (string, bool) {
	value, ok, _ := p.find(key)
	return value, ok
}

// GetOr returns the first value of key, or fallback if there is none.
func (p Params) GetOr(key, fallback string) string {
	if value, ok, _ := p.find(key); ok {
		return value
	}
	return fallback
}

// Require returns the first value of key. If there is none, the error is a [ParamError], in which
// [errors.Is] finds [ErrNoParam]. If the parameters cannot be read, it is a [RequestError].
func (p Params) Require(key string) (string, error) {
	value, ok, err := p.find(key)
	switch {
	case ok:
		return value, nil
	case err != nil:
		return "", err
	default:
		return "", &ParamError{Key: key}
	}
}

// Path returns the first value of key in the path, and whether there is one. Queries and forms,
// which the client chooses freely, do not count.
func (p Params) Path(key string) (value string, ok bool) {
	p.captured(key, func(first string) bool {
		value, ok = first, true
		return false
	})
	return value, ok
}

// Last returns the last value of key, and whether there is one. In Rack and Rails, it is the value
// of a key that occurs several times, and the form's comes before the query's.
func (p Params) Last(key string) (value string, ok bool) {
	err := p.each(key, func(next string) bool {
		value, ok = next, true
		return true
	})
	if err != nil {
		return "", false
	}
	return value, ok
}

// Values returns all values of key in order. It is empty, never nil, if there are none.
func (p Params) Values(key string) []string {
	values := []string{}
	err := p.each(key, func(value string) bool {
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
	s := p.c.site
	if s == nil {
		return keys
	}
	for _, captures := range [...]*shape{s.own, s.ran} {
		for key := range captures.All(p.c.path()) {
			keys = append(keys, key)
		}
	}
	s.at.captures(p.c.urlPath(), func(key, _ string) { keys = append(keys, key) })
	keys = p.query().AppendKeys(keys)
	if form, err := p.form(); err == nil {
		keys = form.AppendKeys(keys)
	}
	if _, ok, _ := p.json(); ok {
		keys = append(keys, "")
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Err reads the parameters and returns a [RequestError] if that fails, or nil.
func (p Params) Err() error {
	if p.c.site == nil {
		return nil
	}
	_, err := p.form()
	if err == nil {
		_, _, err = p.json()
	}
	return err
}

// find returns the first value of key. Most are captures of the route or filter itself.
func (p Params) find(key string) (value string, ok bool, err error) {
	s := p.c.site
	if s == nil {
		return "", false, nil
	}
	if value, ok := s.own.First(p.c.path(), key); ok {
		return value, true, nil
	}
	take := func(first string) bool {
		value, ok = first, true
		return false
	}
	if !p.capturedBefore(key, take) {
		err = p.sent(key, take)
	}
	return value, ok, err
}

// each calls yield with the values of key, in order, until it returns false.
func (p Params) each(key string, yield func(value string) bool) error {
	if p.c.site == nil || p.captured(key, yield) {
		return nil
	}
	return p.sent(key, yield)
}

// sent calls yield with the values of key in the query and the body, in order, until it returns
// false.
func (p Params) sent(key string, yield func(value string) bool) error {
	if key == "" {
		if body, ok, err := p.json(); ok || err != nil {
			if ok {
				yield(body)
			}
			return err
		}
	}
	if !p.query().Each(key, yield) {
		return nil
	}
	form, err := p.form()
	if err != nil {
		return err
	}
	form.Each(key, yield)
	return nil
}

// captured calls yield with the values of key in the path, until it returns false. It reports
// whether there are any.
func (p Params) captured(key string, yield func(value string) bool) bool {
	s := p.c.site
	return s != nil && (p.capturedIn(s.own, key, yield) || p.capturedBefore(key, yield))
}

// capturedBefore is captured without the captures of the route or filter itself.
func (p Params) capturedBefore(key string, yield func(value string) bool) (found bool) {
	s := p.c.site
	if s.ran != nil && p.capturedIn(s.ran, key, yield) {
		return true
	}
	if !s.at.varies {
		return false
	}
	var nearest string
	s.at.captures(p.c.urlPath(), func(k, value string) {
		if k == key {
			nearest, found = value, true
		}
	})
	if found {
		yield(nearest)
	}
	return found
}

func (p Params) capturedIn(captures *shape, key string, yield func(value string) bool) (found bool) {
	for k, value := range captures.All(p.c.path()) {
		if k == key {
			if found = true; !yield(value) {
				break
			}
		}
	}
	return found
}

// captures calls f with the captures of mount prefixes, outermost first, and then with those of the
// pattern, so that inner ones win.
func (c Context) captures(f func(key, value string)) {
	if c.site.at.varies {
		c.site.at.captures(c.urlPath(), f)
	}
	if c.site.own != nil {
		for key, value := range c.site.own.All(c.path()) {
			f(key, value)
		}
	}
}

func (p Params) query() urlencoded.Fields {
	text := p.c.r.URL.RawQuery
	if m := p.c.site.matched; m != nil {
		return m.query.Fields(text)
	}
	return urlencoded.Of(text)
}

// form returns the form, and reads it if needed.
func (p Params) form() (fields urlencoded.Fields, err error) {
	body := p.body()
	if body == nil {
		return urlencoded.Fields{}, nil
	}
	fields, problem := body.Form(p.c.r, p.c.site.limits)
	return fields, p.refuse(body, problem)
}

func (p Params) json() (text string, ok bool, err error) {
	body := p.body()
	if body == nil {
		return "", false, nil
	}
	text, ok, problem := body.JSON(p.c.r, p.c.site.limits)
	return text, ok, p.refuse(body, problem)
}

// body returns the body, or nil if it cannot hold parameters.
func (p Params) body() *form.Body { return form.Of(p.c.r, p.c.site.at.app.settings.multipart) }

// refuse records that the parameters cannot be read, for the response.
func (p Params) refuse(body *form.Body, problem *form.Error) error {
	if problem == nil {
		return nil
	}
	body.Refuse(p.c.r, problem)
	return &RequestError{problem.Status, problem.Err}
}

// path returns the part of the path that patterns match, from which captures are cut. It is empty
// if middleware has shortened the path meanwhile.
func (c Context) path() string {
	switch path, base := c.r.URL.Path, c.site.base; {
	case base < 0 || c.site.matched != nil:
		path, _ = c.site.at.cut(c.urlPath())
		return path
	case len(path) > base:
		return path[base:]
	case len(path) == base:
		return "/"
	}
	return ""
}
