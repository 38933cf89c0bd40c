package apidoc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/routing"
)

// This file has the security schemes.

// CheckedElsewhere is the function of a scheme that is described, but checked in a filter or in
// front of the app. Without such a check, the scheme allows every request.
func CheckedElsewhere(context.Context, Credentials) (context.Context, error) {
	return nil, errors.New("apidoc: CheckedElsewhere was called: pass it to Bearer or another scheme instead")
}

func newSecurity(s openapi.Scheme, authenticate Authenticate) *Security {
	if authenticate == nil {
		panic(fmt.Sprintf("apidoc: security scheme %q: pass the function that checks the credentials, not nil, "+
			"or apidoc.CheckedElsewhere if a filter checks them", s.Name))
	}
	if reflect.ValueOf(authenticate).Pointer() == reflect.ValueOf(CheckedElsewhere).Pointer() {
		authenticate = nil
	}
	return anyOf(alternative{openapi.Requirement{Scheme: &s}, authenticate})
}

// Bearer is a token in the Authorization header (RFC 6750). The name is the scheme's in the
// description.
func Bearer(name string, authenticate Authenticate) *Security {
	return newSecurity(openapi.Scheme{Name: name, Kind: "http", Scheme: "bearer"}, authenticate)
}

// Basic is a user name and password in the Authorization header (RFC 7617).
func Basic(name string, authenticate Authenticate) *Security {
	return newSecurity(openapi.Scheme{Name: name, Kind: "http", Scheme: "basic"}, authenticate)
}

// APIKey is an API key in the header, query parameter or cookie with the name key.
func APIKey(name string, in routing.Location, key string, authenticate Authenticate) *Security {
	if in != InHeader && in != InQuery && in != InCookie || key == "" {
		panic(fmt.Sprintf("apidoc: APIKey %s: write apidoc.InHeader, InQuery or InCookie, and the key's name", name))
	}
	if err := checkName(in, key); err != nil {
		panic(fmt.Sprintf("apidoc: APIKey %s: %v", name, err))
	}
	return newSecurity(openapi.Scheme{Name: name, Kind: "apiKey", In: string(in), Key: key}, authenticate)
}

// OAuthFlow describes how clients get a token of OAuth 2.
type OAuthFlow struct {
	Kind                   string // implicit, password, clientCredentials, authorizationCode or deviceAuthorization
	AuthorizationURL       string
	DeviceAuthorizationURL string // RFC 8628
	TokenURL               string
	RefreshURL             string
	Scopes                 map[string]string // the descriptions of scopes
}

// flowURLs are the URLs that each kind of flow needs (OpenAPI 3.2, OAuth Flow Object).
var flowURLs = map[string][]string{
	"implicit": {"AuthorizationURL"}, "password": {"TokenURL"}, "clientCredentials": {"TokenURL"},
	"authorizationCode": {"AuthorizationURL", "TokenURL"}, "deviceAuthorization": {"DeviceAuthorizationURL", "TokenURL"},
}

// OAuth2 is a bearer token of OAuth 2. Swagger 2.0 has only the first flow that it knows.
func OAuth2(name string, authenticate Authenticate, flows ...OAuthFlow) *Security {
	scheme := openapi.Scheme{Name: name, Kind: "oauth2", Scheme: "bearer"}
	for _, f := range flows {
		urls, ok := flowURLs[f.Kind]
		if !ok {
			panic(fmt.Sprintf("apidoc: OAuth2 %s: flow %q: write one of %q", name, f.Kind, slices.Sorted(maps.Keys(flowURLs))))
		}
		for _, u := range urls {
			if reflect.ValueOf(f).FieldByName(u).IsZero() {
				panic(fmt.Sprintf("apidoc: OAuth2 %s: flow %s: write its %s", name, f.Kind, u))
			}
		}
		if slices.ContainsFunc(scheme.Flows, func(other openapi.Flow) bool { return other.Kind == f.Kind }) {
			panic(fmt.Sprintf("apidoc: OAuth2 %s: two flows %s: write one, or two schemes", name, f.Kind))
		}
		if f.Scopes = maps.Clone(f.Scopes); f.Scopes == nil {
			f.Scopes = map[string]string{}
		}
		scheme.Flows = append(scheme.Flows, openapi.Flow(f))
	}
	return newSecurity(scheme, authenticate)
}

