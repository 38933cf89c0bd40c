package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// One line of code can change the order in which the linker places functions, and the order alone
// changes a time by up to a tenth. So this program is linked several times in random orders, and a
// worker runs each.

// A program says how to build the workers.
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

// startItself starts a worker with this program's own layout.
func (p program) startItself(ctx context.Context) ([]worker, error) {
	process, _, err := startRole(ctx, p.role)
	return []worker{{process}}, err
}

// isOfTheseSources reports whether this program was built from the sources in the working
// directory, so that a program built there by go run only differs in its layout. It compares build
// IDs: the middle part is a hash of all inputs of the main package. It differs between go run,
// which omits debug information, and go build.
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
