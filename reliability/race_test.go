//go:build race

package reliability_test

// raceEnabled says that the race detector has memory of its own.
const raceEnabled = true
