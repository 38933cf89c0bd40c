package respond

import "syscall"

// absentHere are the errors of this system for names that are no file.
var absentHere = []error{
	syscall.ELOOP,       // from os.Root
	syscall.Errno(123),  // ERROR_INVALID_NAME, for "a?b" and names that are too long
	syscall.Errno(206),  // ERROR_FILENAME_EXCED_RANGE
	syscall.Errno(1921), // ERROR_CANT_RESOLVE_FILENAME, for a link to itself
}
