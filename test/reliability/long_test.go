package reliability_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// This file has the switch between short and long tests, and the seeds of random tests.

// long reports whether tests run at full length.
func long() bool { return os.Getenv("FLOWERCAFE_LONG") == "1" }

// seeded returns random numbers and logs their seed. SEED=… repeats a run.
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