// OpenID is a bearer token of OpenID Connect.
func OpenID(name, discoveryURL string, authenticate Authenticate) *Security {
	if discoveryURL == "" {
		panic(fmt.Sprintf("apidoc: OpenID %s: write the discovery URL", name))
	}
	return newSecurity(openapi.Scheme{Name: name, Kind: "openIdConnect", Scheme: "bearer", URL: discoveryURL}, authenticate)
}

// Scopes returns a copy with additional scopes. The [Authenticate] function gets them in
// [Credentials] and must check them. If the flows of OAuth 2 list scopes, any other panics.
func (s *Security) Scopes(scopes ...string) *Security {
	c := anyOf()
	for _, alt := range s.alternatives {
		c.alternatives = append(c.alternatives, alt.with(scopes))
	}
	return c
}

// AnyOf allows a request if one of the schemes does. It tries them in order until one does, or none
// if one already has for another Security. If all refuse, a status from 500 takes precedence over
// 403, and 403 over 401.
func AnyOf(schemes ...*Security) *Security {
	if len(schemes) == 0 {
		panic("apidoc: AnyOf: pass at least one scheme: without one, no request is allowed")
	}
	all := anyOf()
	for i, s := range schemes {
		if s == nil {
			panic(fmt.Sprintf("apidoc: AnyOf: scheme %d is nil: leave it out", i))
		}
		for _, alt := range s.alternatives {
			same := slices.IndexFunc(all.alternatives, func(other alternative) bool { return other.Scheme == alt.Scheme })
			if same >= 0 && !slices.Equal(all.alternatives[same].Scopes, alt.Scopes) { // an operation needs the same scopes everywhere
				panic(fmt.Sprintf("apidoc: AnyOf: %s has the scopes %q and %q: pass two schemes with different names",
					alt.Name, all.alternatives[same].Scopes, alt.Scopes))
			}
			all.alternatives = append(all.alternatives, alt)
		}
	}
	return all
}

// known returns the scopes of the flows, sorted.
func (alt alternative) known() (scopes []string) {
	for _, f := range alt.Flows {
		scopes = slices.AppendSeq(scopes, maps.Keys(f.Scopes))
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// with returns the alternative with more scopes.
func (alt alternative) with(scopes []string) alternative {
	alt.Scopes = slices.Clip(alt.Scopes)
	for _, scope := range scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			panic(fmt.Sprintf("apidoc: %s: scope %q: write each scope as a separate string, without spaces (RFC 6749, 3.3)", alt.Name, scope))
		}
		if known := alt.known(); len(known) > 0 && !slices.Contains(known, scope) {
			panic(fmt.Sprintf("apidoc: OAuth2 %s has no scope %q: write one of %q, or add it to a flow", alt.Name, scope, known))
		}
		if !slices.Contains(alt.Scopes, scope) {
			alt.Scopes = append(alt.Scopes, scope)
		}
	}
	return alt
}

// merged returns the security of an operation, without repetitions. A scheme has the same scopes
// everywhere, so its function is called once.
func merged(all []*Security) (needs []*Security, err error) {
	schemes := make(map[string]alternative)
	for _, s := range all {
		if s == nil || len(s.alternatives) == 0 {
			return nil, errors.New("an empty Security allows no request: make it with Bearer, Basic or another function, or leave it out")
		}
		for _, alt := range s.alternatives {
			other, ok := schemes[alt.Name]
			if ok && other.Scheme != alt.Scheme {
				return nil, fmt.Errorf("two security schemes have the name %q: make it once, and use its Scopes", alt.Name)
			}
			scopes := alt.Scopes
			alt.Scopes = other.Scopes
			schemes[alt.Name] = alt.with(scopes)
		}
	}
	for _, s := range all {
		same := &Security{}
		for _, alt := range s.alternatives {
			same.alternatives = append(same.alternatives, schemes[alt.Name])
		}
		isSame := func(a, b alternative) bool { return a.Scheme == b.Scheme } // the scopes are then the same
		if !slices.ContainsFunc(needs, func(other *Security) bool { return slices.EqualFunc(other.alternatives, same.alternatives, isSame) }) {
			needs = append(needs, same)
		}
	}
	return needs, nil
}

// equal reports whether two Securities have the same schemes and scopes.
func (s *Security) equal(other *Security) bool {
	return slices.EqualFunc(s.alternatives, other.alternatives, func(a, b alternative) bool {
		return a.Scheme == b.Scheme && slices.Equal(a.Scopes, b.Scopes)
	})
}
