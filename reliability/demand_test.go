package reliability_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// This file holds the one switch between the quick tests and the long ones, and the seeds of the random ones.

// demanded tells whether the long tests run.
func demanded() bool { return os.Getenv("DEMAND") == "1" }

// onDemand skips a long test unless it was asked for.
func onDemand(t *testing.T) {
	t.Helper()
	if !demanded() {
		t.Skipf("takes long: DEMAND=1 go test ./reliability -run '^%s$' -timeout 30m", t.Name())
	}
}

// seeded returns random numbers from a seed that it prints, and takes from SEED to run a test again.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("SEED: %v; write a number", err)
		}
	}
	t.Logf("again with SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
