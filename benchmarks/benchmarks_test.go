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
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test program can run in a role, like the benchmark program.
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

func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		values     []float64
		part, want float64
	}{
		{[]float64{3}, 0.5, 3},
		{[]float64{5, 1, 3}, 0.5, 3},
		{[]float64{4, 1, 3, 2}, 0.5, 2.5},
		{[]float64{5, 4, 1, 3, 2}, 0.25, 2},
		{[]float64{4, 1, 3, 2}, 0.75, 3.25},
	} {
		if got := quantile(test.values, test.part); got != test.want {
			t.Errorf("the quantile %v of %v is %v, want %v", test.part, test.values, got, test.want)
		}
	}
	if got := quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("the median of nothing is %v, want NaN", got)
	}
}

func TestEveryRoundMeasuresEachContestantOnce(t *testing.T) {
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

// A time is taken from the least disturbed chunks, and a ratio is the mean of the layouts.
func TestFiguresAreOfUndisturbedChunks(t *testing.T) {
	round := func(a, b []float64) map[string]sample {
		return map[string]sample{"a": {Ns: a, Bytes: a[0]}, "b": {Ns: b, Allocs: 1}}
	}
	quiet := func(ns float64) []float64 { return []float64{ns, ns, 7 * ns} }
	// In the first layout b takes half of a's time, in the second three quarters. Half of the
	// rounds are disturbed.
	taken := samples{
		{round(quiet(10), quiet(5)), round(quiet(90), quiet(20))},
		{round(quiet(20), quiet(30)), round(quiet(20), quiet(15))},
	}
	got := taken.figures([]string{"a", "b"}, "a", false)
	if got["a"].ratio != 1 || got["b"].ratio != 0.625 || got["b"].low != 20.0/90 || got["b"].high != 1.5 {
		t.Errorf("the ratios are %+v, want 1 and 0.625 between 0.22 and 1.5", got)
	}
	if got["a"].ns != 15 || got["b"].ns != 0.625*15 || got["a"].bytes != 10 || got["b"].allocs != 1 {
		t.Errorf("the figures are %+v", got)
	}
}

// The ratio of servers is the median of the rounds, so that a disturbed turn does not count.
func TestFiguresOfServers(t *testing.T) {
	round := func(a, b float64) map[string]sample {
		return map[string]sample{"a": {Ns: []float64{a}}, "b": {Ns: []float64{b}}}
	}
	taken := samples{{round(10, 12), round(40, 48), round(10, 90), round(90, 12), round(20, 24)}}
	if got := taken.figures([]string{"a", "b"}, "a", true)["b"].ratio; got != 1.2 {
		t.Errorf("the ratio is %v, want 1.2", got)
	}
}

// Contestants that leave garbage are measured from one collection to the next.
func TestChunks(t *testing.T) {
	var kept []byte
	work := func(bytes int) *contestant {
		return &contestant{name: "worker", run: func(passes int) error {
			for range passes {
				for begin := cpuTime(); cpuTime()-begin < 20*time.Microsecond; {
				}
				kept = make([]byte, bytes)
			}
			return nil
		}}
	}
	for _, test := range []struct {
		bytes    int
		collects bool
	}{{0, false}, {100, false}, {40_000, true}} {
		turn, err := work(test.bytes).turn(4 * time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if turn.collects != test.collects {
			t.Errorf("who leaves %d bytes in 20 µs has the turn %+v", test.bytes, turn)
		}
		before := collections()
		s, err := turn.take(1)
		if err != nil {
			t.Fatal(err)
		}
		if n := collections() - before; test.collects && n != 1 || len(s.Ns) != turn.chunks {
			t.Errorf("who leaves %d bytes in 20 µs: %d collections, sample %+v", test.bytes, n, s)
		}
	}
	runtime.KeepAlive(kept)
}

func TestContestantsWithWrongResponsesAreLeftOut(t *testing.T) {
	calls := callsFor(context.Background(), []route{{Method: "GET", Path: "/x"}})
	wrong := map[string]http.HandlerFunc{
		"status": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", plainText)
			w.WriteHeader(201)
			io.WriteString(w, "GET /x")
		},
		"body": func(w http.ResponseWriter, _ *http.Request) {
			writeText(w, "GET /y")
		},
		"content type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "GET /x")
		},
		"panic": func(http.ResponseWriter, *http.Request) { panic("no") },
	}
	for name, h := range wrong {
		var b benchmark
		b.enter(name, h, calls)
		if len(b.entrants) != 0 || len(b.absent) != 1 {
			t.Errorf("a handler with a wrong %s takes part", name)
		}
	}
}

