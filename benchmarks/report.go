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

// table prints a result.
func (r result) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.name, r.About)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tratio\trange\tns\tbytes\tallocs\t\n")
	for _, name := range r.Names {
		f := r.figures[name]
		fmt.Fprintf(w, "%s\t%.2f\t%.2f–%.2f\t%.1f\t%.0f\t%.1f\t\n", name, f.ratio, f.low, f.high, f.ns, f.bytes, f.allocs)
	}
	w.Flush()
	if strings.HasPrefix(r.name, "routes_") || strings.HasPrefix(r.name, "search_") {
		for _, built := range r.Builds {
			fmt.Fprintf(&b, "  %s: built in %s, %.1f MB\n", built.Name, built.Spent.Round(100*time.Microsecond), float64(built.Bytes)/(1<<20))
		}
	}
	for _, a := range r.Absent {
		fmt.Fprintf(&b, "  without %s: %s\n", a.Name, a.Reason)
	}
	return b.String()
}

// writeResults writes RESULTS.md and the charts.
func writeResults(results []result, m meter) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nWritten on %s: %s, %d cores, %s/%s, %s. %s of one request:\nof the server alone over loopback, or through `ServeHTTP`.\n",
		time.Now().UTC().Format(time.DateOnly), processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), cpuClocks)
	fmt.Fprintf(&b, "%d rounds in each of %d link layouts. The time of a layout is taken from the least disturbed tenth of its chunks of a millisecond. The ratio\n"+
		"to the contestant with 1.00 is the mean of the layouts. The range is of ratios from half of the rounds of each layout.\n"+
		"The ratio of servers over loopback in a layout is the median of the rounds, in which they alternate every tenth of a second.\n\n", m.rounds, m.layouts)
	fmt.Fprintf(&b, "## Summary\n\nA ratio below 1 means that this router takes less time.\n\n%s\n%s\n", summaryTable(figuresOf(results)), reasons)
	fmt.Fprintf(&b, "## Growth\n\nThe CPU time of a request for several sizes of the data. The slope is the exponent between the last two sizes.\n\n```\n%s```\n\n", growthTable(results))
	b.WriteString("## All benchmarks\n\n")
	for _, r := range results {
		fmt.Fprintf(&b, "```\n%s```\n\n", r.table())
	}
	if err := os.WriteFile("RESULTS.md", []byte(b.String()), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile("chart.svg", []byte(chart(results, lightChart)), 0o644); err != nil {
		return err
	}
	return os.WriteFile("chart-dark.svg", []byte(chart(results, darkChart)), 0o644)
}

// processor returns the name of the processor.
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
