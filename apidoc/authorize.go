package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file authorizes requests before an operation runs.

// An [Authenticate] function returns these errors to refuse a request. Every operation with a
// [Security] describes them.
var (
	Unauthorized = Fail(http.StatusUnauthorized, "Unauthorized")
	Forbidden    = Fail(http.StatusForbidden, "Forbidden")
)

// Public removes the ways to authorize that earlier options have added, including those of the API.
func Public() Option {
	return option(func(d *definition) { d.op.Security = nil })
}

func (s *Security) apply(d *definition) { d.op.Security = append(d.op.Security, s) }

// asks reports whether a request can be refused.
func (s *Security) asks() bool {
	return slices.ContainsFunc(s.each(), func(way *Security) bool { return way.ask != nil })
}

// securityResponses describes the responses to refused requests.
func securityResponses(all []*Security) []Response {
	if !slices.ContainsFunc(all, (*Security).asks) {
		return nil
	}
	unauthorized := Unauthorized.response()
	unauthorized.Headers = []Parameter{{Name: "WWW-Authenticate", In: InHeader, Description: "How to authorize"}}
	return []Response{unauthorized, Forbidden.response()}
}

// authorize returns the context after all ways have allowed the request, or the error of the first
// that refuses it. It adds the header WWW-Authenticate to a 401.
func authorize(c routing.Context, all []*Security) (context.Context, error) {
	ctx := c.Request().Context()
	for _, s := range all {
		var given context.Context
		var err error
		for _, way := range s.each() {
			if given, err = way.authorize(ctx, c.Request()); err == nil {
				break
			}
		}
		if p := (*Problem)(nil); errors.As(err, &p) && p != nil && p.Status == http.StatusUnauthorized {
			for _, way := range s.each() {
				c.Header().Add("WWW-Authenticate", way.challenge())
			}
		}
		if err != nil {
			return nil, err
		}
		ctx = given
	}
	return ctx, nil
}

// authorize reads the credentials of one way, and calls its function.
func (s *Security) authorize(ctx context.Context, r *http.Request) (context.Context, error) {
	if s.ask == nil {
		return ctx, nil
	}
	c := Credentials{Scopes: s.scopes, Request: r}
	var ok bool
	switch {
	case s.scheme.Kind == "apiKey":
		keys := sentIn(r, Place(s.scheme.In), s.scheme.Key, nil, false, nil)
		if ok = len(keys) > 0; ok {
			c.Token = keys[0]
		}
	case s.scheme.Scheme == "basic":
		c.Username, c.Password, ok = r.BasicAuth()
	default:
		const scheme = "bearer "
		header := r.Header.Get("Authorization")
		if ok = len(header) > len(scheme) && strings.EqualFold(header[:len(scheme)], scheme); ok {
			c.Token = header[len(scheme):]
		}
	}
	if !ok {
		return ctx, Unauthorized
	}
	given, err := s.ask(ctx, c)
	if err == nil && given == nil {
		given = ctx
	}
	return given, err
}

// challenge returns the value of the header WWW-Authenticate (RFC 9110, 11.6.1).
func (s *Security) challenge() string {
	switch {
	case s.scheme.Kind == "apiKey":
		return fmt.Sprintf("ApiKey in=%q, name=%q", s.scheme.In, s.scheme.Key)
	case s.scheme.Scheme == "basic":
		return fmt.Sprintf("Basic realm=%q, charset=\"UTF-8\"", s.scheme.Name)
	case len(s.scopes) > 0:
		return fmt.Sprintf("Bearer scope=%q", strings.Join(s.scopes, " "))
	}
	return "Bearer"
}
