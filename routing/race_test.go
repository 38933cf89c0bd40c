//go:build race

package routing_test

// raceEnabled tells that sync.Pool drops things at random.
const raceEnabled = true
