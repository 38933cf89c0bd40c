package main

import (
	"math"
	"slices"
)

// A figure is the cost of one contestant's request.
//
// Other work on the machine makes a program slower, for microseconds or for seconds. So a time is
// taken from the least disturbed chunks of many short turns, in which the contestants alternate.
// The layout of the program makes code up to a tenth faster or slower. So there are several builds
// with random layouts, and a ratio is the mean of the builds' ratios.
type figure struct {
	ratio     float64 // to the reference
	low, high float64 // the lowest and the highest ratio of half the rounds of a layout
	ns        float64 // the ratio times the reference's time
	bytes     float64 // minimum of the rounds, because the runtime sometimes allocates too
	allocs    float64
}

// undisturbed is the fraction of the chunks that counts as undisturbed.
const undisturbed = 0.1

// samples are the rounds of each layout.
type samples [][]map[string]sample

// figures returns the figure of each contestant. If the reference is absent, the first contestant
// is the reference. The ratio of servers is the median of the rounds, in which they alternate:
// other work on the machine disturbs whole turns of theirs, so that there are no undisturbed
// chunks.
func (s samples) figures(names []string, reference string, servers bool) map[string]figure {
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
		ratio := func(rounds []map[string]sample) float64 {
			if !servers {
				return timeIn(rounds, name) / timeIn(rounds, reference)
			}
			var pairs []float64
			for _, round := range rounds {
				pairs = append(pairs, quantile(round[name].Ns, 0.5)/quantile(round[reference].Ns, 0.5))
			}
			return quantile(pairs, 0.5)
		}
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

// quantile returns the quantile of values, interpolated between two of them, or NaN without values.
func quantile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	below, fraction := math.Modf(part * float64(len(sorted)-1))
	i := int(below)
	return sorted[i] + fraction*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
}
