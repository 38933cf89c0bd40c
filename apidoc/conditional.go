package apidoc

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/routing"
)

// This file evaluates conditional requests (RFC 9110, 13).

// Versioned sets the function that finds the version of an operation's entity. It is called before
// the operation's function, with its context and input. A GET or QUERY sends the version as ETag
// and Last-Modified, and responds with 304 if the client has it. A condition that does not hold
// makes a 412: If-Match, or else If-Unmodified-Since, and for other methods also If-None-Match.
//
// The entity may change after find, unless an interceptor begins a transaction that isolates or
// locks what find reads.
func Versioned[I any](find func(context.Context, I) (Version, error)) Option {
	if find == nil {
		panic("apidoc: Versioned: pass a function, not nil")
	}
	return option(func(d *definition) {
		d.conditions.input = reflect.TypeFor[I]()
		d.conditions.find = func(ctx context.Context, input reflect.Value) (Version, error) {
			return find(ctx, *input.Addr().Interface().(*I))
		}
	})
}

// RequireIfMatch refuses requests without If-Match with 428 (RFC 6585). The operation must be
// [Versioned], with a strong Tag, and not a GET or QUERY.
func RequireIfMatch() Option { return option(func(d *definition) { d.conditions.required = true }) }

// conditions are the options for conditional requests.
type conditions struct {
	input    reflect.Type
	find     func(context.Context, reflect.Value) (Version, error) // nil if the operation is not Versioned
	required bool
}

var (
	outdated      = newRefusal(http.StatusPreconditionFailed, "precondition_failed", "The entity has another version")
	unconditional = newRefusal(http.StatusPreconditionRequired, "precondition_required", "Send If-Match with the version that you change")
)

// versionHeaders are the headers of a version.
var versionHeaders = []openapi.Parameter{
	{Name: "ETag", In: "header", Description: "The version of the entity", Schema: &schema.Schema{Kind: "string"}},
	{Name: "Last-Modified", In: "header", Description: "When the entity was changed last", Schema: &schema.Schema{Kind: "string", Format: schema.HTTPDate}},
}

// check refuses conditions that the operation cannot have, and describes them in d.
func (c *conditions) check(input reflect.Type, d *definition) error {
	switch {
	case c.required && (c.find == nil || method.IsRead(d.method)):
		return fmt.Errorf("RequireIfMatch is for a PUT, PATCH, DELETE or POST with the option Versioned")
	case c.find == nil:
		return nil
	case c.input != input:
		return fmt.Errorf("the function of Versioned takes a %s: write one for %s", c.input, input)
	}
	for _, h := range c.headers(d.method) {
		if i := headerIndex(d.doc.Parameters, h.Name); i >= 0 {
			d.doc.Parameters[i].Required = d.doc.Parameters[i].Required || h.Required
			continue
		}
		h.In, h.Schema = "header", &schema.Schema{Kind: "string"}
		d.doc.Parameters = append(d.doc.Parameters, h)
	}
	d.moreResponses = append(d.moreResponses, problemResponse(outdated, versionHeaders...))
	if c.required {
		d.moreResponses = append(d.moreResponses, problemResponse(unconditional))
	}
	return nil
}

// headers returns the described headers of conditional requests.
func (c *conditions) headers(httpMethod string) []openapi.Parameter {
	if method.IsRead(httpMethod) {
		return []openapi.Parameter{
			{Name: "If-None-Match", Description: "The ETag that the client has: if the entity still has it, the response is a 304"},
			{Name: "If-Modified-Since", Description: "The Last-Modified that the client has: if the entity has not changed since, the response is a 304"},
		}
	}
	match := openapi.Parameter{
		Name: "If-Match", Required: c.required,
		Description: "The ETag of the version to change: if the entity has another one, the response is a 412",
	}
	if c.required {
		return []openapi.Parameter{match}
	}
	return []openapi.Parameter{
		match,
		{Name: "If-Unmodified-Since", Description: "The Last-Modified of the version to change: if the entity has changed since, the response is a 412"},
		{Name: "If-None-Match", Description: "* to create what must not exist yet: if it exists, the response is a 412"},
	}
}

// headerIndex returns the index of a header, or -1.
func headerIndex(list []openapi.Parameter, name string) int {
	return slices.IndexFunc(list, func(p openapi.Parameter) bool { return p.In == "header" && strings.EqualFold(p.Name, name) })
}

// evaluate returns the version of the entity, and an error if the request's conditions do not hold.
func (c *conditions) evaluate(ctx context.Context, r *http.Request, input reflect.Value) (v Version, err error) {
	if c.required && r.Header["If-Match"] == nil {
		return Version{}, unconditional
	}
	if v, err = c.find(ctx, input); err != nil {
		return Version{}, err
	}
	v.Tag = v.quoted()
	if c.required && !v.isZero() && !isTag(v.Tag) { // RFC 9110, 13.1.1
		return Version{}, fmt.Errorf("apidoc: RequireIfMatch: the version %q, of %v, matches no If-Match: return a tag, without W/", v.Tag, v.Time)
	}
	switch status := refusedBy(r, v); status {
	case http.StatusNotModified:
		halt := &routing.HaltError{Status: status, Header: make(http.Header)}
		v.set(halt.Header)
		return Version{}, halt
	case http.StatusPreconditionFailed:
		return v, outdated
	}
	return v, nil
}

// refusedByHeaders evaluates the request's conditions for the version in the response's headers. It
// returns the status of a refusal, or 0.
func refusedByHeaders(c routing.Context) int {
	r, h := c.Request(), c.Header()
	var at time.Time
	if text := h.Get("Last-Modified"); text != "" {
		at, _ = http.ParseTime(text)
	}
	v := Version{h.Get("Etag"), at} // the canonical name, so that Get need not make it
	if v.isZero() {
		return 0
	}
	return refusedBy(r, v)
}
