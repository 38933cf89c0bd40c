// Package testenv has the environment of this module's tests: checks for leaks, HTTP servers on
// connections in memory, and the installation of packages from registries.
package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Patience is how long leftovers may take to end. Connections and timers end shortly after their
// tests, but on a busy machine that may be seconds.
const Patience = 30 * time.Second

// A Baseline is what existed before the tests. Its methods are not safe for concurrent use.
type Baseline struct {
	goroutines  map[string]int
	descriptors map[string]int
	files       map[string]int
}

// TakeBaseline records what exists now. Descriptors are only counted on systems with /proc.
func TakeBaseline() Baseline {
	return Baseline{goroutines(), descriptors(), files()}
}

// Left waits, at most for patience, until nothing is left that was not in b. It returns the
// leftovers: stacks, targets of descriptors, and files.
func (b Baseline) Left(patience time.Duration) []string {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		now := TakeBaseline()
		left := slices.Concat(
			more("goroutine", now.goroutines, b.goroutines),
			more("descriptor", now.descriptors, b.descriptors),
			more("temporary file", now.files, b.files))
		if len(left) == 0 || time.Now().After(end) {
			return left
		}
	}
}

// Run runs tests and returns the tests' exit status, or 1 if they passed and left something behind.
// The tests get an empty folder for temporary files that no other process uses.
func Run(tests interface{ Run() int }) int { return run(tests, Patience) }

func run(tests interface{ Run() int }, patience time.Duration) int {
	outer, given := os.LookupEnv("TMPDIR")
	temp, err := os.MkdirTemp("", "leakcheck-")
	if err == nil {
		err = os.Chmod(temp, 0o755) // tests run servers as other users
	}
	if err == nil {
		err = os.Setenv("TMPDIR", temp)
	}
	if err != nil {
		fmt.Println("folder for temporary files:", err)
		return 1
	}
	defer func() {
		os.RemoveAll(temp)
		if given {
			os.Setenv("TMPDIR", outer)
		} else {
			os.Unsetenv("TMPDIR")
		}
	}()
	before := TakeBaseline()
	status := tests.Run()
	if status != 0 {
		return status
	}
	left := before.Left(patience)
	for _, l := range left {
		fmt.Printf("got left behind after all tests, want nothing: %s\n", l)
	}
	return min(len(left), 1)
}

func more(kind string, now, before map[string]int) (left []string) {
	for name, n := range now {
		if n > before[name] {
			left = append(left, fmt.Sprintf("%d × %s %s", n-before[name], kind, name))
		}
	}
	slices.Sort(left)
	return left
}

// goroutines counts the stacks of goroutines, except for goroutines of the runtime, of package
// testing and of the caller. Details that differ between goroutines at the same place are removed.
func goroutines() map[string]int {
	text := make([]byte, 1<<20)
	for {
		n := runtime.Stack(text, true)
		if n < len(text) {
			text = text[:n]
			break
		}
		text = make([]byte, 2*len(text))
	}
	found := map[string]int{}
	for i, stack := range strings.Split(string(text), "\n\n") {
		_, frames, ok := strings.Cut(stack, "\n")
		if i == 0 || !ok || strings.Contains(frames, "os/signal.signal_recv") || strings.Contains(frames, "testing.(*M)") ||
			strings.Contains(frames, "testing.runFuzz") || strings.Contains(frames, "runtime.ReadTrace") {
			continue
		}
		found[functions(frames)]++
	}
	return found
}

// functions returns the names of the functions in a stack.
func functions(frames string) string {
	var names []string
	for line := range strings.Lines(frames) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "/") || strings.HasPrefix(line, "created by ") || line == "" {
			continue
		}
		if i := strings.LastIndexByte(line, '('); i > 0 {
			line = line[:i]
		}
		names = append(names, line)
	}
	return strings.Join(names, " < ")
}

// descriptors counts the targets of the process's descriptors. All sockets are one kind, because
// their numbers say nothing.
func descriptors() map[string]int {
	found := map[string]int{}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return found
	}
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || strings.HasPrefix(target, "/proc/") {
			continue // the descriptor of this directory
		}
		kind, _, _ := strings.Cut(target, ":")
		// The runtime opens its poller on first use and keeps it.
		if kind == "anon_inode" || strings.HasSuffix(target, "cpu.max") || strings.HasPrefix(target, "/sys/") {
			continue
		}
		found[kind]++
	}
	return found
}

// files counts the temporary files of multipart forms that net/http has parsed.
func files() map[string]int {
	found := map[string]int{}
	names, _ := filepath.Glob(filepath.Join(os.TempDir(), "multipart-*"))
	for _, n := range names {
		found[n]++
	}
	return found
}
