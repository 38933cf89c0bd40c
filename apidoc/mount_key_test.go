package apidoc_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

// The API keys that mounts and routes check are known to operations that refuse unknown parameters.
func TestKeysOfMountsAreKnownParameters(t *testing.T) {
	key := func(name string) *apidoc.Security {
		return apidoc.APIKey(name, apidoc.InQuery, name, func(context.Context, apidoc.Credentials) (context.Context, error) { return nil, nil })
	}
	type input struct {
		_    struct{} `additionalProperties:"false"`
		Size int      `query:"size"`
	}
	inner := routing.New()
	apidoc.Get(apidoc.NewAPI(inner, info), "/", "", func(_ context.Context, in input) (string, error) { return fmt.Sprint(in.Size), nil })
	between, outer := routing.New(), routing.New()
	between.Mount("/in", inner, key("second"))
	outer.Mount("/out", between, key("first"))
	outer.Mount("/free", inner)
	c := apitest.New(t, outer)
	c.Get("/out/in/?size=7&first=a&second=b").Want(200, "7")
	c.Get("/out/in/?size=7&second=b").Want(http.StatusUnauthorized)
	c.Get("/out/in/?size=7&first=a&second=b&third=c").Want(422).WantText(`"name":"third"`)
	c.Get("/free/?size=7&first=a").Want(422).WantText(`"name":"first"`)
}
