package postings_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog/internal/postings"
)

// The benchmarks behind the figures in this package's comments: names made of a colour, a place and one of 30 kinds, and a number
// that some have, 25 bytes on average, all in lower case as folded names are.

var (
	colours = strings.Fields("crimson scarlet ivory golden amber violet azure pale dusky bright silver rosy dark white pink lilac purple blue yellow orange")
	places  = strings.Fields("alpine meadow river valley garden forest marsh island desert coastal highland lowland woodland prairie arctic tropical lakeside hedgerow moorland roadside")
	kinds   = strings.Fields("rose tulip lily daisy iris poppy aster dahlia lotus orchid peony violet camellia magnolia jasmine lavender marigold primula begonia freesia gentian hyacinth anemone nilüfer pensée edelweiss cornflower sunflower snowdrop foxglove")
)

func names(n int) []string {
	random := rand.New(rand.NewPCG(7, 7))
	pick := func(words []string) string { return words[random.IntN(len(words))] }
	list := make([]string, n)
	for i := range list {
		list[i] = pick(colours) + " " + pick(places) + " " + pick(kinds)
		if random.IntN(3) == 0 {
			list[i] += fmt.Sprintf(" no. %d", random.IntN(n))
		}
	}
	return list
}

// BenchmarkSize compares the scan with the index as the list grows: a text that few names contain, one that a thirtieth do, and a
// letter that most do.
func BenchmarkSize(b *testing.B) {
	for _, n := range []int{16, 64, 128, 256, 512, 1024, 4096, 65536, 1 << 20} {
		list := fill(b, names(n))
		x := postings.NewIndex(list)
		for _, part := range []string{"arctic lotus no", "rose", "ro", "e"} {
			for _, way := range []struct {
				name   string
				search func(string, func(from, to int) bool)
			}{{"scan", list.Scan}, {"index", x.Search}} {
				b.Run(fmt.Sprintf("%d/%s/%s", n, strings.ReplaceAll(part, " ", "_"), way.name), func(b *testing.B) {
					hits := 0
					for b.Loop() {
						hits = 0
						way.search(part, func(from, to int) bool { hits += to - from; return true })
					}
					b.ReportMetric(float64(hits), "hits")
				})
			}
		}
	}
}

// BenchmarkBuild builds the index of a million names, and reports what stays of it.
func BenchmarkBuild(b *testing.B) {
	list := fill(b, names(1_000_000))
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := postings.NewIndex(list)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(x)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
}
