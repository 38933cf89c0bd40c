// Otel traces a service with OpenTelemetry's middleware for net/http. The name of a span is the
// route that ran, not the path. routing.RecordRoute makes this work even if inner middleware copies
// the request, as session libraries do.
package main

import (
	"context"
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
		return routing.Text("order " + c.Params().GetOr("id", "")), nil
	})
	app.Get("/orders/new", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	return app
}

// traced makes a span for every request. The span gets its name after the app has responded.
func traced(app http.Handler, provider *trace.TracerProvider) http.Handler {
	return otelhttp.NewHandler(routing.RecordRoute(withUser(app)), "", otelhttp.WithTracerProvider(provider),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string {
			if r.Pattern == "" {
				return r.Method
			}
			return r.Pattern
		}))
}

type userKey struct{}

// withUser passes a copy of the request on, with the user in its context.
func withUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, _, _ := r.BasicAuth()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, user)))
	})
}
