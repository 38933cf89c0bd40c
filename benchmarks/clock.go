package main

import "time"

// A clock reads the CPU time of all threads of the process so far. CPU time does not include the
// time of other processes, so a busy machine disturbs it less than the time of day. It includes the
// work of other goroutines and of the garbage collector.
type clock func() time.Duration
