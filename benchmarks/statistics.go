package main

import (
	"math"
	"slices"
)

// A figure is what one contestant needs for one request.
//
// Nothing makes a program faster than it is, but other work on the machine makes it slower, for
// microseconds or for seconds. So a time is that of the chunks that were disturbed least, taken
// from many short turns in which the contestants alternate. The same code is up to a tenth faster
// or slower where the linker happens to put it, so this is done in several builds of this program
// that are linked in different orders: the ratio is the mean of the builds' ratios.
type figure struct {
	ratio     float64 // to the reference
	low, high float64 // the lowest and the highest ratio of half the rounds of a layout
	ns        float64 // the ratio times the reference's time, so that quotients of times are those of ratios
	bytes     float64 // least of the rounds: the rest is the runtime's own
	allocs    float64
}

// undisturbed is the part of the chunks that are taken for not disturbed.
const undisturbed = 0.1

// samples are the rounds of each layout.
type samples [][]map[string]sample

// figures returns the figure of each contestant. Where the reference did not take part, the first
// is it.
func (s samples) figures(names []string, reference string) map[string]figure {
	if !slices.Contains(names, reference) {
		reference = names[0]
	}
	base := 0.0
	for _, rounds := range s {
		base += timeIn(rounds, reference) / float64(len(s))
	}
	out := make(map[string]figure, len(names))
	for _, name := range names {
		f := figure{low: math.Inf(1), high: math.Inf(-1), bytes: math.Inf(1), allocs: math.Inf(1)}
		ratio := func(rounds []map[string]sample) float64 { return timeIn(rounds, name) / timeIn(rounds, reference) }
		for _, rounds := range s {
			f.ratio += ratio(rounds) / float64(len(s))
			half := (len(rounds) + 1) / 2
			for part := range slices.Chunk(rounds, half) {
				f.low, f.high = min(f.low, ratio(part)), max(f.high, ratio(part))
			}
			for _, round := range rounds {
				f.bytes, f.allocs = min(f.bytes, round[name].Bytes), min(f.allocs, round[name].Allocs)
			}
		}
		f.ns = f.ratio * base
		out[name] = f
	}
	return out
}

// timeIn returns the time of a contestant in some rounds of a layout.
func timeIn(rounds []map[string]sample, name string) float64 {
	var chunks []float64
	for _, round := range rounds {
		chunks = append(chunks, round[name].Ns...)
	}
	return quantile(chunks, undisturbed)
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
