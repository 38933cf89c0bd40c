package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestSpansAreNamedByRoutes(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	server := httptest.NewServer(traced(newApp(), trace.NewTracerProvider(trace.WithSpanProcessor(recorder))))
	defer server.Close()
	for i, test := range []struct {
		path   string
		status int
		name   string
	}{
		{"/orders/7", 200, "GET /orders/:id"},
		{"/orders/new", 200, "GET /orders/:id"}, // after the other has passed
		{"/admin/x", 403, "GET"},                // no route ran
		{"/none", 404, "GET"},
	} {
		response, err := http.Get(server.URL + test.path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != test.status {
			t.Errorf("%s: got status %d, want %d", test.path, response.StatusCode, test.status)
		}
		var spans []trace.ReadOnlySpan
		for end := time.Now().Add(time.Minute); len(spans) <= i; spans = recorder.Ended() { // it ends after its response
			if time.Now().After(end) {
				t.Fatalf("%s: no span", test.path)
			}
			time.Sleep(time.Millisecond)
		}
		span := spans[i]
		if span.Name() != test.name {
			t.Errorf("%s: the span is %q, want %q", test.path, span.Name(), test.name)
		}
		for _, attribute := range span.Attributes() {
			if attribute.Key == "http.response.status_code" && attribute.Value.AsInt64() != int64(test.status) {
				t.Errorf("%s: the span's status is %v, want %d", test.path, attribute.Value.String(), test.status)
			}
		}
	}
}
