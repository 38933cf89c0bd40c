package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/inspect"
)

// livePath is the path from which the home page reads its data.
const livePath = "/live"

// build makes the app and the mux in which it is mounted.
func build(c config, logger *slog.Logger) (*flowercafe.App, *http.ServeMux, error) {
	home, err := newHome(c)
	if err != nil {
		return nil, nil, err
	}
	options := []flowercafe.Option{
		flowercafe.WithBasePath(c.base),
		flowercafe.WithPoolSize(c.pool),
		flowercafe.WithHome(), // redirects to the trailing slash; the page itself is the host's
		flowercafe.WithHealth(),
		flowercafe.WithLogger(logger),
		flowercafe.WithCoffee(coffeedemo.WithGuard()),
		flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New(viewer.WithMoreFormats(viewer.Format{Name: "Spec 2.0", URL: "../spec.json"})))),
	}
	if len(c.origins) != 1 || c.origins[0] != "*" {
		options = append(options, flowercafe.WithAllowedOrigins(c.origins...))
	}
	if c.flowers != "" {
		flowers, err := readFlowers(c.flowers)
		if err != nil {
			return nil, nil, err
		}
		options = append(options, flowercafe.WithFlowers(flowers...))
	}
	if c.pages != 0 {
		options = append(options, flowercafe.WithCatalog(flowercatalog.WithPageSize(c.pages)))
	}
	mux := http.NewServeMux()
	app, err := flowercafe.Mount(mux, options...)
	if err != nil {
		return nil, nil, err
	}
	base := strings.TrimRight(c.base, "/")
	mux.Handle("GET "+base+"/{$}", home)
	mux.Handle("GET "+base+livePath, &liveData{app: app, base: base, limit: c.pool})
	for _, routes := range routesOf(app) {
		for _, shadow := range routes.Shadowed() {
			logger.Info("a route overrides another", "route", shadow.By, "overridden", shadow.Hidden)
		}
	}
	return app, mux, nil
}

// routesOf returns the apps in which the routes are defined.
func routesOf(app *flowercafe.App) []*routing.App {
	return []*routing.App{app.Catalog().Routes(), app.Coffee().Routes()}
}

// showRoutes serves the route inspector, and returns its URL below the base path at url.
func showRoutes(mux *http.ServeMux, app *flowercafe.App, c config, url string) string {
	const path = "/debug/routes"
	page := inspect.New(app.Catalog().Routes(), inspect.WithApps(app.Coffee().Routes()))
	mux.Handle(strings.TrimRight(c.base, "/")+path, page)
	return page.URL(url + path)
}

// printSpec prints a format of the description, as it is served.
func printSpec(stdout io.Writer, app *flowercafe.App, format string) error {
	document, err := app.Catalog().Document()
	if err != nil {
		return err
	}
	var text []byte
	switch format {
	case "spec":
		if text, err = app.Catalog().Spec(); err != nil {
			return err
		}
	case "swagger":
		text = document.Swagger()
	case "openapi":
		text = document.OpenAPI()
	default:
		return fmt.Errorf("-print-spec %q: write spec, swagger or openapi", format)
	}
	_, err = stdout.Write(text)
	return err
}
