package routing

import (
	"runtime"
	"strconv"
	"strings"
)

// This file remembers where routes and filters are defined, for those who look for them.

// source is where a definition stands in the program: one program counter, since there may be many routes.
type source uintptr

// here returns where the caller of the package defines something: the innermost function outside of this package and of package apidoc,
// which defines routes for others. It is 0 if that is too far up the stack.
func here() source {
	var stack [10]uintptr
	n := runtime.Callers(3, stack[:]) // without Callers, here and its caller
	frames := runtime.CallersFrames(stack[:n])
	for {
		frame, more := frames.Next()
		if !definesForOthers(frame.Function) {
			return source(frame.PC + 1) // as Callers has it: behind the call
		}
		if !more {
			return 0
		}
	}
}

// String returns the file and line.
func (s source) String() string {
	frames := runtime.CallersFrames([]uintptr{uintptr(s)})
	for s != 0 {
		frame, more := frames.Next()
		if frame.File != "" && !definesForOthers(frame.Function) { // what is inlined shares the program counter
			return frame.File + ":" + strconv.Itoa(frame.Line)
		}
		if !more {
			break
		}
	}
	return ""
}

// definesForOthers reports whether the callers of a function are those who define.
func definesForOthers(function string) bool {
	name, ok := strings.CutPrefix(function, "example.com/flowercafe/")
	return ok && (strings.HasPrefix(name, "routing.") || strings.HasPrefix(name, "apidoc."))
}
