package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/document"
	"example.com/flowercafe/routing"
)

// This file asks who a client is and what it may do, before an operation runs.

// Credentials are what a client has sent.
type Credentials struct {
	Token    string   // a bearer token, or an API key
	Username string   // of [Basic]
	Password string   // of [Basic]
	Scopes   []string // that the operation needs
	Request  *http.Request
}

// Authenticate decides on credentials. It returns the context that the operation gets, with the
// user in it for example. The error [Unauthorized] is a 401, [Forbidden] a 403; any other is
// treated as one of the operation.
type Authenticate func(ctx context.Context, c Credentials) (context.Context, error)

// The problems of an [Authenticate]. Every operation with a [Security] describes them.
var (
	Unauthorized = Fail(http.StatusUnauthorized, "Unauthorized")
	Forbidden    = Fail(http.StatusForbidden, "Forbidden")
)

// Security is a way to authorize requests. As an [Option] it is described, and asked before the
// operation reads its input. Of several, all must allow a request; for one of several see [AnyOf].
// It is immutable and safe for concurrent use.
type Security struct {
	scheme       document.Scheme
	scopes       []string
	ask          Authenticate
	alternatives []*Security
}

// Bearer is a token in the header Authorization (RFC 6750). The name is the scheme's in the
// description. With a nil function the scheme is described only, for hosts that ask in a filter;
// this is so for all schemes.
func Bearer(name string, ask Authenticate) *Security {
	return &Security{scheme: document.Scheme{Name: name, Kind: "http", Scheme: "bearer"}, ask: ask}
}

// Basic is a user's name and password in the header Authorization (RFC 7617).
func Basic(name string, ask Authenticate) *Security {
	return &Security{scheme: document.Scheme{Name: name, Kind: "http", Scheme: "basic"}, ask: ask}
}

// APIKey is a key in a header, a query or a cookie. Any other place panics.
func APIKey(name string, in Place, key string, ask Authenticate) *Security {
	if in != InHeader && in != InQuery && in != InCookie || key == "" {
		panic(fmt.Sprintf("apidoc: APIKey %s: write apidoc.InHeader, InQuery or InCookie, and the key's name", name))
	}
	return &Security{scheme: document.Scheme{Name: name, Kind: "apiKey", In: string(in), Key: key}, ask: ask}
}

// OAuthFlow is one way to get a token of OAuth 2.
type OAuthFlow struct {
	Kind             string // implicit, password, clientCredentials or authorizationCode
	AuthorizationURL string
	TokenURL         string
	RefreshURL       string
	Scopes           map[string]string // to their descriptions
}

// OAuth2 is a bearer token of OAuth 2. The flows describe how to get one, and which scopes there
// are.
func OAuth2(name string, ask Authenticate, flows ...OAuthFlow) *Security {
	scheme := document.Scheme{Name: name, Kind: "oauth2", Scheme: "bearer"}
	for _, f := range flows {
		switch f.Kind {
		case "implicit", "password", "clientCredentials", "authorizationCode":
		default:
			panic(fmt.Sprintf("apidoc: OAuth2 %s: flow %q: write implicit, password, clientCredentials or authorizationCode", name, f.Kind))
		}
		if f.Scopes == nil {
			f.Scopes = map[string]string{}
		}
		scheme.Flows = append(scheme.Flows, document.Flow(f))
	}
	return &Security{scheme: scheme, ask: ask}
}

// OpenID is a bearer token of OpenID Connect. The address is that of the discovery document.
func OpenID(name, discoveryURL string, ask Authenticate) *Security {
	return &Security{scheme: document.Scheme{Name: name, Kind: "openIdConnect", Scheme: "bearer", URL: discoveryURL}, ask: ask}
}

// Scopes returns the same way, with scopes that an operation needs. The function is told them.
func (s *Security) Scopes(scopes ...string) *Security {
	c := *s
	c.scopes = scopes
	return &c
}

// AnyOf allows a request that one of the ways allows.
func AnyOf(ways ...*Security) *Security { return &Security{alternatives: ways} }

// Public takes the ways to authorize away that the API gives to all its operations.
func Public() Option {
	return option(func(d *definition) { d.op.Security = nil })
}

func (s *Security) apply(d *definition) { d.op.Security = append(d.op.Security, s) }

// each returns the ways that s consists of.
func (s *Security) each() []*Security {
	if s.alternatives != nil {
		return s.alternatives
	}
	return []*Security{s}
}

// asks reports whether a request can be refused.
func (s *Security) asks() bool {
	return slices.ContainsFunc(s.each(), func(way *Security) bool { return way.ask != nil })
}

// securityResponses describes what a request may be refused with.
func securityResponses(all []*Security) []Response {
	if !slices.ContainsFunc(all, (*Security).asks) {
		return nil
	}
	unauthorized := Unauthorized.response()
	unauthorized.Headers = []Parameter{{Name: "WWW-Authenticate", In: InHeader, Description: "How to authorize"}}
	return []Response{unauthorized, Forbidden.response()}
}

// authorize asks all of the ways, and returns the context that they give. A 401 gets its header.
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
		if p := (*Problem)(nil); errors.As(err, &p) && p.Status == http.StatusUnauthorized {
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

// authorize asks one way.
func (s *Security) authorize(ctx context.Context, r *http.Request) (context.Context, error) {
	if s.ask == nil {
		return ctx, nil
	}
	c := Credentials{Scopes: s.scopes, Request: r}
	var ok bool
	switch {
	case s.scheme.Kind == "apiKey":
		keys := sentIn(r, Place(s.scheme.In), s.scheme.Key, false, nil)
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

// challenge is the value of the header WWW-Authenticate (RFC 9110, 11.6.1).
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
