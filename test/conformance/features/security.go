package main

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"example.com/flowercafe/apidoc"
)

// This file has the features of security.

type userKey struct{}

// allow accepts two users: ann, who may write, and ben, who may not.
func allow(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	name := c.Token + c.Username
	switch {
	case name != "ann" && name != "ben", c.Username != "" && c.Password != "secret":
		return nil, apidoc.ErrUnauthorized
	case name == "ben" && len(c.Scopes) > 0:
		return nil, apidoc.ErrForbidden
	}
	return context.WithValue(ctx, userKey{}, name), nil
}

var (
	token = apidoc.OAuth2("token", allow, apidoc.OAuthFlow{
		Kind: "clientCredentials", TokenURL: "https://example.com/token", Scopes: map[string]string{"write": "Write"},
	})
	basic = apidoc.Basic("basic", allow)
	key   = apidoc.APIKey("key", apidoc.InHeader, "X-Key", allow)
)

func user(ctx context.Context, _ nothing) (string, error) { return ctx.Value(userKey{}).(string), nil }

// humaSecurity is middleware as in huma's documentation.
func humaSecurity(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(c huma.Context, next func(huma.Context)) {
		status := http.StatusUnauthorized
		ways := c.Operation().Security
		if len(ways) == 0 {
			next(c)
			return
		}
		for _, way := range ways {
			for name, scopes := range way {
				user := ""
				switch r := (&http.Request{Header: http.Header{"Authorization": {c.Header("Authorization")}}}); name {
				case "basic":
					if u, password, ok := r.BasicAuth(); ok && password == "secret" {
						user = u
					}
				case "key":
					user = c.Header("X-Key")
				default:
					user, _ = strings.CutPrefix(c.Header("Authorization"), "Bearer ")
				}
				switch {
				case user == "ben" && slices.Contains(scopes, "write"):
					status = http.StatusForbidden
				case user == "ann" || user == "ben":
					next(huma.WithValue(c, userKey{}, user))
					return
				}
			}
		}
		if status == http.StatusUnauthorized {
			for name := range ways[0] {
				c.SetHeader("WWW-Authenticate", map[string]string{"basic": "Basic", "token": "Bearer", "key": "ApiKey"}[name])
			}
		}
		huma.WriteErr(api, c, status, http.StatusText(status))
	}
}

func humaUser(ctx context.Context, _ *nothing) (*text, error) {
	return &text{ctx.Value(userKey{}).(string)}, nil
}

func secured(c *huma.Config) {
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "oauth2", Flows: &huma.OAuthFlows{ClientCredentials: &huma.OAuthFlow{
			TokenURL: "https://example.com/token", Scopes: map[string]string{"write": "Write"},
		}}},
		"basic": {Type: "http", Scheme: "basic"},
		"key":   {Type: "apiKey", In: "header", Name: "X-Key"},
	}
}

// securityFeature returns a feature of an operation that authorizes requests.
func securityFeature(key, name string, scheme *apidoc.Security, humaSchemes []map[string][]string, probes ...probe) feature {
	return feature{key: key, name: name, probes: probes,
		apidoc: apidocAPI(func(api *apidoc.API) { apidoc.Get(api, "/me", "Me", user, scheme) }),
		huma: humaAPIWith(secured, func(api huma.API) {
			api.UseMiddleware(humaSecurity(api))
			huma.Register(api, huma.Operation{Method: "GET", Path: "/me", OperationID: "me", Security: humaSchemes, Errors: []int{401, 403}}, humaUser)
		})}
}

var security = []feature{
	securityFeature("bearer", "Tokens that are checked: 401, the user in the context", token, []map[string][]string{{"token": {}}},
		responds("GET /me", 401),
		responds("GET /me", 401, "Www-Authenticate: Bearer"),
		responds("GET /me\nAuthorization: Bearer eve", 401),
		responds("GET /me\nAuthorization: Bearer ann", 200, "ann"),
		describes("paths /me get security 0", "token"),
		describes("components securitySchemes", `"oauth2"`),
		describes("paths /me get responses 401 description", `"`),
	),
	securityFeature("scopes", "Scopes: 403", token.Scopes("write"), []map[string][]string{{"token": {"write"}}},
		responds("GET /me\nAuthorization: Bearer ben", 403),
		responds("GET /me\nAuthorization: Bearer ann", 200, "ann"),
		describes("paths /me get security 0", "write"),
	),
	securityFeature("basic", "Basic: user and password", basic, []map[string][]string{{"basic": {}}},
		responds("GET /me\nAuthorization: Basic YW5uOnNlY3JldA==", 200, "ann"),
		responds("GET /me\nAuthorization: Basic YW5uOndyb25n", 401),
		responds("GET /me", 401, "Www-Authenticate: Basic"),
		describes("components securitySchemes", `"basic"`),
	),
	securityFeature("keys", "API keys", key, []map[string][]string{{"key": {}}},
		responds("GET /me\nX-Key: ann", 200, "ann"),
		responds("GET /me", 401),
		describes("components securitySchemes", `"apiKey"`),
	),
	securityFeature("any_of", "Alternatives: a key or a password", apidoc.AnyOf(key, basic), []map[string][]string{{"key": {}}, {"basic": {}}},
		responds("GET /me\nX-Key: ann", 200, "ann"),
		responds("GET /me\nAuthorization: Basic YW5uOnNlY3JldA==", 200, "ann"),
		responds("GET /me", 401),
		describes("paths /me get security 0", `"key"`),
		describes("paths /me get security 1", `"basic"`),
	),
	{
		key: "order", name: "Credentials are checked before the input",
		apidoc: apidocAPI(func(api *apidoc.API) { apidoc.Put(api, "/tree", "Put", echo[texts], key) }),
		huma: humaAPIWith(secured, func(api huma.API) {
			api.UseMiddleware(humaSecurity(api))
			operation := put("/tree")
			operation.Security = []map[string][]string{{"key": {}}}
			huma.Register(api, operation, humaEcho[texts])
		}),
		probes: []probe{
			responds(tree(`{"name":7}`), 401),
			responds("PUT /tree\nX-Key: ann\n\n{", anyRefusal),
			lacks(tree(`{"name":7}`), "name"),
		},
	},
}
