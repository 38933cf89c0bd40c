// Package appoptions has the options that the flower catalog, the coffee demo and the root package
// have in common. Each of them has these options as its own, under the same names.
package appoptions

import (
	"fmt"
	"log/slog"
	"net/http"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/health"
	"example.com/flowercafe/internal/home"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing"
)

// Place is the base path of an app, and the pages it serves there besides its own routes.
type Place struct {
	Base             string       // the base path; after Check without a slash at its end
	Outside          string       // the prefix that a proxy removes; likewise
	Next             http.Handler // gets the requests that no route matches; or nil
	Logger           *slog.Logger // nil is slog.Default
	MethodNotAllowed bool
	Home, Health     bool // whether there is the home page, and the health paths
}

// Option sets a part of a Place.
type Option struct {
	name string // as users write it; empty if a part of an app may have it for itself
	set  func(*Place)
}

func BasePath(path string) Option {
	return Option{"WithBasePath", func(p *Place) { p.Base = path }}
}

func ProxyPrefix(path string) Option {
	return Option{"WithProxyPrefix", func(p *Place) { p.Outside = path }}
}

func Next(next http.Handler) Option {
	return Option{"WithNext", func(p *Place) { p.Next = next }}
}

func Home() Option { return Option{"WithHome", func(p *Place) { p.Home = true }} }

func Health() Option { return Option{"WithHealth", func(p *Place) { p.Health = true }} }

func Logger(logger *slog.Logger) Option {
	return Option{"", func(p *Place) { p.Logger = logger }}
}

func MethodNotAllowed() Option {
	return Option{"", func(p *Place) { p.MethodNotAllowed = true }}
}

// Set sets the part.
func (o Option) Set(p *Place) { o.set(p) }

// WholeApp returns the option's name, or "" if a part of an app may have it for itself.
func (o Option) WholeApp() string { return o.name }

// Apply calls apply for each option. It returns an error if one is nil.
func Apply[O any](options []O, apply func(O)) error {
	for i, o := range options {
		if any(o) == nil {
			return fmt.Errorf("option %d is nil: leave it out", i)
		}
		apply(o)
	}
	return nil
}

// CheckParts returns an error if the options of a part of an app have a nil, or one that is for the
// whole app.
func CheckParts[O any](where string, options []O) (err error) {
	unset := Apply(options, func(o O) {
		if p, ok := any(o).(interface{ WholeApp() string }); ok && p.WholeApp() != "" && err == nil {
			err = fmt.Errorf("%[1]s in %s: write flowercafe.%[1]s, which is for the whole app", p.WholeApp(), where)
		}
	})
	if unset != nil {
		return fmt.Errorf("%s: %w", where, unset)
	}
	return err
}

// Check cleans the base path. If the place is invalid, the error describes what to
// write instead.
func (p *Place) Check() (err error) {
	if p.Base, err = basepath.Clean(p.Base); err != nil {
		return err
	}
	if p.Outside, err = basepath.Clean(p.Outside); err != nil {
		return fmt.Errorf("WithProxyPrefix: %w", err)
	}
	return nilvalue.CheckOptional("WithNext", p.Next)
}

// NewRoutes returns a router at the place.
func (p *Place) NewRoutes() *routing.App {
	options := []routing.Option{routing.WithBasePath(p.Base), routing.WithProxyPrefix(p.Outside), routing.WithNext(p.Next), routing.WithLogger(p.Logger)}
	if p.MethodNotAllowed {
		options = append(options, routing.WithMethodNotAllowed())
	}
	return routing.New(options...)
}

// AddPages adds the home page and the health paths to the routes of an application that stands
// alone, if the options want them.
func (p *Place) AddPages(routes *routing.App, links home.Parts, part health.Part) error {
	if p.Health {
		health.Add(routes, part)
	}
	if p.Home {
		return home.Add(routes, links)
	}
	p.AddRedirect(routes, links.Catalog)
	return nil
}

// AddRedirect redirects the base path of routes to the catalog's viewer, unless the next handler
// gets requests for the base path.
func (p *Place) AddRedirect(routes, catalog *routing.App) {
	if p.Next == nil {
		home.RedirectToViewer(routes, catalog)
	}
}
