package apidoc

import (
	"context"
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

// asks reports whether a request can be refused.
func (s *Security) asks() bool {
	return slices.ContainsFunc(s.ways, func(w way) bool { return w.ask != nil })
}

// securityResponses describes the responses to refused requests.
func securityResponses(all []*Security) []Response {
	if !slices.ContainsFunc(all, (*Security).asks) {
		return nil
	}
	unauthorized := responseOf(Unauthorized)
	unauthorized.Headers = []Parameter{{Name: "WWW-Authenticate", In: InHeader, Description: "How to authorize"}}
	return []Response{unauthorized, responseOf(Forbidden)}
}

// authorize returns nil after all have allowed the request, or the error of the first that refuses
// it. The request gets the context that the functions return, in place: so it reaches keys and
// after filters too.
func authorize(c routing.Context, all []*Security) error {
	for _, s := range all {
		ctx, err := s.authorize(c)
		if err != nil {
			return err
		}
		if r := c.Request(); ctx != nil {
			*r = *r.WithContext(ctx)
		}
	}
	return nil
}

// authorize returns the context of the first way that allows the request, nil if it is unchanged.
// If none does, it returns the most important error, and tells the client how to authorize.
func (s *Security) authorize(c routing.Context) (context.Context, error) {
	r := c.Request()
	var refused error // the error of the way at refusedBy
	var refusedBy, worst int
	var room [4]bool
	sent := room[:0] // which credentials the request has
	for i, w := range s.ways {
		if w.ask == nil {
			return nil, nil
		}
		credentials, has := w.read(r)
		sent = append(sent, has)
		err := error(Unauthorized)
		if has {
			var ctx context.Context
			if ctx, err = w.ask(r.Context(), credentials); err == nil {
				return ctx, nil
			}
		}
		if rank := rankOf(routing.StatusOf(r, err), has); rank > worst {
			refused, refusedBy, worst = err, i, rank
		}
	}
	switch routing.StatusOf(r, refused) {
	case http.StatusUnauthorized:
		for i, w := range s.ways {
			reason := ""
			if sent[i] {
				reason = "invalid_token"
			}
			c.Header().Add("WWW-Authenticate", w.challenge(reason))
		}
	case http.StatusForbidden:
		if w := s.ways[refusedBy]; w.Scheme.Scheme == "bearer" {
			c.Header().Add("WWW-Authenticate", w.challenge("insufficient_scope"))
		}
	}
	return nil, refused
}

// rankOf says how important an error is: missing credentials least, and most what the client cannot
// change.
func rankOf(status int, sent bool) int {
	switch {
	case !sent:
		return 1
	case status == http.StatusUnauthorized:
		return 2
	case status < http.StatusInternalServerError:
		return 3
	}
	return 4
}

// read returns the credentials of one way, and whether the request has them.
func (w way) read(r *http.Request) (c Credentials, ok bool) {
	c = Credentials{Scopes: w.scopes, Request: r}
	switch {
	case w.Kind == "apiKey":
		keys := sentIn(r, Place(w.In), w.Key, nil, false, nil)
		if ok = len(keys) > 0; ok {
			c.Token = keys[0]
		}
	case w.Scheme.Scheme == "basic":
		c.Username, c.Password, ok = r.BasicAuth()
	default:
		const scheme = "bearer "
		header := r.Header.Get("Authorization")
		if ok = len(header) > len(scheme) && strings.EqualFold(header[:len(scheme)], scheme); ok {
			c.Token = header[len(scheme):]
		}
	}
	return c, ok
}

// challenge returns the value of the header WWW-Authenticate (RFC 9110, 11.6.1). The reason is that
// of RFC 6750, 3.1, for a bearer token that was sent.
func (w way) challenge(reason string) string {
	switch {
	case w.Kind == "apiKey":
		return fmt.Sprintf("ApiKey in=%q, name=%q", w.In, w.Key)
	case w.Scheme.Scheme == "basic":
		return fmt.Sprintf("Basic realm=%q, charset=\"UTF-8\"", w.Name)
	}
	var attributes []string
	if reason != "" {
		attributes = append(attributes, fmt.Sprintf("error=%q", reason))
	}
	if len(w.scopes) > 0 {
		attributes = append(attributes, fmt.Sprintf("scope=%q", strings.Join(w.scopes, " ")))
	}
	return strings.TrimRight("Bearer "+strings.Join(attributes, ", "), " ")
}
