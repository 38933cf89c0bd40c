package main

import (
	"fmt"
	"math"
	"strings"
)

// This file has the performance targets, compares a run with them, and explains the missed ones.

// An aim is an upper limit for a figure.
type aim struct {
	about  string
	most   float64
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

var aims = append([]aim{
	{"GitHub, 203 routes, of httprouter v1.3.0", 0.62, "", of("github_all", "httprouter")},
	{"the same, of httprouter's master", 1, "", of("github_all", "httprouter-master")},
	{"the same, of bunrouter", 1, "", of("github_all", "bunrouter")},
	{"GitHub, all 239, of bunrouter", 0.92, "", of("github_overlapping", "bunrouter")},
	{"GitHub, routes with parameters, of httprouter v1.3.0", 0.60, "", of("github_param", "httprouter")},
	{"the same, of bunrouter", 1, "", of("github_param", "bunrouter")},
	{"one parameter, read and written, of v1.3.0", 1, "", of("param_write", "httprouter")},
	{"157 static routes, of v1.3.0", 0.90, "", of("static_all", "httprouter")},
	{"one static route, of v1.3.0", 1.15, "", of("static_one", "httprouter")},
	{"100,000 routes, of v1.3.0", 0.58, "", of("routes_100000", "httprouter")},
	{"100,000 routes, memory", 60, "MB", building("routes_100000", func(b build) float64 { return float64(b.Bytes) / (1 << 20) })},
	{"100,000 routes, built in", 0.12, "s", building("routes_100000", func(b build) float64 { return b.Spent.Seconds() })},
	{"each further pass", 12, "ns", more("pass_10", "pass_100", 90)},
	{"a filter with a literal prefix", 7, "ns", more("filter_none", "filter_prefix", 10)},
	{"1,000 wildcards beside the path asked for", 1, "", of("splats_1000", "without")},
	{"1,000 anchored expressions beside it", 1, "", of("regexps_1000", "without")},
	{"coffees, of one prepared join stepped and rendered", 1.4, "", of("coffees", "floor")},
	{"the same, of database/sql and modernc", 0.2, "", of("coffees", "database/sql+modernc")},
	{"the same, of gin and gorm", 0.12, "", of("coffees", "gin+gorm")},
	{"all flowers over loopback, of a constant handler", 1.05, "", of("flowers_list", "floor")},
	{"one flower over loopback, of a constant handler", 1.05, "", of("flowers_slug", "floor")},
	{"a line of the access log", 4.5, "µs", func(r figureTable) float64 {
		return (r.ns("access_log") - r.figure("access_log", "without").ns) / 1e3
	}},
	{"a selective search in 1,000,000 flowers", 2, "µs", took("search_selective", 1e3)},
	{"one with 34,000 hits", 5, "ms", took("search_34000", 1e6)},
	{"one for a letter, a hit", 18, "ns", took("search_letter", 1e6)},
}, besideBefore()...)

// besideBefore has the aims for typical work of services: no slower than before, and no more
// allocations.
func besideBefore() []aim {
	var all []aim
	for _, row := range hostRows() {
		all = append(all, aim{row.about + ", of the commit before", 1, "", of(row.benchmark(), "before")})
	}
	return append(all, aim{"the most allocations that one of these has more", 0, "", func(r figureTable) float64 {
		most := math.Inf(-1)
		for _, row := range hostRows() {
			most = max(most, r.figure(row.benchmark(), "flowercafe").allocs-r.figure(row.benchmark(), "before").allocs)
		}
		return most
	}})
}

// of returns this router's time divided by that of another contestant.
func of(benchmark, other string) func(figureTable) float64 {
	return func(r figureTable) float64 {
		return r.figure(benchmark, "flowercafe").ratio / r.figure(benchmark, other).ratio
	}
}

// more returns the additional time for each of n things.
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

// took returns this router's time in a unit of that many nanoseconds.
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

// aimsTable prints the measured aims. An aim is reached if the rounded figure is.
func aimsTable(r figureTable) string {
	var b strings.Builder
	b.WriteString("| figure | target, at most | measured | |\n|---|---|---|---|\n")
	for _, a := range aims {
		here := a.figure(r)
		if math.IsNaN(here) {
			continue
		}
		verdict := ""
		if math.Round(100*here) > math.Round(100*a.most) {
			verdict = "missed"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", a.about, a.text(a.most), a.text(here), verdict)
	}
	return b.String()
}

func (a aim) text(value float64) string {
	return strings.TrimSpace(fmt.Sprintf("%.2f %s", value, a.unit))
}

// reasons explains the times, from profiles.
const reasons = `The time of a request includes an empty header map, a header and a write, which are the same for all contestants. The rest is the search and
the steps of a request. With 100,000 routes the fast contestants mostly wait for memory, so a busy machine with shared caches changes these
ratios most. Contestants that allocate also pay for the garbage collector, which runs on one processor.

The contestants' handlers share one Content-Type value among all responses. This router shares it only with writers that nobody can read
after the response, such as the one measured here. With net/http's writer and those of middleware it makes a copy of 16 bytes for each
response. host_bytes_wrapped shows what that costs; the benchmarks over loopback include it.
`
