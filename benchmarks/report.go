package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// table prints a result, each contestant beside the reference.
func (r result) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.name, r.about)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tratio\tns\tbytes\tallocs\t\n")
	for _, c := range r.entrants {
		f := r.figures[c.name]
		fmt.Fprintf(w, "%s\t%.2f\t%.1f\t%.0f\t%.1f\t\n", c.name, f.ratio, f.ns, f.bytes, f.allocs)
	}
	w.Flush()
	if strings.HasPrefix(r.name, "routes_") || strings.HasPrefix(r.name, "search_") {
		for _, built := range r.builds {
			fmt.Fprintf(&b, "  %s: built in %s, %.1f MB\n", built.name, built.spent.Round(100*time.Microsecond), float64(built.bytes)/(1<<20))
		}
	}
	for _, a := range r.absent {
		fmt.Fprintf(&b, "  without %s: %s\n", a.name, a.reason)
	}
	return b.String()
}

// shortfalls says what is slower than aimed at, and why; the reasons are those of profiles.
const shortfalls = `## Slower than aimed at

| | aim | here |
|---|---|---|
| GitHub, 203 routes | 0.60 of httprouter v1.3.0, 1.0 of its master | see github_all |
| GitHub, all 239 | 1.0 of bunrouter | see github_overlapping |
| GitHub, routes with parameters | 0.55 of httprouter v1.3.0 | see github_param |
| one parameter, read and written | 1.0 | see param_write |
| 157 static routes | 0.80 | see static_all |
| 100,000 routes | 0.50 | see routes_100000 |

The others on the list of aims are reached or nearly so. Why not these: of about 190 ns over GitHub's routes, 40 are what every contestant
pays here for an empty header map, a header and a write; 20 are sync.Pool, which gives the request its state; 10 are two atomic operations, one
that claims the room of a text and one that ends the request for every Context that an action may have kept; reading a parameter takes two
more. 50 to 60 are the search. The rest is spread over the steps of a request, no function of which has more than a few nanoseconds: filters,
conditions, passing, the name for http.Request.Pattern, the panic that is contained, the check of status and headers. Taking out the atomic
operations or the containing would bring 15 ns and a Context that shows other people's requests.

`

// writeResults writes RESULTS.md and chart.svg.
func writeResults(results []result, m meter) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nWritten by `go run .` on %s: %s, %d cores, %s/%s, %s. %d rounds, medians of the rounds' ratios;\n",
		time.Now().UTC().Format(time.DateOnly), processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), m.rounds)
	fmt.Fprintf(&b, "the figures are %s for one request, through `ServeHTTP`. The ratio is to the contestant whose ratio is 1.00.\n\n", cpuClocks)
	b.WriteString(shortfalls)
	fmt.Fprintf(&b, "## Growth\n\nThe CPU time of a request as what it is asked of grows; the slope is the exponent between the last two sizes.\n\n```\n%s```\n\n", growthTable(results))
	b.WriteString("## All benchmarks\n\n")
	for _, r := range results {
		fmt.Fprintf(&b, "```\n%s```\n\n", r.table())
	}
	if err := os.WriteFile("RESULTS.md", []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile("chart.svg", []byte(chart(results)), 0o644)
}

// processor returns the processor's name as the system tells it.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "model name"); ok {
			return strings.Trim(name, "\t: ")
		}
	}
	return "unknown processor"
}
