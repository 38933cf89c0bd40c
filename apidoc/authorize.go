package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// This file authorizes requests before an operation runs.

// An [Authenticate] function returns these errors for a 401 or a 403.
var (
	ErrUnauthorized = newRefusal(http.StatusUnauthorized, "unauthorized", "Unauthorized")
	ErrForbidden    = newRefusal(http.StatusForbidden, "forbidden", "Forbidden")
)

// securityResponses describes the responses to refused requests, if any can be refused.
func securityResponses(all []*Security) []openapi.Response {
	checks := func(s *Security) bool {
		return slices.ContainsFunc(s.alternatives, func(alt alternative) bool { return alt.authenticate != nil })
	}
	if !slices.ContainsFunc(all, checks) {
		return nil
	}
	challenge := openapi.Parameter{Name: "WWW-Authenticate", In: "header", Description: "How to authorize", Schema: &schema.Schema{Kind: "string"}}
	unauthorized, forbidden := problemResponse(ErrUnauthorized, challenge), problemResponse(ErrForbidden)
	isBearer := func(s *Security) bool {
		return slices.ContainsFunc(s.alternatives, func(alt alternative) bool { return alt.authenticate != nil && alt.Scheme.Scheme == "bearer" })
	}
	if slices.ContainsFunc(all, isBearer) { // with the scopes that are needed (RFC 6750, 3.1)
		forbidden.Headers = unauthorized.Headers
	}
	return []openapi.Response{unauthorized, forbidden}
}

// authorize returns nil if every Security allows the request, and otherwise the first error.
func authorize(c routing.Context, all []*Security) (err error) {
	var buffer [4]authResult
	results := buffer[:0]
	for _, s := range all {
		if results, err = s.authorize(c, results); err != nil {
			return err
		}
	}
	return nil
}

// authResult is the result of checking a request's credentials for a scheme.
type authResult struct {
	scheme *openapi.Scheme
	sent   bool // whether the request has credentials
	err    error
}

// authorize returns no error if any alternative allows the request. Otherwise it returns the most
// important error, and adds WWW-Authenticate to the response of a 401 or 403. Schemes that are in
// results are not checked again; the results of the others are appended.
func (s *Security) authorize(c routing.Context, results []authResult) ([]authResult, error) {
	find := func(alt alternative) int {
		return slices.IndexFunc(results, func(a authResult) bool { return a.scheme == alt.Scheme })
	}
	isAllowed := func(alt alternative) bool { i := find(alt); return i >= 0 && results[i].err == nil }
	if slices.ContainsFunc(s.alternatives, isAllowed) {
		return results, nil
	}
	worst := -1
	for _, alt := range s.alternatives {
		i := find(alt)
		if i < 0 {
			i, results = len(results), append(results, alt.check(c))
		}
		if results[i].err == nil {
			return results, nil
		}
		if worst < 0 || results[i].rank(c) > results[worst].rank(c) {
			worst = i
		}
	}
	err := results[worst].err
	status := routing.StatusOf(c.Request(), err)
	for _, alt := range s.alternatives {
		switch a := results[find(alt)]; {
		case status == http.StatusUnauthorized && a.sent:
			c.Header().Add("WWW-Authenticate", alt.challenge("invalid_token"))
		case status == http.StatusUnauthorized:
			c.Header().Add("WWW-Authenticate", alt.challenge(""))
		case status == http.StatusForbidden && a.scheme == results[worst].scheme && a.scheme.Scheme == "bearer":
			c.Header().Add("WWW-Authenticate", alt.challenge("insufficient_scope"))
		}
	}
	return results, err
}

// check reads the credentials and calls the function. It sets the request's context to the context
// that the function returns, so that after filters see it too.
func (alt alternative) check(c routing.Context) authResult {
	if alt.authenticate == nil {
		return authResult{scheme: alt.Scheme}
	}
	r := c.Request()
	credentials, sent := alt.read(r)
	if !sent {
		return authResult{scheme: alt.Scheme, err: ErrUnauthorized}
	}
	credentials.Request = private.RequestWithPathValues(c) // a tenant in the path is checked too
	ctx, err := alt.authenticate(r.Context(), credentials)
	if err == nil && ctx != nil {
		*r = *r.WithContext(ctx)
	}
	return authResult{scheme: alt.Scheme, sent: true, err: err}
}

// rank returns the importance of an error: highest for errors that the client cannot correct,
// lowest for missing credentials.
func (a authResult) rank(c routing.Context) int {
	switch status := routing.StatusOf(c.Request(), a.err); {
	case !a.sent:
		return 1
	case status == http.StatusUnauthorized:
		return 2
	case status < http.StatusInternalServerError:
		return 3
	}
	return 4
}

