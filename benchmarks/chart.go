package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// charted are the benchmarks of the chart.
var charted = [...]string{"github_all", "github_overlapping", "static_all", "param_write", "routes_100000"}

const (
	chartWidth = 760
	labelWidth = 150
	barHeight  = 14
	rowGap     = 4
	mostRatio  = 4 // longer bars are cut
)

// chart draws the main tables as bars: a contestant's ratio to the reference, shorter is faster.
func chart(results []result) string {
	var b strings.Builder
	y := 30
	text := func(x, y int, weight, s string) {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" font-weight=\"%s\">%s</text>\n", x, y, weight, html.EscapeString(s))
	}
	text(10, 20, "bold", "CPU time of a request beside the reference (1.00); shorter is faster")
	for _, name := range charted {
		for _, r := range results {
			if r.name != name {
				continue
			}
			y += 24
			text(10, y, "bold", r.name+": "+r.About)
			y += 8
			for _, name := range r.Names {
				ratio := r.figures[name].ratio
				width := int(math.Min(ratio, mostRatio) / mostRatio * (chartWidth - labelWidth - 70))
				fill := "#9aa5b1"
				if name == "flowercafe" {
					fill = "#c2410c"
				}
				text(20, y+barHeight-3, "normal", name)
				fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", labelWidth, y, max(width, 1), barHeight, fill)
				text(labelWidth+max(width, 1)+6, y+barHeight-3, "normal", fmt.Sprintf("%.2f", ratio))
				y += barHeight + rowGap
			}
		}
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"+
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s</svg>\n", chartWidth, y+20, b.String())
}
