package main

import (
	"fmt"
	"math"
	"strings"
)

// figures are the input of the model. docs/SCALING.md describes how they were measured.
type figures struct {
	catalogCPU  float64 // seconds of CPU time for a request to the catalog
	coffeesCPU  float64 // for the list of coffees from SQLite
	postgresCPU float64 // for the list of coffees from PostgreSQL, on the host
	databaseCPU float64 // for the same, on the database server

	flower     float64 // resident bytes after the start for a flower with a slug and a name of 14 bytes each
	connection float64 // for an idle keep-alive connection
	program    float64 // for a host after its start

	cores   float64 // of a host
	use     float64 // the planned fraction of a host's CPU time
	clients float64 // connections that a host is planned to keep open
	rate    float64 // requests a minute of one client
}

// measuredHere are the figures of the machine that docs/SCALING.md names.
func measuredHere() figures {
	return figures{
		catalogCPU: 30e-6, coffeesCPU: 44e-6, postgresCPU: 88e-6, databaseCPU: 85e-6,
		flower: 419, connection: 20_600, program: 16 << 20,
		cores: 2, use: 0.6, clients: 50_000, rate: 10,
	}
}

// sessions is the maximum number of connections from a host to PostgreSQL.
const sessions = 50

// hosts returns the number of hosts needed for requests at rate, in requests a second, that each
// take cpu seconds of CPU time.
func (f figures) hosts(rate, cpu float64) int { return wholes(rate * cpu / (f.cores * f.use)) }

// wholes rounds up to a whole number of at least 1.
func wholes(n float64) int { return max(1, int(math.Ceil(n))) }

// table prints the model: the needs of loads and of catalogs.
func (f figures) table() string {
	var b strings.Builder
	b.WriteString("| requests a minute | a second | connections | hosts for these | catalog | coffees, SQLite | coffees, PostgreSQL | its cores | its sessions |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, minute := range []float64{10e3, 1e6, 100e6} {
		rate := minute / 60
		connections := minute / f.rate
		sqlite := fmt.Sprint(f.hosts(rate, f.coffeesCPU))
		if f.hosts(rate, f.coffeesCPU) > 1 {
			sqlite = "beyond one host"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d, %s each | %d | %s | %d | %d | %d |\n", number(minute), number(rate), number(connections),
			wholes(connections/f.clients), bytes(min(connections, f.clients)*f.connection), f.hosts(rate, f.catalogCPU), sqlite,
			f.hosts(rate, f.postgresCPU), wholes(rate*f.databaseCPU/f.use), f.hosts(rate, f.postgresCPU)*sessions)
	}
	b.WriteString("\n| flowers | memory a host | a search with one hit |\n|---|---|---|\n")
	for _, flowers := range []float64{1e3, 1e6, 100e6} {
		search := "2 µs, by the index"
		if flowers*f.flower > 4<<30 {
			search = "more than a catalog in memory holds (4 GiB of JSON): a store"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", number(flowers), bytes(f.program+flowers*f.flower), search)
	}
	return b.String()
}

// number formats a number with up to three significant digits.
func number(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.3g million", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.3g thousand", n/1e3)
	default:
		return fmt.Sprintf("%.3g", n)
	}
}

func bytes(n float64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GB", n/(1<<30))
	}
	return fmt.Sprintf("%.0f MB", n/(1<<20))
}
