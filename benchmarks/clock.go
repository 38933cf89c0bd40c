package main

import "time"

// A clock reads the CPU time spent so far by all threads of the process. CPU time, not the time of
// day: it stands still while another process has the processor, so a busy machine disturbs it
// least. All threads: what is handed to other goroutines counts, and so does the work of the
// garbage collector, which runs beside those who leave it garbage.
type clock func() time.Duration
