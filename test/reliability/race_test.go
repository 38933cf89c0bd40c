//go:build race

package reliability_test

// raceEnabled reports whether the race detector is on, which uses memory of its own.
const raceEnabled = true
