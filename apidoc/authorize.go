package apidoc

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file authorizes requests before an operation runs.

// An [Authenticate] function returns these errors to refuse a request. Every operation with a
// [Security] describes them.
var (
	ErrUnauthorized = refuse(http.StatusUnauthorized, "unauthorized", "Unauthorized")
	ErrForbidden    = refuse(http.StatusForbidden, "forbidden", "Forbidden")
)

// securityResponses describes the responses to refused requests, if any can be refused.
func securityResponses(all []*Security) []openapi.Response {
	asks := func(s *Security) bool {
		return slices.ContainsFunc(s.ways, func(w way) bool { return w.authenticate != nil })
	}
	if !slices.ContainsFunc(all, asks) {
		return nil
	}
	how := openapi.Parameter{Name: "WWW-Authenticate", In: "header", Description: "How to authorize", Schema: &schema.Schema{Kind: "string"}}
	unauthorized, forbidden := problemResponse(ErrUnauthorized, how), problemResponse(ErrForbidden)
	isBearer := func(s *Security) bool {
		return slices.ContainsFunc(s.ways, func(w way) bool { return w.authenticate != nil && w.Scheme.Scheme == "bearer" })
	}
	if slices.ContainsFunc(all, isBearer) { // with the scopes that are needed (RFC 6750, 3.1)
		forbidden.Headers = unauthorized.Headers
	}
	return []openapi.Response{unauthorized, forbidden}
}

// authorize returns nil after all have allowed the request, or the error of the first that refuses
// it.
func authorize(c routing.Context, all []*Security) (err error) {
	var room [4]answer
	answers := room[:0]
	for _, s := range all {
		if answers, err = s.authorize(c, answers); err != nil {
			return err
		}
	}
	return nil
}

// answer is the result of a scheme's function for a request.
type answer struct {
	scheme *openapi.Scheme
	sent   bool // whether the request has credentials
	err    error
}

// authorize returns nil if any alternative allows the request. Otherwise it returns the most
// important error, and sets the challenge headers. It gets the known answers, and returns them with
// the new ones.
func (s *Security) authorize(c routing.Context, answers []answer) ([]answer, error) {
	find := func(w way) int {
		return slices.IndexFunc(answers, func(a answer) bool { return a.scheme == w.Scheme })
	}
	known := func(w way) bool { i := find(w); return i >= 0 && answers[i].err == nil }
	if slices.ContainsFunc(s.ways, known) {
		return answers, nil
	}
	worst := -1
	for _, w := range s.ways {
		i := find(w)
		if i < 0 {
			i, answers = len(answers), append(answers, w.answer(c))
		}
		if answers[i].err == nil {
			return answers, nil
		}
		if worst < 0 || answers[i].rank(c) > answers[worst].rank(c) {
			worst = i
		}
	}
	err := answers[worst].err
	status := routing.StatusOf(c.Request(), err)
	for _, w := range s.ways {
		switch a := answers[find(w)]; {
		case status == http.StatusUnauthorized && a.sent:
			c.Header().Add("WWW-Authenticate", w.challenge("invalid_token"))
		case status == http.StatusUnauthorized:
			c.Header().Add("WWW-Authenticate", w.challenge(""))
		case status == http.StatusForbidden && a.scheme == answers[worst].scheme && a.scheme.Scheme == "bearer":
			c.Header().Add("WWW-Authenticate", w.challenge("insufficient_scope"))
		}
	}
	return answers, err
}

// answer reads the credentials and asks the function. The request gets the context that the
// function returns, in place: so it reaches keys and after filters too.
func (w way) answer(c routing.Context) answer {
	if w.authenticate == nil {
		return answer{scheme: w.Scheme}
	}
	r := c.Request()
	credentials, sent := w.read(r)
	if !sent {
		return answer{w.Scheme, false, ErrUnauthorized}
	}
	credentials.Request = c.RequestWithPathValues() // a tenant in the path is checked too
	ctx, err := w.authenticate(r.Context(), credentials)
	if err == nil && ctx != nil {
		*r = *r.WithContext(ctx)
	}
	return answer{w.Scheme, true, err}
}

// rank orders errors by importance: missing credentials come last, errors that the client cannot
// change first.
func (a answer) rank(c routing.Context) int {
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
func (w way) read(r *http.Request) (c Credentials, ok bool) {
	c.Scopes = w.Scopes
	switch {
	case w.Kind == "apiKey":
		keys := sentIn(r, routing.Place(w.In), w.Key, nil, false, nil)
		if ok = len(keys) > 0 && keys[0] != ""; ok {
			c.Token = keys[0]
		}
	case w.Scheme.Scheme == "basic":
		c.Username, c.Password, ok = r.BasicAuth()
	default:
		// The name is in any letter case, followed by spaces (RFC 9110, 11.1 and
		// 11.4).
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		c.Token = strings.Trim(token, " ")
		ok = strings.EqualFold(scheme, "bearer") && c.Token != ""
	}
	return c, ok
}

// challenge returns the value of the header WWW-Authenticate (RFC 9110, 11.6.1). For a bearer token
// that was sent, it has the error code of RFC 6750, 3.1.
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
	if len(w.Scopes) > 0 {
		attributes = append(attributes, fmt.Sprintf("scope=%q", strings.Join(w.Scopes, " ")))
	}
	return strings.TrimRight("Bearer "+strings.Join(attributes, ", "), " ")
}
