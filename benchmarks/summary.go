package main

import (
	"fmt"
	"math"
	"strings"
)

// This file has the summary of a run: figures of this router, most of them as ratios to another
// contestant.

// summaryRow is a figure of the summary.
type summaryRow struct {
	about  string
	unit   string
	figure func(figureTable) float64 // NaN if it was not measured
}

// A figureTable has the results of all benchmarks by name.
type figureTable map[string]result

func figuresOf(results []result) figureTable {
	r := make(figureTable)
	for _, result := range results {
		r[result.name] = result
	}
	return r
}

var summary = []summaryRow{
	{"coffees over loopback, of a constant handler", "", of("loopback_coffees", "floor")},
	{"one flower over loopback, of a constant handler", "", of("loopback_flower", "floor")},
	{"all flowers over loopback, of a constant handler", "", of("loopback_flowers", "floor")},
	{"a parameter and JSON over loopback, of gin", "", of("loopback_user", "gin")},
	{"the same, of chi", "", of("loopback_user", "chi")},
	{"GitHub, 203 routes, of httprouter v1.3.0", "", of("github_all", "httprouter")},
	{"the same, of httprouter's master", "", of("github_all", "httprouter-master")},
	{"the same, of bunrouter", "", of("github_all", "bunrouter")},
	{"the same, of gin", "", of("github_all", "gin")},
	{"GitHub, all 239, of bunrouter", "", of("github_overlapping", "bunrouter")},
	{"GitHub, routes with parameters, of httprouter v1.3.0", "", of("github_param", "httprouter")},
	{"157 static routes, of v1.3.0", "", of("static_all", "httprouter")},
	{"100,000 routes, of v1.3.0", "", of("routes_100000", "httprouter")},
	{"100,000 routes, memory", "MB", building("routes_100000", func(b build) float64 { return float64(b.Bytes) / (1 << 20) })},
	{"each further pass", "ns", more("pass_10", "pass_100", 90)},
	{"a filter with a literal prefix", "ns", more("filter_none", "filter_prefix", 10)},
	{"1,000 wildcards beside the path asked for", "", of("splats_1000", "without")},
	{"1,000 anchored expressions beside it", "", of("regexps_1000", "without")},
	{"coffees in process, of one prepared join stepped and rendered", "", of("coffees", "floor")},
	{"the same, of database/sql and modernc", "", of("coffees", "database/sql+modernc")},
	{"the same, of gin and gorm", "", of("coffees", "gin+gorm")},
	{"a route with one middleware, of chi", "", of("host_middleware", "chi")},
	{"with three, of chi", "", of("host_three_middlewares", "chi")},
	{"three around the app, of chi", "", of("host_app_middleware", "chi")},
	{"an http.Handler, of ServeMux", "", of("host_handle", "servemux")},
	{"a mounted http.Handler, of ServeMux", "", of("host_mounted_handler", "servemux")},
	{"a file of 4 kB, of http.FileServerFS", "", of("host_files", "servemux")},
	{"a typed operation below one middleware, of huma on chi", "", of("host_typed_middleware", "huma on chi")},
	{"below three, of huma on chi", "", of("host_typed_three_middlewares", "huma on chi")},
	{"in a group with three, of huma on chi", "", of("host_typed_group", "huma on chi")},
	{"a typed GET with a parameter and an ETag, of net/http by hand", "", of("operation_get", "net/http")},
	{"the same, of ogen", "", of("operation_get", "ogen")},
	{"the same over loopback, of net/http by hand", "", of("loopback_operation_get", "net/http")},
	{"the same, of ogen", "", of("loopback_operation_get", "ogen")},
	{"a typed POST with rules, of net/http by hand", "", of("operation_post", "net/http")},
	{"the same, of ogen", "", of("operation_post", "ogen")},
	{"the same over loopback, of net/http by hand", "", of("loopback_operation_post", "net/http")},
	{"the same, of ogen", "", of("loopback_operation_post", "ogen")},
	{"a typed list of 100, of net/http by hand", "", of("operation_list", "net/http")},
	{"the same, of ogen", "", of("operation_list", "ogen")},
	{"the same over loopback, of net/http by hand", "", of("loopback_operation_list", "net/http")},
	{"the same, of ogen", "", of("loopback_operation_list", "ogen")},
	{"a refused typed POST, of net/http by hand", "", of("operation_refused", "net/http")},
	{"the same, of ogen", "", of("operation_refused", "ogen")},
	{"the same over loopback, of net/http by hand", "", of("loopback_operation_refused", "net/http")},
	{"the same, of ogen", "", of("loopback_operation_refused", "ogen")},
	{"an http.Handler over loopback, of chi", "", of("loopback_handle", "chi")},
	{"the same, of echo", "", of("loopback_handle", "echo")},
	{"a mounted one over loopback, of chi", "", of("loopback_mounted_handler", "chi")},
	{"the same, of echo", "", of("loopback_mounted_handler", "echo")},
	{"one middleware over loopback, of chi", "", of("loopback_middleware", "chi")},
	{"the same, of echo", "", of("loopback_middleware", "echo")},
	{"three over loopback, of chi", "", of("loopback_three_middlewares", "chi")},
	{"the same, of echo", "", of("loopback_three_middlewares", "echo")},
	{"three around the app over loopback, of chi", "", of("loopback_app_middleware", "chi")},
	{"the same, of echo", "", of("loopback_app_middleware", "echo")},
	{"a line of the access log", "µs", func(r figureTable) float64 {
		return (r.ns("access_log") - r.figure("access_log", "without").ns) / 1e3
	}},
	{"a selective search in 1,000,000 flowers", "µs", took("search_selective", 1e3)},
	{"one with 34,000 hits", "ms", took("search_34000", 1e6)},
	{"one for a letter, a hit", "ns", took("search_letter", 1e6)},
}