// read returns the credentials for a scheme, and whether the request has them.
func (alt alternative) read(r *http.Request) (c Credentials, ok bool) {
	c.Scopes = alt.Scopes
	switch {
	case alt.Kind == "apiKey":
		keys := sentIn(r, routing.Location(alt.In), alt.Key, nil, false, nil)
		if ok = len(keys) > 0 && keys[0] != ""; ok {
			c.Token = keys[0]
		}
	case alt.Scheme.Scheme == "basic":
		c.Username, c.Password, ok = r.BasicAuth()
	default:
		// The scheme's name is case-insensitive and followed by spaces (RFC 9110, 11.1 and 11.4).
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		c.Token = strings.Trim(token, " ")
		ok = strings.EqualFold(scheme, "bearer") && c.Token != ""
	}
	return c, ok
}

// challenge returns a value of the header WWW-Authenticate (RFC 9110, 11.6.1). The code is an error
// code of RFC 6750, 3.1, which only bearer tokens have, or empty.
func (alt alternative) challenge(code string) string {
	switch {
	case alt.Kind == "apiKey":
		return fmt.Sprintf("ApiKey in=%q, name=%q", alt.In, alt.Key)
	case alt.Scheme.Scheme == "basic":
		return fmt.Sprintf("Basic realm=%q, charset=\"UTF-8\"", alt.Name)
	}
	var attributes []string
	if code != "" {
		attributes = append(attributes, fmt.Sprintf("error=%q", code))
	}
	if len(alt.Scopes) > 0 {
		attributes = append(attributes, fmt.Sprintf("scope=%q", strings.Join(alt.Scopes, " ")))
	}
	return strings.TrimRight("Bearer "+strings.Join(attributes, ", "), " ")
}

// Credentials are the credentials of a request.
type Credentials struct {
	Token    string   // a bearer token, or an API key
	Username string   // of [Basic]
	Password string   // of [Basic]
	Scopes   []string // that the operation needs

	// Request is the request. Its [http.Request.PathValue] has the captures of the path.
	Request *http.Request
}

// Authenticate checks credentials; it is not called for a request without them. It returns a
// context derived from ctx for the rest of the request, or nil for ctx itself, and
// [ErrUnauthorized], [ErrForbidden] or another error to refuse the request. It must be safe for
// concurrent use.
type Authenticate func(ctx context.Context, c Credentials) (context.Context, error)

// Security describes how requests are authorized. As an [Option] of a typed operation it is
// described, and checked before the input is read. If an operation has several Securities,
// including its API's, all must allow the request. It is safe for concurrent use.
//
// As a [routing.RouteOption], of a route or a mount, it is checked before the action, and not
// described:
//
//	g.RouteGroup().Mount("/files", files, bearer)
type Security struct {
	describeOption
	routeOption
	alternatives []alternative // one of them must allow the request
}

type routeOption = routing.RouteOption

// anyOf returns a Security with these alternatives.
func anyOf(alternatives ...alternative) *Security {
	s := &Security{alternatives: alternatives}
	s.routeOption = routing.Combine(guarded(true), routing.Wrap(func(action routing.Action) routing.Action {
		keys := keysOf([]*Security{s})
		return func(c routing.Context) (routing.Result, error) {
			if err := authorize(c, []*Security{s}); err != nil {
				return routing.Result{}, err
			}
			if keys != nil {
				outer, _ := keysOfRoutes.Get(c)
				keysOfRoutes.Set(c, slices.Concat(outer, keys))
			}
			return action(c)
		}
	}))
	return s
}

// keysOfRoutes has the names of the API keys in the query that the request's routes and mounts have
// checked. An operation that refuses unknown parameters allows them.
var keysOfRoutes = routing.NewKey[[]string]()

// guardedKey is the metadata key that marks operations, and other routes with a Security or Public.
type guardedKey struct{}

func guarded(is bool) routing.RouteOption { return routing.Meta(guardedKey{}, is) }

func isGuarded(r *routing.Route) bool {
	is, _ := r.Meta(guardedKey{}).(bool)
	return is
}

// checkGuarded refuses routes of a group with a Security that are not operations and have neither
// a Security nor Public.
func checkGuarded() routing.RouteOption {
	return routing.Combine(guarded(false), routing.Check(func(r *routing.Route) error {
		if isGuarded(r) {
			return nil
		}
		return errors.New("the group has a Security, which only typed operations check: " +
			"write an operation, or give the route the Security or apidoc.Public() as an option")
	}))
}

// alternative is a scheme, the required scopes, and the function that checks the credentials.
type alternative struct {
	openapi.Requirement
	authenticate Authenticate // nil if others check them
}
