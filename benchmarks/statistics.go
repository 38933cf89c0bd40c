package main

import (
	"math"
	"slices"
)

// A figure is what one contestant needs for one request.
//
// Times are compared within a round: each is divided by the reference's of the same round, so
// whatever slows the machine down for a while slows both sides. The same code is up to a tenth
// faster or slower where the linker happens to put it, so the rounds are taken in several builds of
// this program that are linked in different orders: the ratio is the mean of the builds' medians.
type figure struct {
	ratio     float64 // to the reference
	low, high float64 // quartiles of the ratios of all rounds
	ns        float64 // the ratio times the reference's time, so that quotients of times are those of ratios
	bytes     float64 // least of the rounds: the rest is the runtime's own
	allocs    float64
}

// samples are the rounds of each layout.
type samples [][]map[string]sample

// figures returns the figure of each contestant. Where the reference did not take part, the first
// is it.
func (s samples) figures(names []string, reference string) map[string]figure {
	if !slices.Contains(names, reference) {
		reference = names[0]
	}
	base := s.perLayout(func(round map[string]sample) float64 { return round[reference].Ns })
	out := make(map[string]figure, len(names))
	for _, name := range names {
		ratio := func(round map[string]sample) float64 { return round[name].Ns / round[reference].Ns }
		f := figure{
			ratio:  s.perLayout(ratio),
			low:    quantile(s.all(ratio), 0.25),
			high:   quantile(s.all(ratio), 0.75),
			bytes:  slices.Min(s.all(func(round map[string]sample) float64 { return round[name].Bytes })),
			allocs: slices.Min(s.all(func(round map[string]sample) float64 { return round[name].Allocs })),
		}
		f.ns = f.ratio * base
		out[name] = f
	}
	return out
}

// all returns a value of every round.
func (s samples) all(value func(map[string]sample) float64) []float64 {
	var values []float64
	for _, rounds := range s {
		for _, round := range rounds {
			values = append(values, value(round))
		}
	}
	return values
}

// perLayout returns the mean of the layouts' medians.
func (s samples) perLayout(value func(map[string]sample) float64) float64 {
	sum := 0.0
	for _, rounds := range s {
		sum += quantile(samples{rounds}.all(value), 0.5)
	}
	return sum / float64(len(s))
}

// quantile returns the value below which a part of the values lie, between two of them where it
// falls there; NaN without values.
func quantile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	below, fraction := math.Modf(part * float64(len(sorted)-1))
	i := int(below)
	return sorted[i] + fraction*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
}
