// Benchmarks measures the module beside its peers, all in one run and in turns, and prints tables of ratios.
//
//	go run .              every benchmark; also writes RESULTS.md and chart.svg
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

func run() error {
	short := flag.Bool("short", false, "measure the main benchmarks, in less than 25 seconds")
	asJSON := flag.Bool("json", false, "print JSON")
	only := flag.String("only", "", "measure the benchmarks whose names match this expression")
	rounds := flag.Int("rounds", 0, "rounds of a benchmark; 0 is 15, or 4 with -short")
	flag.Parse()
	names, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	m := meter{rounds: 15, turn: 50 * time.Millisecond}
	if *short {
		m = meter{rounds: 4, turn: 20 * time.Millisecond}
	}
	if *rounds > 0 {
		m.rounds = *rounds
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var done []result
	for _, e := range suite() {
		if *short && !e.short || !names.MatchString(e.name) {
			continue
		}
		r, err := m.result(ctx, e)
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

// result is a benchmark and what everyone needed.
type result struct {
	*benchmark
	figures map[string]figure
}

func (m meter) result(ctx context.Context, e entry) (result, error) {
	b, err := e.build(ctx)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", e.name, err)
	}
	b.name = e.name
	if b.close != nil {
		defer b.close()
	}
	figures, err := m.measure(b)
	return result{b, figures}, err
}

// measured is a figure in JSON. A request now and then pays for the runtime: a collection empties pools. That is not its own, and
// rounded away.
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
