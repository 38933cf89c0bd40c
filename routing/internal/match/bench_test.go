package match_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
)

// route is a line of a table of routes.
type route struct{ Method, Path string }

// value has the size of the values in package routing.
type value struct {
	name string
	_    [10]*int
}

func benchmarkIndex(b testing.TB, table []route) *match.Index[value] {
	patterns := make([]*pattern.Pattern, len(table))
	for i, r := range table {
		path, _, rest := strings.Cut(r.Path, "*")
		if rest {
			path += "*"
		}
		var err error
		if patterns[i], err = pattern.Sinatra(path); err != nil {
			b.Fatal(err)
		}
	}
	return match.New(match.Routes{
		Count:   len(table),
		Method:  func(i int) string { return table[i].Method },
		Pattern: func(i int) *pattern.Pattern { return patterns[i] },
	}, func(v *value, i int, _ *pattern.Variant) { v.name = table[i].Path })
}

// generated returns a table of n routes, as of a large REST interface.
func generated(n int) []route {
	var table []route
	for i := 0; len(table) < n; i++ {
		base := fmt.Sprintf("/area%d/kind%d", i/25, i%25)
		table = append(table, route{"GET", base}, route{"POST", base}, route{"GET", base + "/:id"}, route{"GET", base + "/:id/parts/:part"})
	}
	return table
}

// BenchmarkFirst searches for each route of a table once.
func BenchmarkFirst(b *testing.B) {
	data, err := os.ReadFile("../../testdata/routes.json")
	if err != nil {
		b.Fatal(err)
	}
	var tables map[string][]route
	if err := json.Unmarshal(data, &tables); err != nil {
		b.Fatal(err)
	}
	tables["large"] = generated(100_000)
	for _, name := range []string{"github", "static", "large"} {
		table := tables[name]
		requests := make([]route, 0, 1000)
		for i := range min(len(table), 1000) {
			r := table[i*7919%len(table)]
			requests = append(requests, route{r.Method, regexp.MustCompile(`[:*](\w+)`).ReplaceAllString(r.Path, "$1")})
		}
		b.Run(name, func(b *testing.B) {
			ix := benchmarkIndex(b, table)
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				for _, r := range requests {
					if ix.First(r.Method, r.Path) == nil {
						b.Fatal(r)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(requests)), "ns/route")
		})
	}
}