// of returns this router's time divided by that of another contestant.
func of(benchmark, other string) func(figureTable) float64 {
	return func(r figureTable) float64 {
		return r.figure(benchmark, "flowercafe").ratio / r.figure(benchmark, other).ratio
	}
}

// more returns the additional time of with, divided by n.
func more(without, with string, n float64) func(figureTable) float64 {
	return func(r figureTable) float64 { return (r.ns(with) - r.ns(without)) / n }
}

// building returns the cost of building this router.
func building(benchmark string, value func(build) float64) func(figureTable) float64 {
	return func(r figureTable) float64 {
		if d := r[benchmark].description; d != nil {
			for _, built := range d.Builds {
				if built.Name == "flowercafe" {
					return value(built)
				}
			}
		}
		return math.NaN()
	}
}

// took returns this router's time in units of unit nanoseconds.
func took(benchmark string, unit float64) func(figureTable) float64 {
	return func(r figureTable) float64 { return r.ns(benchmark) / unit }
}

func (r figureTable) ns(benchmark string) float64 { return r.figure(benchmark, "flowercafe").ns }

// figure returns a figure of NaNs if the contestant was not measured.
func (r figureTable) figure(benchmark, contestant string) figure {
	if f, ok := r[benchmark].figures[contestant]; ok {
		return f
	}
	return figure{ratio: math.NaN(), ns: math.NaN(), allocs: math.NaN()}
}

// summaryTable prints the figures that were measured.
func summaryTable(r figureTable) string {
	var b strings.Builder
	b.WriteString("| figure | measured |\n|---|---|\n")
	for _, row := range summary {
		if value := row.figure(r); !math.IsNaN(value) {
			fmt.Fprintf(&b, "| %s | %s |\n", row.about, strings.TrimSpace(fmt.Sprintf("%.2f %s", value, row.unit)))
		}
	}
	return b.String()
}

// reasons explains the times, from profiles.
const reasons = `Over loopback, most of a request is net/http and the system: reading, parsing, writing and waking up. That is the figure that a user sees.

Through ServeHTTP alone, the time includes an empty header map, a header and a write, which are the same for all contestants: each handler
does what its documentation shows, with one allocation of 16 bytes for the header. The rest is the search and the steps of a request. With
100,000 routes the fast contestants mostly wait for memory, so a busy machine with shared caches changes these ratios most. Contestants
that allocate also pay for the garbage collector, which runs on one processor.

An http.Handler and middleware read captures with r.PathValue, so they get a copy of the request, as from any router that is not a
ServeMux: this costs three allocations. An action reads them from its Context, without a copy.
`
