package apidoc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
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
		return nil, apidoc.ErrUnauthorized.Detailf("no such user")
	}
	for _, scope := range c.Scopes {
		if scope != "read" {
			return nil, apidoc.ErrForbidden
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
	openID := apidoc.OpenID("openid", "https://a.example/.well-known/openid-configuration", apidoc.CheckedElsewhere)
	for _, o := range []struct {
		path    string
		options []apidoc.Option
	}{
		{"/bearer", []apidoc.Option{bearer}}, {"/basic", []apidoc.Option{basic}}, {"/key", []apidoc.Option{key}},
		{"/cookie", []apidoc.Option{cookie}}, {"/oauth", []apidoc.Option{oauth.Scopes("read")}},
		{"/write", []apidoc.Option{bearer.Scopes("write")}}, {"/any", []apidoc.Option{apidoc.AnyOf(basic, key)}},
		{"/both", []apidoc.Option{basic, key}}, {"/described", []apidoc.Option{openID}},
	} {
		apidoc.Get(api, o.path, "Tell who I am", whoami, append(o.options, apidoc.ID("ask"+o.path[1:]))...)
	}
	api.Group("", func(g *apidoc.Group) {
		apidoc.Get(g, "/public", "Tell who I am", whoami, apidoc.Public(), apidoc.ID("askpublic"))
	}, bearer)
	const right = "Basic OnNlY3JldA=="
	for _, c := range []struct {
		target    string
		header    string
		status    int
		challenge string
	}{
		{"/bearer", "Bearer secret", 200, ""},
		{"/bearer", "bearer secret", 200, ""},
		{"/bearer", "BEARER   secret", 200, ""},
		{"/bearer", "Bearer    ", 401, "Bearer"},
		{"/bearer", "Bearersecret", 401, "Bearer"},
		{"/bearer", "Bearer wrong", 401, `Bearer error="invalid_token"`},
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
		{"/write", "Bearer secret", 403, `Bearer error="insufficient_scope", scope="write"`},
		{"/write", "Bearer wrong", 401, `Bearer error="invalid_token", scope="write"`},
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

// An empty key or token is treated as missing. A function that compares it with an empty setting
// would otherwise allow every request.
func TestEmptyCredentials(t *testing.T) {
	ask := func(_ context.Context, c apidoc.Credentials) (context.Context, error) { return nil, nil }
	app, api := newTyped()
	for path, s := range map[string]*apidoc.Security{
		"/query": apidoc.APIKey("query", apidoc.InQuery, "key", ask), "/header": apidoc.APIKey("header", apidoc.InHeader, "X-Key", ask),
		"/cookie": apidoc.APIKey("cookie", apidoc.InCookie, "key", ask), "/bearer": apidoc.Bearer("bearer", ask),
	} {
		apidoc.Get(api, path, "", whoami, s, apidoc.ID(path[1:]))
		w := call(app, "GET", path+"?key=", "", "", "X-Key", "", "Cookie", "key=", "Authorization", "Bearer ")
		if w.Code != 401 {
			t.Errorf("%s: got %d, want 401", path, w.Code)
		}
		if w := call(app, "GET", path+"?key=k", "", "", "X-Key", "k", "Cookie", "key=k", "Authorization", "Bearer k"); w.Code != 200 {
			t.Errorf("%s: got %d with a key, want 200", path, w.Code)
		}
	}
}

// A scheme's function is called once, with the scopes of the API and the operation.
func TestSecurityIsMerged(t *testing.T) {
	asked := ""
	ask := func(name string) apidoc.Authenticate {
		return func(_ context.Context, c apidoc.Credentials) (context.Context, error) {
			asked += name + "(" + strings.Join(c.Scopes, " ") + ")"
			return nil, nil
		}
	}
	flow := apidoc.OAuthFlow{Kind: "clientCredentials", TokenURL: "https://a.example/token"}
	token, key := apidoc.OAuth2("token", ask("token"), flow), apidoc.APIKey("key", apidoc.InQuery, "key", ask("key"))
	either := apidoc.AnyOf(token, key)
	for _, c := range []struct {
		name           string
		onAPI, onRoute *apidoc.Security
		asked, written string
	}{
		{"same", token, token, "token()", `[{"token":[]}]`},
		{"scopes", token.Scopes("a"), token.Scopes("b", "a"), "token(a b)", `[{"token":["a","b"]}]`},
		{"scopes twice", token.Scopes("a").Scopes("b"), token, "token(a b)", `[{"token":["a","b"]}]`},
		{"alternatives", either, apidoc.AnyOf(key, token).Scopes("b"), "token(b)", `[{"key":["b"]},{"token":["b"]}]`},
		{"an alternative", either, token.Scopes("b"), "token(b)", `[{"token":["b"]}]`},
		{"one of them", token, either, "token()", `[{"token":[]}]`},
		{"one of them, not the first", token, apidoc.AnyOf(key, token), "token()", `[{"token":[]}]`},
		{"several", token, key, "token()key()", `[{"key":[],"token":[]}]`},
		{"nested", apidoc.AnyOf(apidoc.AnyOf(token, key)), key, "token()key()", `[{"key":[]}]`},
		{"a part", token, apidoc.AnyOf(token.Scopes("b"), key), "token(b)", `[{"token":["b"]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			app := routing.New()
			api := apidoc.NewAPI(app, info, c.onAPI)
			apidoc.Get(api, "/", "", whoami, c.onRoute)
			asked = ""
			if w := call(app, "GET", "/?key=k", "", "", "Authorization", "Bearer t"); w.Code != 200 || asked != c.asked {
				t.Errorf("status %d after asking %s, want 200 after %s", w.Code, asked, c.asked)
			}
			d, err := api.Document()
			if err != nil {
				t.Fatal(err)
			}
			written, err := json.Marshal(decode(t, d.OpenAPI()).at("paths", "/", "get")["security"])
			if err != nil || string(written) != c.written {
				t.Errorf("security is %s, want %s", written, c.written)
			}
		})
	}
}

// The error of a scheme without credentials in the request does not replace the error of a scheme
// with credentials.
func TestErrorsOfAlternatives(t *testing.T) {
	failing := func(err error) apidoc.Authenticate {
		return func(context.Context, apidoc.Credentials) (context.Context, error) { return nil, err }
	}
	token := func(err error) *apidoc.Security { return apidoc.Bearer("token", failing(err)) }
	key := func(err error) *apidoc.Security { return apidoc.APIKey("key", apidoc.InQuery, "key", failing(err)) }
	down := errors.New("the database is down")
	const sentToken, sentKey, both = 1, 2, 3
	for _, c := range []struct {
		name   string
		either *apidoc.Security
		sent   int
		status int
		logged bool
	}{
		{"nothing sent", apidoc.AnyOf(token(down), key(down)), 0, 401, false},
		{"the first is down", apidoc.AnyOf(token(down), key(nil)), sentToken, 500, true},
		{"the second is down", apidoc.AnyOf(token(nil), key(down)), sentKey, 500, true},
		{"forbidden first", apidoc.AnyOf(token(apidoc.ErrForbidden), key(nil)), sentToken, 403, false},
		{"forbidden, then unauthorized", apidoc.AnyOf(token(apidoc.ErrForbidden), key(apidoc.ErrUnauthorized)), both, 403, false},
		{"unauthorized, then forbidden", apidoc.AnyOf(token(apidoc.ErrUnauthorized), key(apidoc.ErrForbidden)), both, 403, false},
		{"forbidden, then down", apidoc.AnyOf(token(apidoc.ErrForbidden), key(down)), both, 500, true},
		{"down, then allowed", apidoc.AnyOf(token(down), key(nil)), both, 200, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var logged bytes.Buffer
			app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
			apidoc.Get(apidoc.NewAPI(app, info), "/", "", whoami, c.either)
			target, headers := "/", []string(nil)
			if c.sent&sentKey != 0 {
				target += "?key=k"
			}
			if c.sent&sentToken != 0 {
				headers = []string{"Authorization", "Bearer t"}
			}
			w := call(app, "GET", target, "", "", headers...)
			if w.Code != c.status || strings.Contains(logged.String(), down.Error()) != c.logged {
				t.Errorf("status %d and logged %q, want %d", w.Code, &logged, c.status)
			}
		})
	}
}

// The operation, keys, the request and after filters see the context that the function returns.
func TestContextOfAuthenticate(t *testing.T) {
	user := routing.NewKey[string]()
	app := routing.New()
	app.Before(func(c routing.Context) error { user.Set(c, "nobody"); return nil })
	app.After(func(c routing.Context) error {
		name, _ := c.Request().Context().Value(userKey{}).(string)
		known, _ := user.Get(c)
		c.Header().Set("X-After", name+" "+known)
		return nil
	})
	type in struct{ routing.Context }
	apidoc.Get(apidoc.NewAPI(app, info), "/", "", func(ctx context.Context, in in) (string, error) {
		name, _ := in.Request().Context().Value(userKey{}).(string)
		user.Set(in.Context, "known")
		own, _ := whoami(ctx, struct{}{})
		return own + " " + name, nil
	}, apidoc.Bearer("token", known))
	w := call(app, "GET", "/", "", "", "Authorization", "Bearer secret")
	if got := w.Body.String() + ", " + w.Header().Get("X-After"); got != "ann ann, ann known" {
		t.Errorf("the user is %q", got)
	}
}

// Two schemes with the same name panic, because only one of the functions would be called.
func TestSecuritySchemesWithTheSameName(t *testing.T) {
	message := panicOf(func() {
		apidoc.Get(apidoc.NewAPI(routing.New(), info, apidoc.Bearer("token", known)), "/", "", whoami, apidoc.Bearer("token", known))
	})
	if !strings.Contains(message, `two security schemes have the name "token": make it once, and use its Scopes`) {
		t.Errorf("panic %q", message)
	}
}

// Invalid flows and unknown scopes panic.
func TestSecurityOfOAuth2(t *testing.T) {
	flow := func(kind, page, token string, scopes ...string) *apidoc.Security {
		texts := make(map[string]string)
		for _, scope := range scopes {
			texts[scope] = "Scope " + scope
		}
		return apidoc.OAuth2("oauth", apidoc.CheckedElsewhere, apidoc.OAuthFlow{Kind: kind, AuthorizationURL: page, TokenURL: token, Scopes: texts})
	}
	const page, token = "https://a.example/page", "https://a.example/token"
	for want, define := range map[string]func(){
		"flow implicit: write its AuthorizationURL":          func() { flow("implicit", "", token) },
		"flow authorizationCode: write its AuthorizationURL": func() { flow("authorizationCode", "", token) },
		"flow authorizationCode: write its TokenURL":         func() { flow("authorizationCode", page, "") },
		"flow password: write its TokenURL":                  func() { flow("password", page, "") },
		"flow clientCredentials: write its TokenURL":         func() { flow("clientCredentials", page, "") },
		`oauth has no scope "raed": write one of ["read" "write"]`: func() {
			apidoc.AnyOf(apidoc.Bearer("b", apidoc.CheckedElsewhere), flow("password", "", token, "write", "read")).Scopes("read", "raed")
		},
		`key: header "X Key": write a name of letters, digits and hyphens`: func() {
			apidoc.APIKey("key", apidoc.InHeader, "X Key", apidoc.CheckedElsewhere)
		},
		`key: cookie "a=b": write a name of letters, digits and hyphens`: func() {
			apidoc.APIKey("key", apidoc.InCookie, "a=b", apidoc.CheckedElsewhere)
		},
		"key: net/http removes the header Host: use Request().Host of a routing.Context": func() {
			apidoc.APIKey("key", apidoc.InHeader, "host", apidoc.CheckedElsewhere)
		},
		"oauth: two flows implicit: write one": func() {
			flow := apidoc.OAuthFlow{Kind: "implicit", AuthorizationURL: page}
			apidoc.OAuth2("oauth", apidoc.CheckedElsewhere, flow, flow)
		},
		"OpenID openid: write the discovery URL":                       func() { apidoc.OpenID("openid", "", apidoc.CheckedElsewhere) },
		`b: scope "read write": write each scope as a separate string`: func() { apidoc.Bearer("b", apidoc.CheckedElsewhere).Scopes("read write") },
		"AnyOf: pass at least one scheme":                              func() { apidoc.AnyOf() },
		"AnyOf: scheme 1 is nil":                                       func() { apidoc.AnyOf(apidoc.Bearer("b", apidoc.CheckedElsewhere), nil) },
		`AnyOf: token has the scopes ["read"] and ["write"]: pass two schemes`: func() {
			token := apidoc.Bearer("token", apidoc.CheckedElsewhere)
			apidoc.AnyOf(apidoc.AnyOf(token.Scopes("read"), apidoc.Basic("login", apidoc.CheckedElsewhere)), token.Scopes("write"))
		},
		"": func() { flow("implicit", page, "").Scopes("read"); flow("password", "", token, "read").Scopes("read") },
	} {
		if got := panicOf(define); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// Schemes without a function, and lists with both Public and a Security, panic.
func TestSecurityThatIsOffByMistakePanics(t *testing.T) {
	key := apidoc.APIKey("key", apidoc.InHeader, "X-Key", known)
	api := apidoc.NewAPI(routing.New(), info)
	const both = "Public and a Security are in one list"
	for name, c := range map[string]struct {
		define func()
		want   string
	}{
		"bearer":         {func() { apidoc.Bearer("token", nil) }, `security scheme "token": pass the function that checks the credentials, not nil, or apidoc.CheckedElsewhere`},
		"basic":          {func() { apidoc.Basic("login", nil) }, "apidoc.CheckedElsewhere"},
		"key":            {func() { apidoc.APIKey("key", apidoc.InHeader, "X-Key", nil) }, "apidoc.CheckedElsewhere"},
		"OAuth 2":        {func() { apidoc.OAuth2("oauth", nil) }, "apidoc.CheckedElsewhere"},
		"OpenID":         {func() { apidoc.OpenID("openid", "https://a.example", nil) }, "apidoc.CheckedElsewhere"},
		"key, public":    {func() { apidoc.Get(api, "/a", "", whoami, key, apidoc.Public()) }, both},
		"public, key":    {func() { apidoc.Get(api, "/b", "", whoami, apidoc.Public(), key) }, both},
		"both of an API": {func() { apidoc.NewAPI(routing.New(), info, apidoc.Public(), key) }, both},
		"both of a group": {func() {
			api.Group("/g", func(*apidoc.Group) {}, key, apidoc.Public())
		}, both},
	} {
		if got := panicOf(c.define); !strings.Contains(got, c.want) {
			t.Errorf("%s: panic %q, want %q", name, got, c.want)
		}
	}
}

// The request in Credentials has the captures of the path, below mounts too.
func TestAuthenticateSeesCaptures(t *testing.T) {
	inner := routing.New()
	var tenant, id string
	ask := func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		tenant, id = c.Request.PathValue("tenant"), c.Request.PathValue("id")
		return context.WithValue(ctx, userKey{}, "ann"), nil
	}
	type input struct {
		ID int `path:"id"`
	}
	apidoc.Get(apidoc.NewAPI(inner, info, apidoc.Bearer("token", ask)), "/trees/:id", "", func(ctx context.Context, _ input) (string, error) {
		return whoami(ctx, struct{}{})
	})
	app := routing.New()
	app.Mount("/:tenant", inner)
	w := call(app, "GET", "/acme/trees/7", "", "", "Authorization", "Bearer x")
	if w.Code != 200 || w.Body.String() != "ann" || tenant != "acme" || id != "7" {
		t.Errorf("%d %q, with the tenant %q and the id %q, want ann, acme and 7", w.Code, w.Body, tenant, id)
	}
}

// Under AnyOf, the context of a scheme that refuses is not used.
func TestContextOfRefusingScheme(t *testing.T) {
	liar := func(ctx context.Context, _ apidoc.Credentials) (context.Context, error) {
		return context.WithValue(ctx, userKey{}, "liar"), apidoc.ErrUnauthorized
	}
	guest := func(context.Context, apidoc.Credentials) (context.Context, error) { return nil, nil }
	app, api := newTyped()
	apidoc.Get(api, "/", "", whoami, apidoc.AnyOf(apidoc.Bearer("bearer", liar), apidoc.APIKey("key", apidoc.InHeader, "X-Key", guest)))
	if w := call(app, "GET", "/", "", "", "Authorization", "Bearer b", "X-Key", "k"); w.Code != 200 || w.Body.String() != "" {
		t.Errorf("got %d for the user %q, want 200 for none", w.Code, w.Body)
	}
}

// Copies with further scopes share no memory.
func TestCopiesOfScopes(t *testing.T) {
	asked := ""
	bearer := apidoc.Bearer("bearer", func(_ context.Context, c apidoc.Credentials) (context.Context, error) {
		asked = strings.Join(c.Scopes, " ")
		return nil, nil
	})
	app, api := newTyped()
	three := bearer.Scopes("a").Scopes("b").Scopes("c")
	one, two := three.Scopes("one"), three.Scopes("two")
	apidoc.Get(api, "/one", "", whoami, one, apidoc.ID("one"))
	apidoc.Get(api, "/two", "", whoami, two, apidoc.ID("two"))
	for _, last := range []string{"one", "two"} {
		if call(app, "GET", "/"+last, "", "", "Authorization", "Bearer b"); asked != "a b c "+last {
			t.Errorf("/%s needs the scopes %q", last, asked)
		}
	}
}
