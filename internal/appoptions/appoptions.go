// Package appoptions has the options that the flower catalog, the coffee demo and the root package
// have in common. Each of them exports these options with the prefix With.
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

// Settings are the options that all applications have.
type Settings struct {
	BasePath         string       // after Check without a trailing slash
	ProxyPrefix      string       // likewise
	Next             http.Handler // may be nil
	Logger           *slog.Logger // nil means slog.Default
	MethodNotAllowed bool
	Home             bool // serve the home page
	Health           bool // serve the health paths
}

// Option changes a Settings.
type Option struct {
	name string // only if the root package refuses the option in WithCatalog and WithCoffee
	set  func(*Settings)
}

func BasePath(path string) Option {
	return Option{"WithBasePath", func(s *Settings) { s.BasePath = path }}
}

func ProxyPrefix(path string) Option {
	return Option{"WithProxyPrefix", func(s *Settings) { s.ProxyPrefix = path }}
}

func Next(next http.Handler) Option {
	return Option{"WithNext", func(s *Settings) { s.Next = next }}
}

func Home() Option { return Option{"WithHome", func(s *Settings) { s.Home = true }} }

func Health() Option { return Option{"WithHealth", func(s *Settings) { s.Health = true }} }

func Logger(logger *slog.Logger) Option {
	return Option{"", func(s *Settings) { s.Logger = logger }}
}

func MethodNotAllowed() Option {
	return Option{"", func(s *Settings) { s.MethodNotAllowed = true }}
}

// Set applies the option.
func (o Option) Set(s *Settings) { o.set(s) }

// WholeApp returns the option's name if the root package refuses it in WithCatalog and WithCoffee,
// because it applies to the whole app, or "".
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

// CheckNested checks the options that where, WithCatalog or WithCoffee, passes to an application.
// It returns an error if one is nil, or applies to the whole flowercafe.App.
func CheckNested[O any](where string, options []O) (err error) {
	nilErr := Apply(options, func(o O) {
		if p, ok := any(o).(interface{ WholeApp() string }); ok && p.WholeApp() != "" && err == nil {
			err = fmt.Errorf("%[1]s in %s: write flowercafe.%[1]s, which applies to the whole app", p.WholeApp(), where)
		}
	})
	if nilErr != nil {
		return fmt.Errorf("%s: %w", where, nilErr)
	}
	return err
}

// Check cleans the paths. If an option is invalid, the error describes what to write instead.
func (s *Settings) Check() (err error) {
	if s.BasePath, err = basepath.Clean(s.BasePath); err != nil {
		return err
	}
	if s.ProxyPrefix, err = basepath.Clean(s.ProxyPrefix); err != nil {
		return fmt.Errorf("WithProxyPrefix: %w", err)
	}
	return nilvalue.CheckOptional("WithNext", s.Next)
}

// NewRoutes returns a router with these settings.
func (s *Settings) NewRoutes() *routing.App {
	options := []routing.Option{routing.WithBasePath(s.BasePath), routing.WithProxyPrefix(s.ProxyPrefix), routing.WithNext(s.Next), routing.WithLogger(s.Logger)}
	if s.MethodNotAllowed {
		options = append(options, routing.WithMethodNotAllowed())
	}
	return routing.New(options...)
}

// AddPages adds the home page and the health paths to the routes of an application that stands
// alone, if the options want them.
func (s *Settings) AddPages(routes *routing.App, links home.Parts, part health.Part) error {
	if s.Health {
		health.Add(routes, part)
	}
	if s.Home {
		return home.Add(routes, links)
	}
	s.AddRedirect(routes, links.Catalog)
	return nil
}

// AddRedirect redirects the base path of routes to the catalog's viewer, unless the next handler
// gets requests for the base path.
func (s *Settings) AddRedirect(routes, catalog *routing.App) {
	if s.Next == nil {
		home.RedirectToViewer(routes, catalog)
	}
}
