// Mutants changes one condition, bound or result of a package at a time and runs the tests: a
// mutant that no test notices survives. It lists the survivors, but for those that survivors.txt
// knows with a reason.
//
//	go run . ./routing ./routing/internal/...
//	go run . -seed 1 -n 100 ./routing ./routing/internal/...
//
// The packages are those of the module two folders above, or of -C. Their short tests run for each
// mutant, those of its own package first. -n takes so many mutants at random; -match takes those
// whose name matches. Each package is compiled once, with all mutants in it (a flag of go build
// replaces its files, nothing is written into the module).
//
// The exit status is 1 if a mutant survives that is not known, and 2 if the tests fail without one.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/packages"
)

//go:embed survivors.txt
var survivors string

func main() {
	root := flag.String("C", "../..", "folder of the module")
	seed := flag.Uint64("seed", 1, "seed of the choice of mutants")
	count := flag.Int("n", 0, "how many mutants, at random; 0 is all of them")
	match := flag.String("match", "", "regular expression for the names of mutants")
	limit := flag.Duration("for", 0, "begin no mutant after this time; 0 is no limit")
	flag.Parse()
	unknown, err := run(*root, flag.Args(), *seed, *count, *match, *limit)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if unknown > 0 {
		os.Exit(1)
	}
}

// run returns how many mutants survived that survivors.txt does not know.
func run(root string, patterns []string, seed uint64, count int, match string, limit time.Duration) (int, error) {
	names, err := regexp.Compile(match)
	if err != nil {
		return 0, fmt.Errorf("-match: %w", err)
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return 0, err
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	tests, found, err := build(root, work, patterns)
	if err != nil {
		return 0, err
	}
	for _, t := range tests {
		if err := t.prepare(); err != nil {
			return 0, err
		}
	}

	all := len(found)
	found = slices.DeleteFunc(found, func(m *mutant) bool { return !names.MatchString(m.name) })
	// By their names, so that a change of the code changes only the choice of what it names.
	random := func(m *mutant) []byte {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, m.name))
		return sum[:]
	}
	slices.SortStableFunc(found, func(a, b *mutant) int { return bytes.Compare(random(a), random(b)) })
	if count > 0 && count < len(found) {
		found = found[:count]
	}
	alive, ran := try(tests, found, limit)

	known := knownSurvivors()
	unknown := 0
	for _, m := range alive {
		if reason, ok := known[m.name]; ok {
			fmt.Printf("known: %s (line %d): %s\n", m.name, m.line, reason)
			continue
		}
		unknown++
		fmt.Printf("SURVIVED: %s (line %d)\n", m.name, m.line)
	}
	fmt.Printf("seed %d: %d of %d mutants tried, %d survived, %d of them are not in survivors.txt\n", seed, ran, all, len(alive), unknown)
	return unknown, nil
}

