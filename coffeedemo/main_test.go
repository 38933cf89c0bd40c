package coffeedemo_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"
)

// TestMain counts what the tests leave behind: every store must be closed with all its goroutines.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	status := m.Run()
	if status == 0 && !settlesAt(before) {
		fmt.Printf("got %d goroutines after all tests, want the %d from before\n", runtime.NumGoroutine(), before)
		pprof.Lookup("goroutine").WriteTo(os.Stdout, 1)
		status = 1
	}
	os.Exit(status)
}

// settlesAt waits for the number of goroutines to come down to want.
func settlesAt(want int) bool {
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > want; {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
	return true
}
