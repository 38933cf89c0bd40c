package main

import "time"

// A clock reads the CPU time spent so far. CPU time, not the time of day: it
// stands still while another process has the processor, so a busy machine
// disturbs it least.
//
// Two clocks are in use. threadTime counts the calling thread alone and is
// read by a goroutine locked to its thread: right for work that a handler
// does on the spot. processTime counts every thread of the process: right for
// work that is handed to other goroutines, as by database/sql or a server.
type clock func() time.Duration
