package routing_test

import (
	"os"
	"testing"
)

// runs returns the number of rounds of a random test: few, a quarter of these with -short, and many
// with FLOWERCAFE_LONG=1, except under the race detector.
func runs(few, many int) int {
	switch {
	case testing.Short():
		return max(few/4, 1)
	case os.Getenv("FLOWERCAFE_LONG") == "1" && !raceEnabled:
		return many
	}
	return few
}
