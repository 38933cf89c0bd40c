package main

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// The simulation agrees with the closed form of queues that have one.
func TestSimulation(t *testing.T) {
	const forever = time.Hour
	mean := 20 * time.Millisecond
	random := rand.New(rand.NewPCG(7, 7))
	exponential := func() time.Duration { return time.Duration(random.ExpFloat64() * float64(mean)) }
	constant := func() time.Duration { return mean }
	for _, test := range []struct {
		name    string
		servers int
		load    float64 // of one server's time
		hold    func() time.Duration
		wait    time.Duration // the mean
	}{
		// Pollaczek and Khinchine: ρ/(1-ρ) times the mean of the service, half of it if that is
		// constant.
		{"M/M/1", 1, 0.8, exponential, time.Duration(0.8 / 0.2 * float64(mean))},
		{"M/D/1", 1, 0.8, constant, time.Duration(0.8 / 0.2 / 2 * float64(mean))},
		{"M/M/10", 10, 0.9, exponential, erlang(10, 0.9, mean)},
		{"M/M/50", 50, 0.95, exponential, erlang(50, 0.95, mean)},
	} {
		l := load{servers: test.servers, limit: forever, requests: 2_000_000, rate: test.load * float64(test.servers) / mean.Seconds()}
		got := l.simulateHolds(l.arrivals(3), test.hold)
		if relative := math.Abs(float64(got.mean-test.wait)) / float64(test.wait); relative > 0.06 {
			t.Errorf("%s: the mean wait is %v, want %v", test.name, got.mean, test.wait)
		}
		if got.refused != 0 {
			t.Errorf("%s: %.2f were refused, want none", test.name, got.refused)
		}
	}
}

// erlang returns the mean wait in a queue with c servers (Erlang's C formula).
func erlang(c int, load float64, mean time.Duration) time.Duration {
	offered := load * float64(c)
	term, sum := 1.0, 1.0 // offeredᵏ/k!
	for k := 1; k < c; k++ {
		term *= offered / float64(k)
		sum += term
	}
	last := term * offered / float64(c) / (1 - load)
	waiting := last / (sum + last)
	return time.Duration(waiting * float64(mean) / (float64(c) * (1 - load)))
}

// Under overload, requests are refused, and the others are served at full speed.
func TestOverload(t *testing.T) {
	l := load{servers: 10, hold: 20 * time.Millisecond, limit: 300 * time.Millisecond, requests: 100_000, rate: 1000}
	got := l.simulate(l.arrivals(1))
	if math.Abs(got.throughput-500) > 1 || math.Abs(got.refused-0.5) > 0.01 || got.p99 > l.limit {
		t.Errorf("twice the load: %+v, want 500 a second, half refused, waits within the limit", got)
	}
}

// The real pool serves all requests below its capacity, and refuses some above it.
func TestMeasurement(t *testing.T) {
	l := load{servers: 4, hold: 5 * time.Millisecond, limit: 20 * time.Second, requests: 200, rate: 100}
	got, _, err := l.measure(context.Background(), l.arrivals(1))
	if err != nil || got.refused != 0 || got.throughput <= 0 {
		t.Errorf("within the limit: %+v, %v", got, err)
	}
	l.rate, l.limit, l.hold = 100_000, 50*time.Millisecond, 200*time.Millisecond // ten seconds of work, also for a slow client
	got, _, err = l.measure(context.Background(), l.arrivals(1))
	if err != nil || got.refused == 0 {
		t.Errorf("all at once: %+v, %v, want some refused", got, err)
	}
}

var update = flag.Bool("update", false, "write the tables of docs/SCALING.md anew")

// docs/SCALING.md has the tables that the model computes.
func TestDocument(t *testing.T) {
	const name = "../../docs/SCALING.md"
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(content), "<!-- the model's tables -->\n")
	tables, after, found := strings.Cut(rest, "<!-- end -->")
	if !found {
		t.Fatalf("%s has no place for the tables", name)
	}
	want := measuredHere().table()
	if tables == want {
		return
	}
	if !*update {
		t.Fatalf("the tables of %s are not those of the model; go test ./scaling -update writes them", name)
	}
	if err := os.WriteFile(name, []byte(before+"<!-- the model's tables -->\n"+want+"<!-- end -->"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
