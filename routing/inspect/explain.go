package inspect

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"example.com/flowercafe/routing"
)

// This file explains how the apps would handle a request.

// appExplanation describes how one app handles the request.
type appExplanation struct {
	routing.Explanation
	Package       string
	Runs          *routeStep  // the first route that matches
	Others        []routeStep // all other routes, in the order in which they are tried
	Before, After []filterStep
	Mounted       *appExplanation // of the app that Runs mounts
}

// routeStep describes one route.
type routeStep struct {
	routing.Step
	Source sourceLine
}

// filterStep describes one filter.
type filterStep struct {
	routing.FilterStep
	filter
}

func filterSteps(steps []routing.FilterStep) []filterStep {
	var shown []filterStep
	for _, s := range steps {
		shown = append(shown, filterStep{s, newFilter(s.Filter)})
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
	for _, a := range apps {
		v.Explained = append(v.Explained, explanationOf(a, a.Explain(request)))
	}
}

// request returns the request to explain. It has the remote address and the host of r.
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

func explanationOf(a *routing.App, e routing.Explanation) appExplanation {
	explanation := appExplanation{Explanation: e, Package: packageOf(a.Table()), Before: filterSteps(e.Before), After: filterSteps(e.After)}
	for _, s := range e.Steps {
		shown := routeStep{s, sourceLineOf(s.Route.Source())}
		switch {
		case s.Matched && explanation.Runs == nil:
			explanation.Runs = &shown
			if s.Mounted != nil {
				mounted := explanationOf(s.Route.Mounted(), *s.Mounted)
				explanation.Mounted = &mounted
			}
			continue
		case s.Matched:
			shown.Reason += "; it runs if those before pass"
		}
		explanation.Others = append(explanation.Others, shown)
	}
	return explanation
}
