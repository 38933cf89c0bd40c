//go:build linux || darwin || freebsd

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

const cpuClocks = "CPU time"

func threadTime() time.Duration  { return readClock(unix.CLOCK_THREAD_CPUTIME_ID) }
func processTime() time.Duration { return readClock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func readClock(id int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic("clock_gettime: " + err.Error()) // the kernel has had both clocks for decades
	}
	return time.Duration(t.Nano())
}
