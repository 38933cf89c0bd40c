package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// The linker puts the functions of a program in an order that one line of code changes, and the
// order alone makes a benchmark faster or slower by up to a tenth. So this program is linked
// several times, each time in another random order, and a worker runs each.

// A program is what workers are made of.
type program struct {
	flags []string // of go run, beside those of the layout; set by -before
	role  string
}

// startWorkers starts a worker for each layout. Linking takes 1.5 s each; go run keeps the binaries
// in its cache.
func (p program) startWorkers(ctx context.Context, layouts int) ([]worker, error) {
	workers, errs := make([]worker, layouts), make([]error, layouts)
	var wg sync.WaitGroup
	for i := range layouts {
		wg.Go(func() {
			flags := append([]string{"run", fmt.Sprintf("-ldflags=-s -w -randlayout=%d", i+1)}, p.flags...)
			cmd := exec.CommandContext(ctx, "go", append(flags, ".")...)
			workers[i].process, _, errs[i] = start(cmd, p.role)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			stop(workers)
			return nil, fmt.Errorf("start a worker: %w", err)
		}
	}
	return workers, nil
}

func stop(workers []worker) {
	for _, w := range workers {
		if w.process != nil {
			w.stop()
		}
	}
}

// startItself starts a worker of this program as it is linked.
func (p program) startItself(ctx context.Context) ([]worker, error) {
	process, _, err := startRole(ctx, p.role)
	return []worker{{process}}, err
}

// isOfTheseSources reports whether this program is of the sources in the working directory, so that
// what go run builds there differs in layout alone. Build IDs tell: the middle of a program's is
// that of its main package, a hash of all that it is made of. It is not the same with go run, which
// leaves out debug information, and go build.
func isOfTheseSources(ctx context.Context) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	inProgram := func(id string) string {
		if parts := strings.Split(id, "/"); len(parts) == 4 {
			return parts[1] + "/" + parts[2]
		}
		return id
	}
	id := func(args ...string) string {
		output, err := exec.CommandContext(ctx, "go", args...).Output()
		if err != nil {
			return err.Error()
		}
		return inProgram(strings.TrimSpace(string(output)))
	}
	here := id("tool", "buildid", self)
	return here == id("run", "-exec", "go tool buildid", ".") || here == id("list", "-export", "-f", "{{.BuildID}}", ".")
}
