// Benchmarks compares the module with its peers, interleaved in one run, and prints tables of
// ratios.
//
//	go run .              every benchmark; also writes RESULTS.md, chart.svg and chart-dark.svg
//	go run . -short       the main ones, in less than 25 seconds
//	go run . -json        nothing but JSON on standard output
//	go run . -only REGEXP the benchmarks with such names
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"time"
)

func main() {
	work := run
	if role := os.Getenv(roleVariable); role != "" {
		work = func() error { return playRole(role) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

// A meter limits the number of rounds and the time.
type meter struct {
	layouts int
	rounds  int           // of each layout; with a limit, at most
	turn    time.Duration // how long each contestant works in a round
	limit   time.Duration // of the whole run; 0 for none
}

var (
	fullMeter  = meter{layouts: 5, rounds: 20, turn: 4 * time.Millisecond}
	shortMeter = meter{layouts: 3, rounds: 1000, turn: 4 * time.Millisecond, limit: 16 * time.Second}
)

// fewRounds is the minimum number of rounds of each layout.
const fewRounds = 3

func run() (err error) {
	began := time.Now()
	short := flag.Bool("short", false, "measure the main benchmarks, in less than 25 seconds")
	asJSON := flag.Bool("json", false, "print JSON")
	only := flag.String("only", "", "measure the benchmarks whose names match this expression")
	rounds := flag.Int("rounds", 0, "rounds of each layout, without a limit of time; 0 is 20, or with -short as many as there is time for")
	layouts := flag.Int("layouts", 0, "how many times to link this program, each in another random layout; 0 is 5, or 3 with -short")
	flag.Parse()
	names, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	m, role := fullMeter, "measure full"
	if *short {
		m, role = shortMeter, "measure short"
	}
	if *layouts > 0 {
		m.layouts = *layouts
	}
	if *rounds > 0 {
		m.rounds, m.limit = *rounds, 0
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	workers, err := m.start(ctx, role)
	if err != nil {
		return err
	}
	defer stop(workers)

	var chosen []entry
	for _, e := range newSuite(*short).entries() {
		if (e.short || !*short) && names.MatchString(e.name) {
			chosen = append(chosen, e)
		}
	}
	var done []result
	for i, e := range chosen {
		r, err := m.measure(e, workers, m.until(began, len(chosen)-i))
		if err != nil {
			return err
		}
		done = append(done, r)
		if !*asJSON {
			fmt.Println(r.table())
		}
	}
	if *asJSON {
		return json.NewEncoder(os.Stdout).Encode(jsonOf(done))
	}
	if !*short && *only == "" {
		return writeResults(done, m)
	}
	return nil
}

// start starts the workers.
func (m meter) start(ctx context.Context, role string) ([]worker, error) {
	if m.layouts == 1 || !isOfTheseSources(ctx) {
		if m.layouts > 1 {
			fmt.Fprintln(os.Stderr, "benchmarks: one layout only, because this program was not built from the sources in this directory: run it with go run . there")
		}
		return startItself(ctx, role)
	}
	return startWorkers(ctx, role, m.layouts)
}

// until returns the deadline of the next benchmark, if left benchmarks share the remaining time. It
// is zero without a limit.
func (m meter) until(began time.Time, left int) time.Time {
	if m.limit == 0 {
		return time.Time{}
	}
	return time.Now().Add((m.limit - time.Since(began)) / time.Duration(left))
}

// result is a benchmark and the figures of its contestants.
type result struct {
	name string
	*description
	figures map[string]figure
}

// measure takes the rounds of a benchmark, alternating between layouts. It ends early if another
// round would take too long.
func (m meter) measure(e entry, workers []worker, until time.Time) (result, error) {
	rounds, few := m.rounds, fewRounds
	if e.once {
		rounds, few = rounds*len(workers), few*len(workers)
		workers = workers[:1]
	}
	built := make([]*description, len(workers))
	for i, w := range workers {
		r, err := w.do(task{Benchmark: e.name, Turn: m.turn})
		if err != nil {
			return result{}, fmt.Errorf("%s: %w", e.name, err)
		}
		built[i] = r.Built
	}
	taken := make(samples, len(workers))
	for round := range rounds {
		began := time.Now()
		for i, w := range workers {
			r, err := w.do(task{Round: round})
			if err != nil {
				return result{}, fmt.Errorf("%s: %w", e.name, err)
			}
			taken[i] = append(taken[i], r.Samples)
		}
		if round+1 >= few && !until.IsZero() && time.Now().Add(time.Since(began)).After(until) {
			break
		}
	}
	d := merge(built)
	return result{e.name, d, taken.figures(d.Names, d.Reference, d.Servers)}, nil
}

// measured is a figure in JSON. Allocations are rounded, because a few requests also pay for the
// runtime, after a collection has emptied pools.
type measured struct {
	Ns     float64 `json:"ns"`
	Bytes  float64 `json:"bytes"`
	Allocs float64 `json:"allocs"`
}

func jsonOf(results []result) map[string]map[string]measured {
	out := make(map[string]map[string]measured, len(results))
	for _, r := range results {
		out[r.name] = make(map[string]measured, len(r.figures))
		for name, f := range r.figures {
			out[r.name][name] = measured{f.ns, math.Round(10*f.bytes) / 10, math.Round(100*f.allocs) / 100}
		}
	}
	return out
}