// try runs the tests for each mutant, several at a time, and returns those that survived and how
// many were tried.
func try(tests []*testBinary, mutants []*mutant, limit time.Duration) (alive []*mutant, ran int) {
	start := time.Now()
	queue := make(chan *mutant)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for m := range queue {
				survived := !killed(tests, m)
				mu.Lock()
				ran++
				if survived {
					alive = append(alive, m)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range mutants {
		if limit > 0 && time.Since(start) > limit {
			break
		}
		queue <- m
	}
	close(queue)
	workers.Wait()
	slices.SortFunc(alive, func(a, b *mutant) int { return strings.Compare(a.name, b.name) })
	return alive, ran
}

// killed reports whether a test notices the mutant. The tests of its own package are asked first.
func killed(tests []*testBinary, m *mutant) bool {
	for _, own := range []bool{true, false} {
		for _, t := range tests {
			if (t.pkg == m.pkg) != own {
				continue
			}
			if passed, _ := t.run(m.number); !passed {
				return true
			}
		}
	}
	return false
}

// knownSurvivors returns the reasons of survivors.txt by the mutants' names.
func knownSurvivors() map[string]string {
	known := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(survivors))
	for lines.Scan() {
		if name, reason, ok := strings.Cut(lines.Text(), " # "); ok && !strings.HasPrefix(lines.Text(), "#") {
			known[strings.TrimSpace(name)] = reason
		}
	}
	return known
}

// testBinary is the tests of one package, with all mutants in what they test.
type testBinary struct {
	pkg, dir, path string
	skip           string // a regular expression of tests that are left out
	timeout        time.Duration
}

// build compiles the tests of the packages with all mutants.
func build(root, work string, patterns []string) ([]*testBinary, []*mutant, error) {
	config := &packages.Config{
		Dir: root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
	}
	loaded, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, nil, fmt.Errorf("load packages: %w", err)
	}
	var found []*mutant
	replaced := map[string]string{}
	write := func(original, text string) error {
		path := filepath.Join(work, strconv.Itoa(len(replaced))+".go")
		replaced[original] = path
		return os.WriteFile(path, []byte(text), 0o600)
	}
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			return nil, nil, fmt.Errorf("load %s: %w", pkg.PkgPath, pkg.Errors[0])
		}
		for i, file := range pkg.Syntax {
			text, err := os.ReadFile(pkg.CompiledGoFiles[i])
			if err != nil {
				return nil, nil, err
			}
			path, err := filepath.Rel(root, pkg.CompiledGoFiles[i])
			if err != nil {
				return nil, nil, err
			}
			if err := write(pkg.CompiledGoFiles[i], mutate(pkg, file, path, string(text), &found)); err != nil {
				return nil, nil, err
			}
		}
		added := "package " + pkg.Name + "\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)" + switches
		if err := write(filepath.Join(filepath.Dir(pkg.GoFiles[0]), "mutant_switches.go"), added); err != nil {
			return nil, nil, err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, nil, err
	}
	overlayFile := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return nil, nil, err
	}
	var tests []*testBinary
	for i, pkg := range loaded {
		dir := filepath.Dir(pkg.GoFiles[0])
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, nil, err
		}
		t := &testBinary{pkg: name, dir: dir, path: filepath.Join(work, strconv.Itoa(i)+".test")}
		command := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlayFile, "-o", t.path, pkg.PkgPath)
		command.Dir = root
		if output, err := command.CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("compile the tests of %s: %w\n%s", name, err, output)
		}
		if _, err := os.Stat(t.path); err == nil { // a package without tests has no binary
			tests = append(tests, t)
		}
	}
	return tests, found, nil
}

// The tests of a package take a few seconds, more on a busy machine. A mutant that needs more than
// these, and much longer than the tests without one, has no end.
const (
	leastTimeout = time.Minute
	mostTimeout  = 10 * time.Minute
	memory       = 2 << 30
)

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// prepare runs the tests without a mutant. Those that count allocations fail, since the switches
// keep functions from being inlined: they are left out.
func (t *testBinary) prepare() error {
	t.timeout = mostTimeout
	_, output := t.run(0)
	var failed []string
	for _, match := range failedTest.FindAllStringSubmatch(output, -1) {
		failed = append(failed, match[1])
	}
	if len(failed) > 0 {
		t.skip = "^(" + strings.Join(failed, "|") + ")$"
		fmt.Printf("left out of %s: %s\n", t.pkg, strings.Join(failed, ", "))
	}
	start := time.Now()
	if passed, output := t.run(0); !passed {
		return fmt.Errorf("the tests of %s fail without a mutant:\n%s", t.pkg, output)
	}
	t.timeout = max(leastTimeout, 5*time.Since(start))
	return nil
}

// run runs the tests with a mutant, and reports whether they pass.
func (t *testBinary) run(number int) (passed bool, output string) {
	ctx, cancel := context.WithTimeout(context.Background(), t.timeout)
	defer cancel()
	command := exec.CommandContext(ctx, t.path, "-test.short", "-test.timeout", t.timeout.String(), "-test.skip", t.skip)
	if number > 0 {
		command.Args = append(command.Args, "-test.failfast")
	}
	command.Dir = t.dir
	command.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(number))
	var text strings.Builder
	command.Stdout, command.Stderr = &text, &text
	if err := command.Start(); err != nil {
		return false, err.Error()
	}
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(100 * time.Millisecond):
				if resident(command.Process.Pid) > memory {
					cancel()
				}
			}
		}
	}()
	err := command.Wait()
	close(ended)
	return err == nil, text.String()
}

// resident returns the memory of a process in bytes, or 0 where /proc does not tell.
func resident(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}
