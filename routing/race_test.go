//go:build race

package routing_test

// raceEnabled says that sync.Pool drops values at random.
const raceEnabled = true
