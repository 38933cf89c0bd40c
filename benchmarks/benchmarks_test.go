package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test's program plays roles as the benchmarks' own does.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := playRole(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{5, 1, 3}, 3},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(test.values); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.values, got, test.want)
		}
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing is %v, want NaN", got)
	}
}

func TestEveryRoundHasEverybodyOnce(t *testing.T) {
	firsts := make(map[int]bool)
	for round := range 8 {
		o := order(4, round)
		firsts[o[0]] = true
		if sorted := slices.Sorted(slices.Values(o)); !slices.Equal(sorted, []int{0, 1, 2, 3}) {
			t.Errorf("round %d has %v", round, o)
		}
	}
	if len(firsts) < 3 {
		t.Errorf("only %d contestants were ever first in eight rounds", len(firsts))
	}
}

func TestRatiosAreToTheReferenceOfTheSameRound(t *testing.T) {
	turns := []turn{
		{contestant: &contestant{name: "a"}, ns: []float64{10, 100}, bytes: []float64{0, 8}, allocs: []float64{1, 0}},
		{contestant: &contestant{name: "b"}, ns: []float64{5, 50}, bytes: []float64{0, 0}, allocs: []float64{0, 0}},
	}
	got := figures(turns, "a")
	if got["b"].ratio != 0.5 || got["a"].ratio != 1 || got["a"].bytes != 0 || got["a"].allocs != 0 {
		t.Errorf("figures are %+v", got)
	}
}

func TestAWrongAnswerTakesNoPart(t *testing.T) {
	exchanges := exchangesFor(context.Background(), []route{{Method: "GET", Path: "/x"}})
	wrong := map[string]http.HandlerFunc{
		"status": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = plainTextHeader()
			w.WriteHeader(201)
			io.WriteString(w, "GET /x")
		},
		"body": func(w http.ResponseWriter, _ *http.Request) {
			writeText(w, plainTextHeader(), "GET /y")
		},
		"content type": func(w http.ResponseWriter, _ *http.Request) {
			writeText(w, []string{"text/html"}, "GET /x")
		},
		"panic": func(http.ResponseWriter, *http.Request) { panic("no") },
	}
	for name, h := range wrong {
		var b benchmark
		b.enter(name, h, exchanges)
		if len(b.entrants) != 0 || len(b.absent) != 1 {
			t.Errorf("a handler with a wrong %s takes part", name)
		}
	}
}

// Everyone answers every table rightly, or is named with the reason.
func TestContestants(t *testing.T) {
	must := map[string][]string{
		"github_all":         {"flowercafe", "httprouter", "httprouter-master", "servemux", "chi", "gin", "echo", "gorilla", "bunrouter", "treemux"},
		"github_overlapping": {"flowercafe", "chi", "gin", "echo", "bunrouter", "treemux"},
		"param_write":        {"flowercafe", "httprouter", "httprouter-master", "servemux", "chi", "gin", "echo", "gorilla", "bunrouter", "treemux"},
		"static_all":         {"flowercafe", "httprouter", "httprouter-master", "servemux", "chi", "gin", "echo", "gorilla", "bunrouter", "treemux"},
		"pass_10":            {"flowercafe"},
		"filter_prefix":      {"flowercafe"},
		"splats_1000":        {"flowercafe", "without"},
		"regexps_1000":       {"flowercafe", "without"},
		"flowers_slug":       {"flowercafe", "floor"},
		"coffees":            {"flowercafe", "floor", "database/sql+modernc"},
		"slug_100":           {"flowercafe"},
		"find_10000":         {"flowercafe"},
		"rows_100":           {"flowercafe"},
		"clients_8":          {"flowercafe", "floor"},
	}
	for _, e := range suite() {
		want, ok := must[e.name]
		if !ok {
			continue
		}
		b, err := e.build(context.Background())
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		var names []string
		for _, c := range b.entrants {
			names = append(names, c.name)
			if err := c.run(2); err != nil {
				t.Errorf("%s: %s: %v", e.name, c.name, err)
			}
		}
		for _, name := range want {
			if !slices.Contains(names, name) {
				t.Errorf("%s: %s does not take part: %+v", e.name, name, b.absent)
			}
		}
		if b.close != nil {
			b.close()
		}
	}
}

func TestJSON(t *testing.T) {
	m := meter{rounds: 2, turn: time.Millisecond}
	i := slices.IndexFunc(suite(), func(e entry) bool { return e.name == "param_write" })
	r, err := m.result(context.Background(), suite()[i])
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(jsonOf([]result{r})); err != nil {
		t.Fatal(err)
	}
	var got map[string]map[string]map[string]float64
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	ours := got["param_write"]["flowercafe"]
	if len(ours) != 3 || ours["ns"] <= 0 || ours["allocs"] != 0 {
		t.Errorf("flowercafe's figures are %v, want ns, bytes and allocs, and no allocation", ours)
	}
	if svg := chart([]result{r}); !strings.Contains(svg, "flowercafe") || !strings.HasPrefix(svg, "<svg") {
		t.Errorf("the chart is %.200s", svg)
	}
}
