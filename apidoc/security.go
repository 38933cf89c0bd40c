package apidoc

import (
	"context"
	"fmt"
	"net/http"

	"example.com/flowercafe/apidoc/internal/document"
)

// This file has the ways to authorize requests.

// Credentials are the credentials that a client has sent.
type Credentials struct {
	Token    string   // a bearer token, or an API key
	Username string   // of [Basic]
	Password string   // of [Basic]
	Scopes   []string // that the operation needs
	Request  *http.Request
}

// Authenticate checks credentials. It returns the context for the operation, which may have the
// user; nil means the request's context. The error [Unauthorized] makes the response a 401,
// [Forbidden] a 403. Other errors are handled like errors of the operation. It must be safe for
// concurrent use.
type Authenticate func(ctx context.Context, c Credentials) (context.Context, error)

// Security is a way to authorize requests. As an [Option] it is described, and checked before the
// operation reads its input. If an operation has several, all must allow the request; see also
// [AnyOf]. It is immutable and safe for concurrent use.
type Security struct {
	scheme       document.Scheme
	scopes       []string
	ask          Authenticate
	alternatives []*Security
}

// Bearer is a token in the Authorization header (RFC 6750). For all schemes, name is the name in
// the description, and with a nil function the scheme is described but not checked, for apps that
// check it in a filter.
func Bearer(name string, ask Authenticate) *Security {
	return &Security{scheme: document.Scheme{Name: name, Kind: "http", Scheme: "bearer"}, ask: ask}
}

// Basic is a user name and password in the Authorization header (RFC 7617).
func Basic(name string, ask Authenticate) *Security {
	return &Security{scheme: document.Scheme{Name: name, Kind: "http", Scheme: "basic"}, ask: ask}
}

// APIKey is a key in a header, the query or a cookie. Any other place panics.
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

// OAuth2 is a bearer token of OAuth 2. The flows describe how to get one and which scopes exist. An
// unknown kind of flow panics.
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

// OpenID is a bearer token of OpenID Connect. discoveryURL is the address of the discovery
// document.
func OpenID(name, discoveryURL string, ask Authenticate) *Security {
	return &Security{scheme: document.Scheme{Name: name, Kind: "openIdConnect", Scheme: "bearer", URL: discoveryURL}, ask: ask}
}

// Scopes returns a copy that requires scopes. The [Authenticate] function gets them in
// [Credentials].
func (s *Security) Scopes(scopes ...string) *Security {
	c := *s
	c.scopes = scopes
	return &c
}

// AnyOf allows requests that at least one of the ways allows.
func AnyOf(ways ...*Security) *Security { return &Security{alternatives: ways} }

// each returns the alternatives that s consists of.
func (s *Security) each() []*Security {
	if s.alternatives != nil {
		return s.alternatives
	}
	return []*Security{s}
}
