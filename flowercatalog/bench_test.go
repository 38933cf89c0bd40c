package flowercatalog_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
)

// Names are made of a color, a place and one of 30 kinds, and some have a number: 25 bytes on
// average.
var (
	colours = strings.Fields("Crimson Scarlet Ivory Golden Amber Violet Azure Pale Dusky Bright Silver Rosy Dark White Pink Lilac Purple Blue Yellow Orange")
	places  = strings.Fields("Alpine Meadow River Valley Garden Forest Marsh Island Desert Coastal Highland Lowland Woodland Prairie Arctic Tropical Lakeside Hedgerow Moorland Roadside")
	kinds   = strings.Fields("Rose Tulip Lily Daisy Iris Poppy Aster Dahlia Lotus Orchid Peony Violet Camellia Magnolia Jasmine Lavender Marigold Primula Begonia Freesia Gentian Hyacinth Anemone Petunia Pansy Carnation Cornflower Sunflower Snowdrop Foxglove")
	foreign = strings.Fields("Nilüfer Pensée Edelweiß Œillet Gül Ανεμώνη Βιολέτα Василёк Подснежник 桜 菊花 Růže Šeřík Žluťucha Nárcisz Ibolyá Lírio Girassóis Söğüt Çiçek")
)

// manyFlowers returns n flowers. Their names are ASCII, or else all have a letter beyond ASCII.
func manyFlowers(n int, ascii bool) []flowercatalog.Flower {
	random := rand.New(rand.NewPCG(7, 7))
	pick := func(words []string) string { return words[random.IntN(len(words))] }
	last := kinds
	if !ascii {
		last = foreign
	}
	flowers := make([]flowercatalog.Flower, n)
	for i := range flowers {
		name := pick(colours) + " " + pick(places) + " " + pick(last)
		if random.IntN(3) == 0 {
			name += fmt.Sprintf(" No. %d", random.IntN(n))
		}
		flowers[i] = flowercatalog.Flower{Slug: fmt.Sprint("f", i), Name: name}
	}
	return flowers
}

// sink is a writer that costs nothing.
type sink struct{ header http.Header }

func (s sink) Header() http.Header         { return s.header }
func (s sink) Write(p []byte) (int, error) { return len(p), nil }
func (s sink) WriteHeader(int)             {}

// BenchmarkSearch searches for a text that few names contain, one that every thirtieth contains,
// and letters that some, most and nearly all contain.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{256, 1024, 16_384, 1_000_000} {
		app := newApp(b, flowercatalog.WithFlowers(manyFlowers(n, true)...))
		for _, text := range []string{"arctic lotus no. 77", "arctic lotus no", "rose", "ro", "j", "m", "e"} {
			b.Run(fmt.Sprintf("%d/%s", n, strings.ReplaceAll(text, " ", "_")), func(b *testing.B) {
				hits := strings.Count(find(app, text), "slug")
				r := httptest.NewRequest("GET", "/flowers/?"+url.Values{"name": {text}}.Encode(), nil)
				w := sink{make(http.Header)}
				for b.Loop() {
					clear(w.header)
					app.ServeHTTP(w, r)
				}
				b.ReportMetric(float64(hits), "hits")
			})
		}
	}
}

// BenchmarkBuild builds a catalog of a million flowers, and reports its memory.
func BenchmarkBuild(b *testing.B) {
	for _, ascii := range []bool{true, false} {
		b.Run(fmt.Sprintf("ascii=%v", ascii), func(b *testing.B) {
			flowers := manyFlowers(1_000_000, ascii)
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				app := newApp(b, flowercatalog.WithFlowers(flowers...))
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(app)
			}
			runtime.KeepAlive(flowers)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
		})
	}
}
