package apidoc_test

import (
	"context"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests the authorization of requests.

type userKey struct{}

// known accepts the token or password "secret", and only the scope "read".
func known(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	if c.Token != "secret" && c.Password != "secret" {
		return nil, apidoc.Unauthorized.With("no such user")
	}
	for _, scope := range c.Scopes {
		if scope != "read" {
			return nil, apidoc.Forbidden
		}
	}
	return context.WithValue(ctx, userKey{}, "ann"+c.Username), nil
}

func whoami(ctx context.Context, _ struct{}) (string, error) {
	user, _ := ctx.Value(userKey{}).(string)
	return user, nil
}

func TestSecurity(t *testing.T) {
	app, api := newTyped()
	bearer := apidoc.Bearer("bearer", known)
	basic := apidoc.Basic("basic", known)
	key := apidoc.APIKey("key", apidoc.InQuery, "key", known)
	cookie := apidoc.APIKey("cookie", apidoc.InCookie, "session", known)
	oauth := apidoc.OAuth2("oauth", known, apidoc.OAuthFlow{Kind: "authorizationCode",
		AuthorizationURL: "https://a.example/authorize", TokenURL: "https://a.example/token", Scopes: map[string]string{"read": "Read"}})
	openID := apidoc.OpenID("openid", "https://a.example/.well-known/openid-configuration", nil)
	for _, o := range []struct {
		path    string
		options []apidoc.Option
	}{
		{"/bearer", []apidoc.Option{bearer}}, {"/basic", []apidoc.Option{basic}}, {"/key", []apidoc.Option{key}},
		{"/cookie", []apidoc.Option{cookie}}, {"/oauth", []apidoc.Option{oauth.Scopes("read")}},
		{"/write", []apidoc.Option{bearer.Scopes("write")}}, {"/any", []apidoc.Option{apidoc.AnyOf(basic, key)}},
		{"/both", []apidoc.Option{basic, key}}, {"/described", []apidoc.Option{openID}},
		{"/public", []apidoc.Option{bearer, apidoc.Public()}},
	} {
		apidoc.Get(api, o.path, "Tell who I am", whoami, append(o.options, apidoc.ID("ask"+o.path[1:]))...)
	}
	const right = "Basic OnNlY3JldA=="
	for _, c := range []struct {
		target    string
		header    string
		status    int
		challenge string
	}{
		{"/bearer", "Bearer secret", 200, ""},
		{"/bearer", "bearer secret", 200, ""},
		{"/bearer", "Bearer wrong", 401, "Bearer"},
		{"/bearer", "Bearer", 401, "Bearer"},
		{"/bearer", right, 401, "Bearer"},
		{"/bearer", "", 401, "Bearer"},
		{"/basic", right, 200, ""},
		{"/basic", "Basic ???", 401, `Basic realm="basic", charset="UTF-8"`},
		{"/key?key=secret", "", 200, ""},
		{"/key?key=", "", 401, `ApiKey in="query", name="key"`},
		{"/cookie", "", 401, `ApiKey in="cookie", name="session"`},
		{"/oauth", "Bearer secret", 200, ""},
		{"/oauth", "", 401, `Bearer scope="read"`},
		{"/write", "Bearer secret", 403, ""},
		{"/any", right, 200, ""},
		{"/any?key=secret", "", 200, ""},
		{"/any?key=x", "", 401, `Basic realm="basic", charset="UTF-8", ApiKey in="query", name="key"`},
		{"/both?key=secret", right, 200, ""},
		{"/both?key=secret", "", 401, `Basic realm="basic", charset="UTF-8"`},
		{"/described", "", 200, ""},
		{"/public", "", 200, ""},
	} {
		var headers []string
		if c.header != "" {
			headers = []string{"Authorization", c.header}
		}
		w := call(app, "GET", c.target, "", "", headers...)
		if got := strings.Join(w.Header().Values("WWW-Authenticate"), ", "); w.Code != c.status || got != c.challenge {
			t.Errorf("%s with %q: %d %q, want %d %q: %s", c.target, c.header, w.Code, got, c.status, c.challenge, w.Body)
		}
		if c.status == 200 && c.target != "/public" && c.target != "/described" && w.Body.String() != "ann" {
			t.Errorf("%s: the user is %q", c.target, w.Body)
		}
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "security.swagger.json", d.Swagger())
	golden(t, "security.openapi.json", d.OpenAPI())
}

// Hand-written routes are authorized in the same way. The action has the user in the request's
// context.
func TestEnforceAsks(t *testing.T) {
	app, _ := newTyped()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		user, err := whoami(c.Request().Context(), struct{}{})
		return routing.Text(user), err
	}, apidoc.Enforce(&apidoc.Operation{
		ID:        "ask",
		Responses: []apidoc.Response{{Status: 200, Description: "OK", Body: apidoc.TypeOf[string](), ContentType: "text/plain"}},
		Security:  []*apidoc.Security{apidoc.Bearer("bearer", known)},
	}))
	if w := call(app, "GET", "/", "", "", "Authorization", "Bearer secret"); w.Code != 200 || w.Body.String() != "ann" {
		t.Errorf("with a token: %d %s", w.Code, w.Body)
	}
	if w := call(app, "GET", "/", "", ""); w.Code != 401 || w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("without a token: %d %v", w.Code, w.Header())
	}
	responses := decode(t, build(t, app, "").OpenAPI()).at("paths", "/", "get", "responses")
	if responses["401"] == nil || responses["403"] == nil {
		t.Errorf("responses are %v, want 401 and 403 too", responses)
	}
}
