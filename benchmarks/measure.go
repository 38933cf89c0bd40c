package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"
)

// This file takes the samples: in each round every contestant has one turn. statistics.go computes
// the figures.

// A sample is the cost of one contestant's requests in one round.
type sample struct {
	Ns     []float64 // in each chunk
	Bytes  float64
	Allocs float64
}

// A turn is a contestant's work in a round: a number of timed chunks. Chunks are short, so that
// other work on the machine disturbs few of them. If a contestant leaves garbage, each chunk lasts
// until the next collection, so that it has the cost of one.
type turn struct {
	*contestant
	passes   int // in a step
	steps    int // in a chunk; at most, if it collects
	chunks   int
	collects bool
}

const (
	step       = time.Millisecond / 4
	shortChunk = 4   // steps
	longChunk  = 200 // steps; with too little garbage for a collection in this time, its cost is ignored
	smallHeap  = 4 << 20
)

// prepare sets the amount of work of each contestant for turns of about that length.
func prepare(b *benchmark, length time.Duration) ([]turn, error) {
	length *= time.Duration(max(b.turnFactor, 1))
	turns := make([]turn, len(b.entrants))
	for i, c := range b.entrants {
		var err error
		if turns[i], err = c.turn(length); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return turns, nil
}

func (c *contestant) turn(length time.Duration) (turn, error) {
	var before, after runtime.MemStats
	runtime.GC()
	if err := c.run(1); err != nil { // fills pools
		return turn{}, err
	}
	runtime.ReadMemStats(&before)
	passes, spent := 0, time.Duration(0)
	for start := c.time(); spent < 2*step; spent = c.time() - start {
		more := max(passes, 1)
		if err := c.run(more); err != nil {
			return turn{}, err
		}
		passes += more
	}
	runtime.ReadMemStats(&after)
	in := func(d time.Duration) int { return max(int(float64(passes)*float64(d)/float64(spent)), 1) }
	if c.clock != nil { // another process, whose garbage is not counted
		return turn{c, in(length), 1, 1, false}, nil
	}
	garbage := float64(after.TotalAlloc-before.TotalAlloc) / float64(passes) * float64(in(longChunk*step))
	if garbage > float64(max(before.HeapAlloc, smallHeap)) { // a collection starts when the heap has doubled
		return turn{c, in(step), 2 * longChunk, 1, true}, nil
	}
	steps := in(shortChunk*step) / in(step)
	return turn{c, in(step), steps, max(in(length)/(steps*in(step)), 1), false}, nil
}

// takeRound gives every contestant one turn, in an order that changes with the round. Collections
// of garbage run during the turns, as in a server, and are included in the times.
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
	if !t.collects && t.clock == nil {
		// A chunk that is not timed fills the caches and trains the branch predictors, which have
		// been used by other contestants.
		if _, err := t.chunk(); err != nil {
			return sample{}, err
		}
	}
	var before, after runtime.MemStats
	var s sample
	requests := 0.0
	runtime.ReadMemStats(&before)
	for range t.chunks {
		start := t.time()
		passes, err := t.chunk()
		spent := t.time() - start
		if err != nil {
			return sample{}, err
		}
		s.Ns = append(s.Ns, float64(spent.Nanoseconds())/float64(passes*perPass))
		requests += float64(passes * perPass)
	}
	runtime.ReadMemStats(&after)
	s.Bytes = float64(after.TotalAlloc-before.TotalAlloc) / requests
	s.Allocs = float64(after.Mallocs-before.Mallocs) / requests
	return s, nil
}

// chunk runs one chunk and returns the number of passes.
func (t turn) chunk() (passes int, err error) {
	before := collections()
	for range t.steps {
		if err := t.run(t.passes); err != nil {
			return 0, err
		}
		passes += t.passes
		if t.collects && collections() > before {
			break
		}
	}
	return passes, nil
}

// collections returns the number of garbage collections so far.
func collections() uint64 {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// order returns the order of the turns in a round. It starts with another contestant each time, and
// every second round is reversed, so that no contestant always follows the same one.
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
