// Package source finds out where routes and filters are defined.
package source

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Position is the program counter of a definition; 0 is unknown. It takes little memory, since
// there may be many routes.
type Position uintptr

// Finder finds positions. It caches what it knows of a program counter, since a lookup takes a
// microsecond. It is safe for concurrent use.
type Finder struct {
	outside sync.Map // whether a program counter is in a caller's code: bool by uintptr
}

// Here returns the innermost caller outside of package routing, of packages apidoc and resources,
// which define routes for others, and of the standard library's packages that call functions. It is
// 0 if that is too far up the stack.
func (f *Finder) Here() Position {
	var stack [16]uintptr
	for _, pc := range stack[:runtime.Callers(3, stack[:])] { // skips Callers, Here and its caller
		outside, known := f.outside.Load(pc)
		if !known {
			outside = Position(pc).String() != ""
			f.outside.Store(pc, outside)
		}
		if outside.(bool) {
			return Position(pc)
		}
	}
	return 0
}

// String returns the file and line, such as "/src/shop/routes.go:12". It is empty if they are not
// known.
func (p Position) String() string {
	frames := runtime.CallersFrames([]uintptr{uintptr(p)})
	for p != 0 {
		frame, more := frames.Next()
		if frame.File != "" && !callsForOthers(frame.Function) { // inlined functions share a program counter
			return frame.File + ":" + strconv.Itoa(frame.Line)
		}
		if !more {
			break
		}
	}
	return ""
}

// callsForOthers reports whether a function belongs to a package that defines routes for its
// callers, or to a package of the standard library that calls functions, such as bodies of loops.
func callsForOthers(function string) bool {
	name, isOurs := strings.CutPrefix(function, "example.com/flowercafe/")
	name, _, _ = strings.Cut(name, ".")
	switch name {
	case "routing", "routing/resources", "apidoc":
		return isOurs
	case "iter", "maps", "reflect", "runtime", "slices", "sync":
		return !isOurs
	}
	return false
}
