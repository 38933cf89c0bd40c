package routing_test

import (
	"os"
	"testing"
)

// runs returns how often a random test repeats: few times with -short or under the race detector,
// and many times in a long run, with FLOWERCAFE_LONG=1.
func runs(few, usual, many int) int {
	switch {
	case raceEnabled || testing.Short():
		return few
	case os.Getenv("FLOWERCAFE_LONG") == "1":
		return many
	}
	return usual
}
