package apidoc

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/flowercafe/routing"
)

// This file answers conditional requests (RFC 9110, 13).

// Versioned says how the version of an operation's entity is found, after the input was checked
// and before the operation's function runs. A GET sends it as ETag and Last-Modified, and a client
// that has it gets a 304. A request whose If-Match, If-Unmodified-Since or If-None-Match does not
// hold gets a 412. An error of find is an error of the operation.
//
// Find runs inside of the interceptors, with their context: in a transaction that [Intercept]
// begins, nothing changes the entity between find and the operation's function, if the transaction
// locks or isolates what it reads. Without one, compare the version again when you write. A GET
// that has its version only after the work needs no Versioned: it gets a 304 too if its output has
// a header ETag or Last-Modified. A nil function panics, as does one for another input.
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

// MatchRequired refuses a request without If-Match and If-Unmodified-Since with 428 (RFC 6585), so
// that nobody overwrites a change that they have not seen. The operation must be [Versioned] and
// must not be a GET.
func MatchRequired() Option { return option(func(d *definition) { d.conditions.required = true }) }

var (
	outdated      = refuse(http.StatusPreconditionFailed, "precondition_failed", "The entity has another version")
	unconditional = refuse(http.StatusPreconditionRequired, "precondition_required", "Send If-Match with the version that you change")
	tagHeaders    = []Parameter{
		{Name: "ETag", Type: TypeOf[string](), Description: "The version of the entity"},
		{Name: "Last-Modified", Type: TypeOf[time.Time](), Description: "When the entity was changed last"},
	}
)

// describe adds the headers and the responses to d.
func (c *conditions) describe(input reflect.Type, d *definition) error {
	switch {
	case c.required && (c.find == nil || isSafe(d.method)):
		return fmt.Errorf("MatchRequired is for a PUT, PATCH, DELETE or POST with the option Versioned")
	case c.find == nil:
		return nil
	case c.input != input:
		return fmt.Errorf("the function of Versioned takes a %s: write one for %s", c.input, input)
	}
	names := []string{"If-Match", "If-Unmodified-Since", "If-None-Match"}
	if isSafe(d.method) {
		names = []string{"If-None-Match", "If-Modified-Since"}
	}
	for _, name := range names {
		if !hasHeader(d.op.Parameters, name) {
			d.op.Parameters = append(d.op.Parameters, Parameter{Name: name, In: InHeader})
		}
	}
	d.op.responds(responseOf(outdated))
	if c.required {
		d.op.responds(responseOf(unconditional))
	}
	return nil
}

func hasHeader(list []Parameter, name string) bool {
	return slices.ContainsFunc(list, func(p Parameter) bool { return (p.In == InHeader || p.In == "") && strings.EqualFold(p.Name, name) })
}

// check returns an error if the request's conditions do not hold.
func (c *conditions) check(ctx context.Context, call routing.Context, input reflect.Value) error {
	r := call.Request()
	if c.required && r.Header["If-Match"] == nil && r.Header["If-Unmodified-Since"] == nil {
		return unconditional
	}
	v, err := c.find(ctx, input)
	if err != nil {
		return err
	}
	v.Tag = v.quoted()
	status := refusedBy(r, v)
	if isSafe(r.Method) || status != 0 { // else it would be the version before the change
		if v.Tag != "" {
			call.Header().Set("ETag", v.Tag)
		}
		if !v.Time.IsZero() {
			call.Header().Set("Last-Modified", v.Time.UTC().Format(http.TimeFormat))
		}
	}
	switch status {
	case http.StatusNotModified:
		return &routing.HaltError{Status: status}
	case http.StatusPreconditionFailed:
		return outdated
	}
	return nil
}
