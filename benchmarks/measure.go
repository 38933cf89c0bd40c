package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// A meter says how long and how often to measure.
type meter struct {
	rounds int           // how often each contestant has its turn
	turn   time.Duration // how long a turn is, about
}

// A figure is what one contestant needs for one request.
type figure struct {
	ns     float64 // median over the rounds
	bytes  float64 // least of the rounds: the rest is the runtime's own
	allocs float64
	ratio  float64 // median of the rounds' ratios to the reference; NaN without one
}

// measure lets all contestants work in turns. In each round everyone has one
// turn, in an order that changes from round to round; a contestant's time is
// divided by the reference's of the same round, and the medians are reported.
// So whatever slows the machine down for a while slows both sides of a ratio.
//
// Each turn begins with a collected heap. What a contestant leaves to collect
// is collected while it is at work, as in a server, and is in its time.
func (m meter) measure(b *benchmark) (map[string]figure, error) {
	m.turn *= time.Duration(max(b.longer, 1))
	turns := make([]turn, len(b.entrants))
	for i, c := range b.entrants {
		passes, err := m.calibrate(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", b.name, c.name, err)
		}
		turns[i] = turn{contestant: c, passes: passes}
	}
	for round := range m.rounds {
		for _, i := range order(len(turns), round) {
			if err := turns[i].take(b.perPass); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", b.name, turns[i].name, err)
			}
		}
	}
	return figures(turns, b.reference), nil
}

// A turn is a contestant at work and what its rounds have cost so far, each
// per request.
type turn struct {
	*contestant
	passes            int
	ns, bytes, allocs []float64
}

func (t *turn) take(perPass int) error {
	if err := t.run(1); err != nil { // not timed: brings its data back into the caches
		return err
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := t.time()
	err := t.run(t.passes)
	spent := t.time() - start
	runtime.ReadMemStats(&after)

	requests := float64(t.passes * perPass)
	t.ns = append(t.ns, float64(spent.Nanoseconds())/requests)
	t.bytes = append(t.bytes, float64(after.TotalAlloc-before.TotalAlloc)/requests)
	t.allocs = append(t.allocs, float64(after.Mallocs-before.Mallocs)/requests)
	return err
}

// calibrate finds how many passes fill a turn.
func (m meter) calibrate(c *contestant) (int, error) {
	for passes := 1; ; passes *= 4 {
		start := c.time()
		if err := c.run(passes); err != nil {
			return 0, err
		}
		spent := c.time() - start
		if spent >= m.turn/8 || passes > 1<<24 {
			perPass := max(spent/time.Duration(passes), 1)
			return int(max(m.turn/perPass, 1)), nil
		}
	}
}

// order is the order of a round: it begins with another one each time, and
// every second round runs backwards, so that nobody always follows the same.
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

func figures(turns []turn, reference string) map[string]figure {
	var base []float64
	for _, t := range turns {
		if t.name == reference {
			base = t.ns
		}
	}
	out := make(map[string]figure, len(turns))
	for _, t := range turns {
		f := figure{
			ns:     median(t.ns),
			bytes:  slices.Min(t.bytes),
			allocs: slices.Min(t.allocs),
			ratio:  math.NaN(),
		}
		if base != nil {
			ratios := make([]float64, len(t.ns))
			for i := range ratios {
				ratios[i] = t.ns[i] / base[i]
			}
			f.ratio = median(ratios)
		}
		out[t.name] = f
	}
	return out
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
