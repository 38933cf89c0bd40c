//go:build !linux

package main

import (
	"errors"
	"time"
)

// processTime is only available on Linux.
func processTime(int) (time.Duration, error) {
	return 0, errors.New("the CPU clock of another process cannot be read on this system")
}
