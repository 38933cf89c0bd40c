package specification_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/routing"
)

// The rules of 4.4, with routes of a host. Each path has the number of its rule.
func TestSpecificationRules(t *testing.T) {
	own := routing.New(routing.WithBasePath("/shop/own"), routing.WithMethodOverride(), routing.WithLogger(slog.New(slog.DiscardHandler)))
	shows := func(keys ...string) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			var all []string
			for _, key := range keys {
				all = append(all, strings.Join(c.Params().Values(key), ","))
			}
			return routing.Text(c.Request().Method + " " + strings.Join(all, ";")), nil
		}
	}
	own.Get("/1/:a", shows("a"))
	own.Put("/1/:a", shows("a"))
	own.Post("/1/:a", shows("a"))
	own.Delete("/1/:a", shows("a"))
	own.Get("/2/splat/*/to/*", shows("splat"))
	own.Route("GET", routing.Regexp(regexp.MustCompile(`^/2/f(.*)/b(.*)$`)), shows("captures"))
	own.Route("GET", routing.Must(routing.Rails("/2/rails(/:id)")), shows("id"))
	own.Get("/2/slash/?", shows())
	own.Get("/3", shows())
	own.Get("/3", func(routing.Context) (routing.Result, error) { return routing.Text("condition"), nil },
		routing.When(func(r *http.Request) bool { return r.Header.Get("X-Which") == "newer" }))
	own.Route("GET", routing.Pattern{}, func(routing.Context) (routing.Result, error) { return routing.Text("condition alone"), nil },
		routing.When(func(r *http.Request) bool { return r.Header.Get("X-Which") == "any" }))
	own.Get("/4", func(routing.Context) (routing.Result, error) { return routing.Text("older"), nil })
	own.Get("/4", func(c routing.Context) (routing.Result, error) {
		if _, pass := c.Params().Get("pass"); pass {
			return routing.Result{}, routing.Pass
		}
		return routing.Text("newer"), nil
	})
	own.Get("/4/alone", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	own.Post("/5/:id", func(c routing.Context) (routing.Result, error) {
		id, _ := c.Params().Get("id")
		color := c.Params().GetOr("color", "none")
		_, known := c.Params().Get("unknown")
		return routing.Text(fmt.Sprint(id, " ", color, " ", c.Params().Values("color"), " ", c.Params().Values("unknown"), " ", known)), nil
	})
	own.Post("/5/body", shows(""))
	own.Get("/5/required", func(c routing.Context) (routing.Result, error) {
		_, err := c.Params().Require("unknown")
		return routing.Text("never"), err
	})
	var order []string
	note := func(what string) routing.Filter {
		return func(routing.Context) error { order = append(order, what); return nil }
	}
	own.Before(note("before"), routing.On("/8/*"))
	own.After(note("after"), routing.On("/8/*"))
	own.Before(func(c routing.Context) error { c.SetContentType("text/x-own"); return nil }, routing.On("/7"))
	own.Get("/7", shows())
	own.Get("/8/fails", func(routing.Context) (routing.Result, error) {
		order = append(order, "action")
		return routing.Result{}, errors.New("secret")
	})
	own.OnError(func(_ routing.Context, err error) (routing.Result, error) {
		order = append(order, "error")
		var missing *routing.ParamError
		return routing.Text(fmt.Sprint("handled ", errors.As(err, &missing))), nil
	})
	own.Get("/9", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Redirect("/9/there") })
	own.Get("/10", func(c routing.Context) (routing.Result, error) {
		c.Header().Set("X-Kept", "yes")
		return routing.Result{}, &routing.HaltError{Status: 301, Header: http.Header{"Location": {"/there"}}, Body: routing.Text("moved")}
	})
	s := mounted(t, "/shop", flowercafe.WithMount("/own", own))
	for _, test := range []struct {
		rule, method, path, body, header string
		status                           int
		want                             string
	}{
		{"4.4.1 GET", "GET", "/1/x", "", "", 200, "GET x"},
		{"4.4.1 PUT", "PUT", "/1/x", "", "", 200, "PUT x"},
		{"4.4.1 POST", "POST", "/1/x", "", "", 200, "POST x"},
		{"4.4.1 DELETE", "DELETE", "/1/x", "", "", 200, "DELETE x"},
		{"4.4.1 another method", "PATCH", "/1/x", "", "", 404, ""},
		{"4.4.2 one segment", "GET", "/1/a.b-c%20d", "", "", 200, "GET a.b-c d"},
		{"4.4.2 not two", "GET", "/1/x/y", "", "", 404, ""},
		{"4.4.2 wildcards", "GET", "/2/splat/a/b/to/c", "", "", 200, "GET a/b,c"},
		{"4.4.2 captures", "GET", "/2/foo/bar", "", "", 200, "GET oo,ar"},
		{"4.4.2 Rails, without the optional segment", "GET", "/2/rails", "", "", 200, "GET "},
		{"4.4.2 Rails, with it", "GET", "/2/rails/7", "", "", 200, "GET 7"},
		{"4.4.2 optional slash", "GET", "/2/slash/", "", "", 200, "GET "},
		{"4.4.2 other paths differ by it", "GET", "/3/", "", "", 404, ""},
		{"4.4.3 the condition is true", "GET", "/3", "", "newer", 200, "condition"},
		{"4.4.3 it is false", "GET", "/3", "", "", 200, "GET "},
		{"4.4.3 no pattern", "GET", "/anything/else", "", "any", 200, "condition alone"},
		{"4.4.4 the last one", "GET", "/4", "", "", 200, "newer"},
		{"4.4.4 pass", "GET", "/4?pass", "", "", 200, "older"},
		{"4.4.4 pass, and none remains", "GET", "/4/alone", "", "", 404, ""},
		{"4.4.5 route, query and form", "POST", "/5/7?color=red", "color=blue", "form", 200, "7 red [red blue] [] false"},
		{"4.4.5 the route's first", "POST", "/5/7?id=8", "", "", 200, "7 none [] [] false"},
		{"4.4.5 a body that holds JSON", "POST", "/5/body", `{"a":1}`, "json", 200, `POST {"a":1}`},
		{"4.4.5, 7 an unknown key", "GET", "/5/required", "", "", 400, "handled true"},
		{"4.4.6 by the header", "POST", "/1/x", "", "override", 200, "PUT x"},
		{"4.4.6 by the body", "POST", "/1/x", "_method=delete", "form", 200, "DELETE x"},
		{"4.4.6 only POST", "GET", "/1/x?_method=delete", "", "override", 200, "GET x"},
		{"4.4.7 a filter's type", "GET", "/7", "", "", 200, "GET "},
		{"4.4.8, 7 an error", "GET", "/8/fails", "", "", 500, "handled false"},
		{"4.4.9, 7 a redirect", "GET", "/9", "", "", 302, ""},
		{"4.4.10, 7 a halt", "GET", "/10", "", "", 301, "moved"},
	} {
		headers := map[string][]string{
			"form": {"Content-Type", "application/x-www-form-urlencoded"}, "json": {"Content-Type", "application/json"},
			"override": {"X-HTTP-Method-Override", "PUT"}, "": nil,
		}[test.header]
		if headers == nil {
			headers = []string{"X-Which", test.header}
		}
		got := s.send(t, test.method, "/own"+test.path, test.body, headers...)
		got.want(t, test.rule, test.status, test.want)
		if test.path == "/7" && got.header.Get("Content-Type") != "text/x-own" {
			t.Errorf("%s: got %v", test.rule, got.header)
		}
		if test.path == "/10" && (got.header.Get("Location") != "/there" || got.header.Get("X-Kept") != "yes") {
			t.Errorf("%s: got %v, want the halt's header and the one from before", test.rule, got.header)
		}
	}
	if want := []string{"error", "before", "action", "error", "after"}; !slices.Equal(order, want) {
		t.Errorf("4.4.8: the order is %v, want %v", order, want)
	}
	// 4.4.6: the coffee demo has no override.
	if got := s.send(t, "POST", "/coffees", "", "X-HTTP-Method-Override", "GET"); got.status != 404 {
		t.Errorf("4.4.6 without the feature: got %d", got.status)
	}
}
