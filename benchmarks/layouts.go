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

// startWorkers starts a worker for each layout. Linking takes 1.5 s each; go run keeps the binaries
// in its cache.
func startWorkers(ctx context.Context, role string, layouts int) ([]worker, error) {
	workers, errs := make([]worker, layouts), make([]error, layouts)
	var wg sync.WaitGroup
	for i := range layouts {
		wg.Go(func() {
			cmd := exec.CommandContext(ctx, "go", "run", fmt.Sprintf("-ldflags=-s -w -randlayout=%d", i+1), ".")
			workers[i].process, _, errs[i] = start(cmd, role)
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
func startItself(ctx context.Context, role string) ([]worker, error) {
	process, _, err := startRole(ctx, role)
	return []worker{{process}}, err
}

// isOfTheseSources reports whether this program was built from the sources in the working
// directory: only then do the programs that go run builds there differ from it only in layout. It
// compares build IDs: the middle part is a hash of all inputs of the main package. It differs
// between go run, which omits debug information, and go build.
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
