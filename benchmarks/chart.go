package main

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// This file draws the chart: for some benchmarks the ratio of each contestant, the fastest first.
// It is drawn twice, for light and for dark pages.

// charted are the benchmarks of the chart and their titles.
var charted = [...]struct{ name, title string }{
	{"loopback_user", "over loopback, beside a constant handler (floor): a parameter and JSON, 64 clients"},
	{"github_all", "GitHub's API, 203 routes that do not overlap"},
	{"github_overlapping", "GitHub's API, all 239 routes; the others refuse them"},
	{"static_all", "157 routes without parameters"},
	{"param_write", "one parameter, read and written"},
	{"routes_100000", "100,000 routes"},
}

const (
	chartWidth  = 760
	chartMargin = 16
	perRatio    = 215 // pixels of a ratio of 1
	barHeight   = 18
	barGap      = 3
	letterWidth = 7 // about
	maxWidth    = chartWidth - 2*chartMargin - 50
)

// palette has the colors of a chart.
type palette struct{ text, soft, bar, onBar, ours, onOurs string }

var (
	lightChart = palette{"#241c18", "#65574e", "#d9cdc3", "#241c18", "#a3195b", "#ffffff"}
	darkChart  = palette{"#f2eae5", "#b9aba1", "#4b413b", "#f2eae5", "#ff9cc2", "#3b0720"}
)

// chart draws the benchmarks. The background is the page's.
func chart(results []result, colours palette) string {
	d := drawing{colours: colours, y: 20}
	d.text(chartMargin, d.y, colours.text, "bold", "CPU time of a request beside the reference (1.00): shorter is faster")
	for _, c := range charted {
		for _, r := range results {
			if r.name == c.name {
				d.benchmark(c.title, r)
			}
		}
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %[2]d\" width=\"%[1]d\" height=\"%[2]d\" role=\"img\" "+
		"font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>CPU time of a request beside the reference</title>\n%s</svg>\n",
		chartWidth, d.y+8, d.String())
}

type drawing struct {
	strings.Builder
	colours palette
	y       int
}

// benchmark draws the bars of one benchmark below the earlier ones.
func (d *drawing) benchmark(title string, r result) {
	d.y += 30
	d.text(chartMargin, d.y, d.colours.text, "bold", title)
	d.y += 8
	names := slices.SortedStableFunc(slices.Values(r.Names), func(a, b string) int {
		return cmp.Compare(r.figures[a].ratio, r.figures[b].ratio)
	})
	for _, name := range names {
		d.bar(name, r.figures[name].ratio)
	}
}

// bar draws a bar with the name on it, or beside it if the bar is too short. A bar that is too long
// ends in a point.
func (d *drawing) bar(name string, ratio float64) {
	fill, onBar, weight := d.colours.bar, d.colours.onBar, "normal"
	if name == "flowercafe" {
		fill, onBar, weight = d.colours.ours, d.colours.onOurs, "bold"
	}
	width := max(int(ratio*perRatio), 2)
	left, bottom, baseline := chartMargin, d.y+barHeight, d.y+barHeight-5
	if width > maxWidth {
		width = maxWidth
		fmt.Fprintf(d, "<path d=\"M%d %dh%dl8 %dl-8 %dH%[1]dz\" fill=\"%[6]s\"/>\n", left, d.y, width-8, barHeight/2, barHeight/2, fill)
	} else {
		fmt.Fprintf(d, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"%s\"/>\n", left, d.y, width, barHeight, fill)
	}
	figure := fmt.Sprintf("%.2f", ratio)
	if len(name)*letterWidth+16 <= width {
		d.text(left+8, baseline, onBar, weight, name)
		d.text(left+width+6, baseline, d.colours.soft, weight, figure)
	} else {
		d.text(left+width+6, baseline, d.colours.text, weight, name+"  "+figure)
	}
	d.y = bottom + barGap
}

func (d *drawing) text(x, y int, fill, weight, s string) {
	fmt.Fprintf(d, "<text x=\"%d\" y=\"%d\" fill=\"%s\" font-weight=\"%s\" xml:space=\"preserve\">%s</text>\n", x, y, fill, weight, html.EscapeString(s))
}
