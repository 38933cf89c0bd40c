package routing

import (
	"runtime"
	"strconv"
	"strings"
)

// This file records where routes and filters are defined.

// source is the program counter of a definition. It takes little memory, since there may be many
// routes.
type source uintptr

// here returns the place of the current definition: the innermost caller outside of this package
// and of package apidoc, which defines routes for others. It is 0 if that is too far up the stack.
// The app caches what a program counter stands for, since finding out takes a microsecond.
func (a *App) here() source {
	var stack [10]uintptr
	a.mu.Lock()
	defer a.mu.Unlock()
	// Each frame takes time, and most callers are among the first three: App.Get, App.Route, theirs.
	for _, most := range []int{3, len(stack)} {
		n := runtime.Callers(3, stack[:most]) // skips Callers, here and its caller
		for _, pc := range stack[:n] {
			if a.isOutside(pc) {
				return source(pc)
			}
		}
	}
	return 0
}

func (a *App) isOutside(pc uintptr) bool {
	outside, known := a.outside[pc]
	if !known {
		if a.outside == nil {
			a.outside = make(map[uintptr]bool)
		}
		outside = source(pc).String() != ""
		a.outside[pc] = outside
	}
	return outside
}

// String returns the file and line.
func (s source) String() string {
	frames := runtime.CallersFrames([]uintptr{uintptr(s)})
	for s != 0 {
		frame, more := frames.Next()
		if frame.File != "" && !definesForOthers(frame.Function) { // inlined functions share a program counter
			return frame.File + ":" + strconv.Itoa(frame.Line)
		}
		if !more {
			break
		}
	}
	return ""
}

// definesForOthers reports whether a function belongs to a package that defines routes for its
// callers.
func definesForOthers(function string) bool {
	name, ok := strings.CutPrefix(function, "example.com/flowercafe/")
	return ok && (strings.HasPrefix(name, "routing.") || strings.HasPrefix(name, "apidoc."))
}
