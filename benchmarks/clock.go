package main

import "time"

// A clock reads the CPU time of all threads of the process so far. CPU time does not include the
// time of other processes, so a busy machine disturbs it less than wall-clock time. It includes
// other goroutines and the garbage collector.
type clock func() time.Duration
