package routing_test

import (
	"os"
	"testing"
)

// runs returns the number of rounds of a random test: few with -short or under the race detector,
// many with FLOWERCAFE_LONG=1.
func runs(few, usual, many int) int {
	switch {
	case raceEnabled || testing.Short():
		return few
	case os.Getenv("FLOWERCAFE_LONG") == "1":
		return many
	}
	return usual
}