// Every contestant gives the right responses for every table, or is listed as absent with the
// reason.
func TestContestants(t *testing.T) {
	must := map[string][]string{
		"github_all":                   {"flowercafe", "httprouter", "httprouter-master", "servemux", "chi", "gin", "echo", "gorilla", "bunrouter", "treemux"},
		"github_overlapping":           {"flowercafe", "chi", "gin", "echo", "bunrouter", "treemux"},
		"param_write":                  {"flowercafe", "httprouter", "httprouter-master", "servemux", "chi", "gin", "echo", "gorilla", "bunrouter", "treemux"},
		"static_all":                   {"flowercafe", "httprouter", "httprouter-master", "servemux", "chi", "gin", "echo", "gorilla", "bunrouter", "treemux"},
		"pass_10":                      {"flowercafe"},
		"filter_prefix":                {"flowercafe"},
		"splats_1000":                  {"flowercafe", "without"},
		"regexps_1000":                 {"flowercafe", "without"},
		"loopback_user":                {"flowercafe", "floor", "chi", "gin"},
		"loopback_coffees":             {"flowercafe", "floor"},
		"loopback_flower":              {"flowercafe", "floor"},
		"coffees":                      {"flowercafe", "floor", "database/sql+modernc"},
		"slug_100":                     {"flowercafe"},
		"find_10000":                   {"flowercafe"},
		"rows_100":                     {"flowercafe"},
		"clients_8":                    {"flowercafe", "floor"},
		"access_log":                   {"flowercafe", "without"},
		"host_set_status":              {"flowercafe", "servemux"},
		"host_bytes":                   {"flowercafe", "servemux"},
		"host_json":                    {"flowercafe", "servemux"},
		"host_handle":                  {"flowercafe", "servemux", "chi", "echo"},
		"host_middleware":              {"flowercafe", "servemux", "chi", "echo", "bunrouter"},
		"host_three_middlewares":       {"flowercafe", "servemux", "chi", "echo"},
		"host_app_middleware":          {"flowercafe", "servemux", "chi", "echo"},
		"host_mounted_handler":         {"flowercafe", "servemux", "chi", "echo"},
		"host_files":                   {"flowercafe", "servemux"},
		"host_typed_middleware":        {"flowercafe", "huma on chi"},
		"host_typed_three_middlewares": {"flowercafe", "huma on chi"},
		"host_typed_group":             {"flowercafe", "huma on chi"},
		"loopback_handle":              {"flowercafe", "floor", "chi", "echo"},
		"host_mounted":                 {"flowercafe", "servemux", "chi"},
		"host_not_found":               {"flowercafe", "servemux", "chi", "bunrouter"},
		"host_next":                    {"flowercafe"},
		"host_after":                   {"flowercafe"},
		"operation_get":                {"flowercafe", "net/http", "ogen"},
		"operation_post":               {"flowercafe", "net/http", "ogen"},
		"operation_list":               {"flowercafe", "net/http", "ogen"},
		"operation_refused":            {"flowercafe", "net/http", "ogen"},
		"loopback_operation_get":       {"flowercafe", "net/http", "ogen"},
		"loopback_operation_post":      {"flowercafe", "net/http", "ogen"},
		"loopback_operation_list":      {"flowercafe", "net/http", "ogen"},
		"loopback_operation_refused":   {"flowercafe", "net/http", "ogen"},
	}
	for _, e := range newSuite(false).entries() {
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
		b.stop()
	}
}

// All services of a path give the same response.
func TestServicesAreEqual(t *testing.T) {
	for _, path := range []string{userPath, coffeesPath, flowerPath, flowersPath} {
		names := []string{"flowercafe", "floor"}
		if path == userPath {
			names = append(names, "chi", "gin")
		}
		var want response
		for _, name := range names {
			h, err := service(t.Context(), name, path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ask(h, newRequest(t.Context(), "GET", path))
			if want == (response{}) {
				want = got
			}
			if err != nil || got.status != 200 || got != want {
				t.Errorf("%s: %s gives %s, %v, want %s", path, name, got, err, want)
			}
		}
	}
}

// A worker process takes samples.
func TestJSON(t *testing.T) {
	workers, err := startItself(t.Context(), "measure short")
	if err != nil {
		t.Fatal(err)
	}
	defer stop(workers)
	m := meter{layouts: 1, rounds: 2, turn: time.Millisecond}
	r, err := m.measure(entry{name: "param_write"}, workers, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.measure(entry{name: "none"}, workers, time.Time{}); err == nil || !strings.Contains(err.Error(), `no benchmark "none"`) {
		t.Errorf("an unknown benchmark: got error %v, want one that says so", err)
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
	if len(ours) != 3 || ours["ns"] <= 0 || ours["allocs"] > 1.1 {
		t.Errorf("flowercafe's figures are %v, want ns, bytes and allocs, and one allocation", ours)
	}
	for _, colours := range []palette{lightChart, darkChart} {
		svg := chart([]result{r}, colours)
		if !strings.HasPrefix(svg, "<svg") || !strings.Contains(svg, colours.ours) {
			t.Errorf("the chart is %.200s", svg)
		}
		for _, name := range r.Names {
			if !strings.Contains(svg, ">"+name) {
				t.Errorf("the chart has no bar of %s", name)
			}
		}
	}
}
