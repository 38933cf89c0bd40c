package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"example.com/flowercafe/routing"
)

// BenchmarkDefine makes a table of 100,000 routes like that of a large REST interface and serves a
// request. It reports the memory that stays in use.
func BenchmarkDefine(b *testing.B) {
	type route struct{ method, path string }
	var table []route
	for i := 0; len(table) < 100_000; i++ {
		base := fmt.Sprintf("/area%d/kind%d", i/25, i%25)
		table = append(table, route{"GET", base}, route{"POST", base}, route{"GET", base + "/:id"}, route{"GET", base + "/:id/parts/:part"})
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var app *routing.App
	for b.Loop() {
		app = routing.New()
		for _, r := range table {
			body := routing.Text(r.method + " " + r.path)
			app.Route(r.method, routing.Must(routing.Sinatra(r.path)), func(routing.Context) (routing.Result, error) { return body, nil })
		}
		app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(app)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-kept")
}
