//go:build !windows && !plan9

package respond

import "syscall"

// absentHere are the errors of this system for names that are no file.
var absentHere = []error{syscall.ELOOP}
