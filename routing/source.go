package routing

import (
	"runtime"
	"strconv"
	"strings"
)

// This file remembers where routes and filters are defined, for those who look for them.

// source is where a definition stands in the program: one program counter, since there may be many
// routes.
type source uintptr

// here returns where the caller of the package defines something: the innermost function outside of
// this package and of package apidoc, which defines routes for others. It is 0 if that is too far
// up the stack. What a program counter stands for takes a microsecond to find out, so that the app
// remembers it.
func (a *App) here() source {
	var stack [10]uintptr
	n := runtime.Callers(3, stack[:]) // without Callers, here and its caller
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, pc := range stack[:n] {
		outside, known := a.outside[pc]
		if !known {
			if a.outside == nil {
				a.outside = make(map[uintptr]bool)
			}
			outside = source(pc).String() != ""
			a.outside[pc] = outside
		}
		if outside {
			return source(pc)
		}
	}
	return 0
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
