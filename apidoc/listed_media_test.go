package apidoc_test

import (
	"context"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// Media types that a tag lists are the only ones. Without a list, JSON includes the types with
// +json, and raw bytes include all types.
func TestListedMediaTypes(t *testing.T) {
	type plain struct {
		Body Plum `body:""`
	}
	type listed struct {
		Body Plum `body:"application/json"`
	}
	type raw struct {
		Body []byte `body:""`
	}
	type octets struct {
		Body []byte `body:"application/octet-stream"`
	}
	type images struct {
		Body []byte `body:"image/*"`
	}
	type output struct {
		Type string `header:"Content-Type"`
		Body []byte `body:"application/octet-stream"`
	}
	none := struct{}{}
	app, api := newTyped()
	apidoc.Post(api, "/plain", "", func(context.Context, plain) (struct{}, error) { return none, nil }, apidoc.ID("plain"))
	apidoc.Post(api, "/listed", "", func(context.Context, listed) (struct{}, error) { return none, nil }, apidoc.ID("listed"))
	apidoc.Post(api, "/raw", "", func(context.Context, raw) (struct{}, error) { return none, nil }, apidoc.ID("raw"))
	apidoc.Post(api, "/octets", "", func(context.Context, octets) (struct{}, error) { return none, nil }, apidoc.ID("octets"))
	apidoc.Post(api, "/images", "", func(context.Context, images) (struct{}, error) { return none, nil }, apidoc.ID("images"))
	for _, c := range []struct {
		path, contentType string
		want              int
	}{
		{"/plain", "application/json", 204}, {"/plain", "application/vnd.plum+json", 204}, {"/plain", "text/plain", 415},
		{"/listed", "application/json", 204}, {"/listed", "application/json; charset=utf-8", 204}, {"/listed", "application/vnd.plum+json", 415},
		{"/raw", "application/octet-stream", 204}, {"/raw", "image/png", 204}, {"/raw", "", 204},
		{"/octets", "application/octet-stream", 204}, {"/octets", "image/png", 415}, {"/octets", "", 204},
		{"/images", "image/png", 204}, {"/images", "text/html", 415}, {"/images", "", 415},
	} {
		if w := call(app, "POST", c.path, c.contentType, `{"name":"Oak"}`); w.Code != c.want {
			t.Errorf("%s of %q: got %d %s, want %d", c.path, c.contentType, w.Code, w.Body, c.want)
		}
	}
	apidoc.Get(api, "/output", "", func(context.Context, struct{}) (output, error) { return output{"text/html", nil}, nil }, apidoc.ID("output"))
	if w := call(app, "GET", "/output", "", ""); w.Code != 500 {
		t.Errorf("an output of another type: got %d %v", w.Code, w.Header())
	}
}

// A union that may be null has a type in OpenAPI 3.0, where tools read nullable only next to one.
func TestNullableUnionIn30(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, struct {
		If *condition `json:"if"`
	}) (none struct{}, _ error) {
		return none, nil
	})
	const want = `"if":{"type":"object","allOf":[{"$ref":"#/components/schemas/condition"}],"nullable":true}`
	if text := compact(t, build(t, app, "").OpenAPI30()); !strings.Contains(text, want) {
		t.Errorf("lacks %s: %s", want, text)
	}
}

// Swagger 2.0 describes no protected operation as public. A scheme that it lacks is a header.
func TestSchemesThatSwaggerLacks(t *testing.T) {
	known := func(ctx context.Context, _ apidoc.Credentials) (context.Context, error) { return ctx, nil }
	for header, security := range map[string]*apidoc.Security{
		"Cookie":        apidoc.APIKey("key", apidoc.InCookie, "session", known),
		"Authorization": apidoc.OpenID("key", "https://a.example/.well-known/openid-configuration", known),
	} {
		app, api := newTyped()
		apidoc.Get(api, "/", "", func(context.Context, struct{}) (none struct{}, _ error) { return none, nil }, security)
		document := decode(t, build(t, app, "").Swagger())
		scheme, operation := document.at("securityDefinitions", "key"), document.at("paths", "/", "get")
		if scheme["type"] != "apiKey" || scheme["in"] != "header" || scheme["name"] != header || operation["security"] == nil {
			t.Errorf("%s: got %v for %v", header, scheme, operation)
		}
	}
}

// Without a format, generated clients read unsigned integers as 32 bits.
func TestFormatOfUnsignedIntegers(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct {
		A uint   `query:"a"`
		B uint64 `query:"b"`
	}) (none struct{}, _ error) {
		return none, nil
	})
	const want = `"schema":{"type":"integer","format":"int64","minimum":0}`
	if text := compact(t, build(t, app, "").OpenAPI()); strings.Count(text, want) != 2 {
		t.Errorf("lacks %s: %s", want, text)
	}
}
