// Otel traces a service with OpenTelemetry's middleware of net/http. The app sets the name of the route that ran on the request it
// received, which is what the middleware reads, so that spans are named by routes and not by paths.
package main

import (
	"log"
	"net/http"
	"os"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/trace"

	"example.com/flowercafe/routing"
)

func main() {
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(os.Stdout))
	if err != nil {
		log.Fatal(err)
	}
	handler := traced(newApp(), trace.NewTracerProvider(trace.WithSyncer(exporter)))
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Print("listening on http://127.0.0.1:8080/orders/7")
	log.Fatal(server.ListenAndServe())
}

func newApp() *routing.App {
	app := routing.New()
	app.Before(func(c routing.Context) error {
		return &routing.HaltError{Status: http.StatusForbidden, Body: routing.Text("not for you")}
	}, routing.On("/admin/*"))
	app.Get("/orders/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text("order " + c.Params().Or("id", "")), nil
	})
	app.Get("/orders/new", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	return app
}

// traced makes a span of every request. The name is asked for again when the app has answered.
func traced(app http.Handler, provider *trace.TracerProvider) http.Handler {
	return otelhttp.NewHandler(app, "", otelhttp.WithTracerProvider(provider),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string {
			if r.Pattern == "" {
				return r.Method
			}
			return r.Pattern
		}))
}
