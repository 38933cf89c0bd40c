package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// This file takes the samples: in each round every contestant has one turn. statistics.go makes
// figures of them.

// A sample is what a request of one contestant cost in one round.
type sample struct {
	Ns     float64
	Bytes  float64
	Allocs float64
}

// A turn is a contestant and how many passes fill its share of a round.
type turn struct {
	*contestant
	passes int
}

// prepare finds the number of passes for each contestant.
func prepare(b *benchmark, length time.Duration) ([]turn, error) {
	runtime.GC()
	turns := make([]turn, len(b.entrants))
	for i, c := range b.entrants {
		passes, err := calibrate(c, length*time.Duration(max(b.longer, 1)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		turns[i] = turn{c, passes}
	}
	return turns, nil
}

// calibrate returns how many passes take about that long.
func calibrate(c *contestant, length time.Duration) (int, error) {
	for passes := 1; ; passes *= 4 {
		start := c.time()
		if err := c.run(passes); err != nil {
			return 0, err
		}
		spent := c.time() - start
		if spent >= length/8 || passes > 1<<24 {
			perPass := max(spent/time.Duration(passes), 1)
			return int(max(length/perPass, 1)), nil
		}
	}
}

// takeRound gives everyone one turn, in an order that changes with the round. Garbage is collected
// while those who leave it are at work, as in a server, and is in their time.
func takeRound(turns []turn, perPass, round int) (map[string]sample, error) {
	samples := make(map[string]sample, len(turns))
	for _, i := range order(len(turns), round) {
		s, err := turns[i].take(perPass)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", turns[i].name, err)
		}
		samples[turns[i].name] = s
	}
	return samples, nil
}

func (t turn) take(perPass int) (sample, error) {
	// Not timed: what was measured before has pushed code and data out of the caches, and the branch
	// predictors learn for milliseconds.
	if err := t.run(1 + t.passes/4); err != nil {
		return sample{}, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := t.time()
	err := t.run(t.passes)
	spent := t.time() - start
	runtime.ReadMemStats(&after)

	requests := float64(t.passes * perPass)
	return sample{
		Ns:     float64(spent.Nanoseconds()) / requests,
		Bytes:  float64(after.TotalAlloc-before.TotalAlloc) / requests,
		Allocs: float64(after.Mallocs-before.Mallocs) / requests,
	}, err
}

// order is the order of a round: it begins with another one each time, and every second round runs
// backwards, so that nobody always follows the same.
func order(n, round int) []int {
	o := make([]int, n)
	for i := range o {
		o[i] = (i + round/2) % n
	}
	if round%2 == 1 {
		slices.Reverse(o)
	}
	return o
}
