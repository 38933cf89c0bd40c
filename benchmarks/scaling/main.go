// Scaling computes how much load one host can serve and how many hosts a load needs. It simulates
// the queue at the connection pool, measures the same load on this machine, and prints the tables
// of docs/SCALING.md.
//
//	go run ./scaling           simulation, measurement and model, in about 30 seconds
//	go run ./scaling -short    with fewer requests
//	go run ./scaling -seed 7   with other random numbers
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the random numbers")
	short := flag.Bool("short", false, "send a fifth of the requests")
	flag.Parse()
	if err := run(*seed, *short); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

// loads are for a pool of 10 connections that a request holds for 20 ms, with an acquire timeout of
// 300 ms: from 50 % to 120 % of its capacity.
func loads(short bool) []load {
	n := 5000
	if short {
		n = 1000
	}
	const servers, hold = 10, 20 * time.Millisecond
	var all []load
	for _, utilisation := range []float64{0.5, 0.8, 0.9, 1.2} {
		all = append(all, load{
			servers: servers, hold: hold, limit: 300 * time.Millisecond, requests: n,
			rate: utilisation * servers / hold.Seconds(),
		})
	}
	return all
}

func run(seed uint64, short bool) error {
	fmt.Printf("The queue at a pool of 10 connections, each held for 20 ms, acquire timeout 300 ms; seed %d.\nThe simulation uses the measured hold time of a connection.\n\n", seed)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "load\trate\t\tserved\trefused\twait mean\tp50\tp99\t")
	for _, l := range loads(short) {
		arrivals := l.arrivals(seed)
		measured, held, err := l.measure(context.Background(), arrivals)
		if err != nil {
			return err
		}
		asHeld := l
		asHeld.hold = held
		for _, o := range []struct {
			name string
			outcome
		}{{"simulated", asHeld.simulate(arrivals)}, {"measured", measured}} {
			fmt.Fprintf(w, "%.0f %%\t%.0f/s\t%s\t%.0f/s\t%.1f %%\t%s\t%s\t%s\t\n", 100*l.rate*l.hold.Seconds()/float64(l.servers), l.rate,
				o.name, o.throughput, 100*o.refused, o.mean.Round(100*time.Microsecond), o.p50.Round(100*time.Microsecond), o.p99.Round(100*time.Microsecond))
		}
	}
	w.Flush()
	fmt.Println(b.String())
	fmt.Println(measuredHere().table())
	return nil
}
