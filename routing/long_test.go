package routing_test

import (
	"os"
	"testing"
)

// runs returns the number of rounds of a random test: few under the race detector, a quarter of
// these with -short, and many with FLOWERCAFE_LONG=1.
func runs(few, usual, many int) int {
	switch {
	case testing.Short():
		return max(few/4, 1)
	case raceEnabled:
		return few
	case os.Getenv("FLOWERCAFE_LONG") == "1":
		return many
	}
	return usual
}
