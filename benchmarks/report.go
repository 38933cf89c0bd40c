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

// writeResults writes RESULTS.md and chart.svg.
func writeResults(results []result, m meter) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nWritten by `go run .` on %s: %s, %d cores, %s/%s, %s. %d rounds, medians of the rounds' ratios;\n",
		time.Now().UTC().Format(time.DateOnly), processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), m.rounds)
	fmt.Fprintf(&b, "the figures are %s for one request, through `ServeHTTP`. The ratio is to the contestant whose ratio is 1.00.\n\n", cpuClocks)
	fmt.Fprintf(&b, "## Aims\n\n%s\n%s\n", aimsTable(figuresOf(results)), reasons)
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
