package apidoc_test

import (
	"net/url"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// The default server and the basePath of a description begin with the prefix that a proxy removes.
// Those of Info.Servers are as given.
func TestDescriptionsBehindAProxy(t *testing.T) {
	app := routing.New(routing.WithProxyPrefix("/shop ü"), routing.WithBasePath("/v1"))
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "", answer("oak"), apidoc.ID("trees"))
	inner := apidoc.NewAPI(routing.New(), info)
	apidoc.Get(inner, "/leaves", "", answer("leaf"), apidoc.ID("leaves"))
	if _, err := inner.Serve(nil); err != nil {
		t.Fatal(err)
	}
	app.Mount("/in/:house", inner)
	d, err := api.Serve(nil)
	if err != nil {
		t.Fatal(err)
	}
	const prefix = "/shop%20%C3%BC/v1"
	below, err := inner.Document()
	if err != nil {
		t.Fatal(err)
	}
	if d.BasePath() != "/v1" || below.BasePath() != "" || d.Mounted() || !below.Mounted() {
		t.Errorf("BasePath is %s and %s, Mounted %t and %t", d.BasePath(), below.BasePath(), d.Mounted(), below.Mounted())
	}
	given := info
	given.Servers = []apidoc.Server{{URL: "/given"}}
	withServers, err := apidoc.Build(app, given, "/v1")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"OpenAPI, given": {withServers.OpenAPI(), "/given"}, "Swagger, given": {withServers.Swagger(), "/given"},
		"OpenAPI": {d.OpenAPI(), prefix}, "Swagger": {d.Swagger(), prefix},
		"openapi.json": {call(app, "GET", "/v1/api-docs/openapi.json", "", "").Body.Bytes(), prefix},
		"swagger.json": {call(app, "GET", "/v1/api-docs/swagger.json", "", "").Body.Bytes(), prefix},
		"of a mount":   {call(app, "GET", "/v1/in/mill/api-docs/openapi.json", "", "").Body.Bytes(), prefix + "/in/mill"},
	} {
		got, _ := decode(t, test.text)["basePath"].(string)
		if servers, _ := decode(t, test.text)["servers"].([]any); len(servers) == 1 {
			got, _ = servers[0].(map[string]any)["url"].(string)
		}
		if got != test.want {
			t.Errorf("%s: clients call %q, want %q", name, got, test.want)
		}
	}
}

// URLs in Info.Servers may be relative to the description. They don't depend on the app's prefix.
func TestRelativeServers(t *testing.T) {
	relative := info
	relative.Servers = []apidoc.Server{{URL: ".."}}
	inner := routing.New()
	api := apidoc.NewAPI(inner, relative)
	apidoc.Get(api, "/trees", "", answer("oak"), apidoc.ID("trees"))
	if _, err := api.Serve(nil); err != nil {
		t.Fatal(err)
	}
	app := routing.New()
	app.Mount("/t/:tenant", api)
	for _, place := range []string{"http://a.example/t/ann", "http://a.example/behind/a/proxy/t/ann"} {
		_, below, _ := strings.Cut(place, "/t/")
		document, err := url.Parse(place + "/api-docs/openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		servers := decode(t, call(app, "GET", "/t/"+below+"/api-docs/openapi.json", "", "").Body.Bytes())["servers"].([]any)
		server, err := document.Parse(servers[0].(map[string]any)["url"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if got := server.JoinPath("/trees").String(); got != place+"/trees" {
			t.Errorf("clients call %s, want %s/trees", got, place)
		}
	}
	swagger := decode(t, call(app, "GET", "/t/ann/api-docs/swagger.json", "", "").Body.Bytes())
	if got := swagger["basePath"]; got != "/t/ann" {
		t.Errorf("the basePath is %v", got)
	}
}
