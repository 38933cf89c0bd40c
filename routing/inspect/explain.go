package inspect

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"example.com/flowercafe/routing"
)

// This file explains what the apps would do with a request.

// explained describes one app.
type explained struct {
	Base    string
	Package string
	Inside  bool
	Path    string
	Runs    *step // the first route that matches
	Before  []filterStep
	Others  []step // all other routes, in the order in which they are tried
	After   []filterStep
	Mounted *explained // of the app that Runs mounts
}

// step describes one route.
type step struct {
	Route   string
	Source  place
	Matched bool
	Reason  string
	Params  []routing.PathParam
}

// filterStep describes one filter.
type filterStep struct {
	filter
	Applies bool
	Reason  string
}

func filterSteps(steps []routing.FilterStep) []filterStep {
	var shown []filterStep
	for _, s := range steps {
		shown = append(shown, filterStep{newFilter(s.Filter), s.Applies, s.Reason})
	}
	return shown
}

// explain explains the request that the reader has entered.
func (v *view) explain(apps []*routing.App, r *http.Request) {
	request, err := v.request(r)
	if err != nil {
		v.Problem = err.Error()
		return
	}
	defer func() {
		// A condition has panicked; it may expect more than this request has.
		if value := recover(); value != nil {
			v.Explained = nil
			v.Problem = fmt.Sprintf("A condition panicked: %v", value)
		}
	}()
	for _, a := range apps {
		v.Explained = append(v.Explained, explainedOf(a, a.Explain(request)))
	}
}

// request makes the request to explain, with the reader's own address and host.
func (v *view) request(r *http.Request) (*http.Request, error) {
	target, err := url.Parse(v.URL)
	if err != nil || target.Opaque != "" {
		return nil, fmt.Errorf("%q is not a URL: write a path such as /flowers/rose?name=x", v.URL)
	}
	if target.Path == "" {
		target.Path = "/"
	}
	if target.Host == "" && !strings.HasPrefix(target.Path, "/") {
		return nil, fmt.Errorf("%q must start with /: write a path such as /%s", v.URL, v.URL)
	}
	request, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), v.Method, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%q is not a method: write one such as GET", v.Method)
	}
	request.RemoteAddr = r.RemoteAddr
	if request.Host == "" {
		request.Host = r.Host
	}
	return request, nil
}

func explainedOf(a *routing.App, e routing.Explanation) explained {
	x := explained{Base: e.Base, Package: packageOf(a.Table()), Inside: e.Inside, Path: e.Path, Before: filterSteps(e.Before), After: filterSteps(e.After)}
	for _, s := range e.Steps {
		shown := step{s.Route.String(), placeOf(s.Route.Source()), s.Matched, s.Reason, nil}
		for _, p := range s.Params {
			if s.Route.Mounted() == nil || p.Name != "splat" { // the path of the mounted app
				shown.Params = append(shown.Params, p)
			}
		}
		if !s.Matched || x.Runs != nil {
			if s.Matched {
				shown.Reason += "; it runs if those before pass"
			}
			x.Others = append(x.Others, shown)
			continue
		}
		x.Runs = &shown
		if s.Mounted != nil {
			mounted := explainedOf(s.Route.Mounted(), *s.Mounted)
			x.Mounted = &mounted
		}
	}
	return x
}
