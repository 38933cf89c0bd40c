package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"text/tabwriter"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
)

// How the cost of a request grows with the size of the data: benchmarks of several sizes, and the
// table that compares them. Those of routes are among the others (routes_10 to routes_100000).

// kinds are the rows of the table. The name of a benchmark has the kind and the size.
var kinds = []struct {
	name, about string
	sizes       []int
}{
	{"routes", "a request, by routes", []int{10, 100, 1000, 10_000, 100_000}},
	{"slug", "a flower, by flowers", []int{100, 1000, 10_000, 100_000, 1_000_000}},
	{"find", "a search with one hit, by flowers", []int{100, 1000, 10_000, 100_000, 1_000_000}},
	{"rows", "the list of coffees, by coffees", []int{10, 100, 1000, 10_000, 100_000}},
	{"clients", "a request, by clients at once", []int{1, 8, 64, 256, 10_000}},
}

// growing returns the entries of all kinds but routes.
func growing() []entry {
	build := map[string]func(int) func(context.Context) (*benchmark, error){
		"slug": slugAmong,
		"find": findAmong,
		"rows": coffeeRows,
		"clients": func(n int) func(context.Context) (*benchmark, error) {
			return overLoopback(flowerPath, n, "one flower")
		},
	}
	var entries []entry
	for _, k := range kinds {
		for _, n := range k.sizes {
			if b := build[k.name]; b != nil {
				entries = append(entries, entry{name: fmt.Sprintf("%s_%d", k.name, n), once: true, build: b(n)})
			}
		}
	}
	return entries
}

func slugAmong(n int) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		return inCatalog(ctx, fmt.Sprintf("one flower of %d by its slug", n), n, fmt.Sprintf("/flowers/f%d", n/2))
	}
}

func findAmong(n int) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		target := "/flowers/?" + url.Values{"name": {fmt.Sprintf("flower %07d", n/2)}}.Encode()
		return inCatalog(ctx, fmt.Sprintf("the one flower of %d that has a text in its name", n), n, target)
	}
}

func inCatalog(ctx context.Context, about string, n int, target string) (*benchmark, error) {
	catalog, err := flowercatalog.New(flowercatalog.WithFlowers(manyFlowers(n)...))
	if err != nil {
		return nil, err
	}
	return growthOf(ctx, about, catalog, target), nil
}

// manyFlowers returns n flowers. The name of one in 29 contains "common".
func manyFlowers(n int) []flowercatalog.Flower {
	flowers := make([]flowercatalog.Flower, n)
	for i := range flowers {
		name := fmt.Sprintf("Flower %07d", i)
		if i%29 == 0 {
			name += " common"
		}
		flowers[i] = flowercatalog.Flower{Slug: fmt.Sprintf("f%d", i), Name: name}
	}
	return flowers
}

func coffeeRows(n int) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		coffees := make([]coffeedemo.Coffee, n)
		for i := range coffees {
			coffees[i] = coffeedemo.Coffee{Name: fmt.Sprintf("Coffee %06d", i), SupplierID: 1, Price: 7.99}
		}
		app, err := loadedCoffees(ctx, coffeedemo.WithSuppliers(coffeedemo.Supplier{ID: 1, Name: "Acme"}), coffeedemo.WithCoffees(coffees...))
		if err != nil {
			return nil, err
		}
		b := growthOf(ctx, fmt.Sprintf("the list of %d coffees", n), app, "/coffees")
		b.closers = append(b.closers, func() { app.Close() })
		return b, nil
	}
}

// growthOf measures an app with one request. The first response is taken as the right one.
func growthOf(ctx context.Context, about string, app http.Handler, target string) *benchmark {
	b := &benchmark{about: about, reference: "flowercafe"}
	request := newRequest(ctx, http.MethodGet, target)
	first := responseOf(ctx, app, target)
	b.enter("flowercafe", app, []call{{request, response{http.StatusOK, first.Header().Get("Content-Type"), first.Body.String()}}})
	return b
}

func responseOf(ctx context.Context, h http.Handler, target string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, newRequest(ctx, http.MethodGet, target))
	return recorder
}

// growthTable lists flowercafe's figures of all kinds. The slope is the exponent between the last
// two sizes: 0 if they cost the same, 1 if the cost grows like the size.
func growthTable(results []result) string {
	figures := make(map[string]float64)
	for _, r := range results {
		figures[r.name] = r.figures["flowercafe"].ns
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, k := range kinds {
		var costs []float64
		fmt.Fprintf(w, "%s\t", k.about)
		for _, n := range k.sizes {
			fmt.Fprintf(w, "%d\t", n)
			costs = append(costs, figures[fmt.Sprintf("%s_%d", k.name, n)])
		}
		fmt.Fprint(w, "slope\t\n\t")
		for _, cost := range costs {
			fmt.Fprintf(w, "%s\t", duration(cost))
		}
		last := len(costs) - 1
		slope := math.Log(costs[last]/costs[last-1]) / math.Log(float64(k.sizes[last])/float64(k.sizes[last-1]))
		fmt.Fprintf(w, "%.2f\t\n", slope)
	}
	w.Flush()
	return b.String()
}

// duration formats nanoseconds with three digits.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	default:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
}
