package main

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"
)

// A load is a sequence of requests to a pool: they arrive at random times, and each holds a
// connection for a while. Requests are served in order of arrival, like in the coffee demo's pool,
// and refused if they wait longer than the limit.
type load struct {
	servers  int           // the pool's size
	hold     time.Duration // how long a connection is held
	limit    time.Duration // the acquire timeout
	rate     float64       // requests a second
	requests int
}

// An outcome is the result of a load.
type outcome struct {
	throughput float64 // served requests a second
	refused    float64 // the fraction of the requests that was refused
	p50, p99   time.Duration
	mean       time.Duration // of the waits of served requests, like the quantiles
}

// arrivals returns the arrival times of requests, a Poisson process.
func (l load) arrivals(seed uint64) []time.Duration {
	random := rand.New(rand.NewPCG(seed, 0))
	times := make([]time.Duration, l.requests)
	now := 0.0
	for i := range times {
		now += random.ExpFloat64() / l.rate
		times[i] = time.Duration(now * float64(time.Second))
	}
	return times
}

// simulate computes the outcome without a real pool.
func (l load) simulate(arrivals []time.Duration) outcome {
	return l.simulateHolds(arrivals, func() time.Duration { return l.hold })
}

// simulateHolds is simulate with a time for each request.
func (l load) simulateHolds(arrivals []time.Duration, hold func() time.Duration) outcome {
	free := make(timeHeap, l.servers) // when each connection is next free; the earliest first
	waits := make([]time.Duration, 0, len(arrivals))
	var last time.Duration
	for _, at := range arrivals {
		start := max(at, free[0])
		if start-at > l.limit {
			continue // refused without holding a connection
		}
		waits = append(waits, start-at)
		free[0] = start + hold()
		last = max(last, free[0])
		heap.Fix(&free, 0)
	}
	return l.outcome(waits, last-arrivals[0])
}

// outcome computes the outcome from the waits of served requests and the length of the run.
func (l load) outcome(waits []time.Duration, within time.Duration) outcome {
	o := outcome{
		throughput: float64(len(waits)) / within.Seconds(),
		refused:    1 - float64(len(waits))/float64(l.requests),
	}
	if len(waits) == 0 {
		return o
	}
	slices.Sort(waits)
	o.p50, o.p99 = waits[len(waits)/2], waits[len(waits)*99/100]
	var sum time.Duration
	for _, wait := range waits {
		sum += wait
	}
	o.mean = sum / time.Duration(len(waits))
	return o
}

// timeHeap is a heap with the earliest on top.
type timeHeap []time.Duration

func (m timeHeap) Len() int           { return len(m) }
func (m timeHeap) Less(i, j int) bool { return m[i] < m[j] }
func (m timeHeap) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *timeHeap) Push(x any)        { *m = append(*m, x.(time.Duration)) }
func (m *timeHeap) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
