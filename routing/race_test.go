//go:build race

package routing_test

// raceEnabled reports whether the race detector is on. Then sync.Pool drops values at random.
const raceEnabled = true
