package flowercafe_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The README's program for the applications is the first Example.
func TestREADME(t *testing.T) {
	_, rest, _ := strings.Cut(readFile(t, "example_test.go"), "func Example() {\n")
	body, _, _ := strings.Cut(rest, "\n}\n")
	shop := "\t" + strings.ReplaceAll(goBlock(t, "<!-- the first Example of package flowercafe; a test compares them -->"), "\n", "\n\t")
	if shop != body {
		t.Errorf("the README's shop is\n%s\nand the Example\n%s", shop, body)
	}
}

// The README's numbers of conformance cases and of their requests are right.
func TestREADMECases(t *testing.T) {
	files, err := filepath.Glob("routing/testdata/conformance/*.json")
	if err != nil {
		t.Fatal(err)
	}
	cases, requests := 0, make(map[string]int)
	for _, file := range files {
		var list []struct {
			Source   string
			Requests []any
		}
		if err := json.Unmarshal([]byte(readFile(t, file)), &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		cases += len(list)
		for _, c := range list {
			requests[c.Source] += len(c.Requests)
		}
	}
	recorded, ruled := requests["recorded"], requests["rule"]
	want := fmt.Sprintf("%d requests in %d cases: %d with responses recorded from Scalatra, %d where this project decides",
		recorded+ruled, cases, recorded, ruled)
	if !strings.Contains(readFile(t, "README.md"), want) {
		t.Errorf("the README doesn't say %q", want)
	}
}

// Each Go block of the guides, and each of the README but for its two programs, consists of lines
// of a Go file that is compiled, in the same order.
func TestGoBlocks(t *testing.T) {
	guides, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	marked := regexp.MustCompile("(?s)<!-- lines of (\\S+); a test compares them -->\n```go\n(.*?)```")
	for _, document := range append(guides, "README.md") {
		text := readFile(t, document)
		blocks := marked.FindAllStringSubmatch(text, -1)
		programs := 0
		if document == "README.md" {
			programs = 2
		}
		if all := strings.Count(text, "```go\n"); len(blocks) == 0 || all != len(blocks)+programs {
			t.Errorf("%s has %d Go blocks, of which %d name a file", document, all, len(blocks))
		}
		for _, block := range blocks {
			code := readFile(t, block[1])
			for line := range strings.Lines(block[2]) {
				if line = strings.TrimSpace(line); line == "" {
					continue
				}
				var found bool
				if _, code, found = strings.Cut(code, line+"\n"); !found {
					t.Errorf("%s: %s lacks the line %q, or has it earlier", document, block[1], line)
				}
			}
		}
	}
}

// The README's first two commands, on lines of their own within its first 40 lines, work in a fresh
// copy of the module. Of the tests only those of this name pattern run, and none of them runs
// tests.
func TestREADMECommands(t *testing.T) {
	const run, test = "    go run ./examples/host\n", "    go test ./...\n"
	lines := strings.SplitAfter(readFile(t, "README.md"), "\n")
	top := strings.Join(lines[:40], "")
	if !strings.Contains(top, run) || !strings.Contains(top, test) {
		t.Fatalf("the README's first 40 lines have not both commands:\n%s", top)
	}
	if os.Getenv("FLOWERCAFE_LONG") == "" {
		t.Skip("FLOWERCAFE_LONG=1 compiles the module and all tests in another folder")
	}
	copied := copyModule(t)
	host := exec.CommandContext(t.Context(), "go", append(strings.Fields(run)[1:], "-addr", "127.0.0.1:0")...)
	environment := append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false -trimpath -vet=off") // the build cache serves all copies
	host.Dir, host.Env, host.Stderr = copied, environment, os.Stderr
	host.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // go run and the host
	output, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(output).ReadString('\n')
	if address, ok := strings.CutPrefix(strings.TrimSpace(first), "listening on "); !ok {
		t.Errorf("the host prints %q, %v", first, err)
	} else if response, err := http.Get(address); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("the home page: %v, %v", response, err)
	} else {
		response.Body.Close()
	}
	if err := syscall.Kill(-host.Process.Pid, syscall.SIGINT); err != nil {
		t.Error(err)
	}
	io.Copy(io.Discard, output) // until the host has ended
	host.Wait()                 // go run itself ends with an error for the signal
	tests := exec.CommandContext(t.Context(), "go", append(strings.Fields(test)[1:], "-short", "-run", "TestREADMECases|TestClean")...)
	tests.Dir, tests.Env = copied, environment
	if text, err := tests.CombinedOutput(); err != nil || !strings.Contains(string(text), "ok  \texample.com/flowercafe\t") {
		t.Errorf("%v\n%s", err, text)
	}
}

// copyModule returns a copy of the files of the core module.
func copyModule(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if path != "." && err == nil || entry.Name() == ".git" {
				return fs.SkipDir // another module
			}
			return os.MkdirAll(filepath.Join(to, path), 0o700)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return os.WriteFile(filepath.Join(to, path), []byte(readFile(t, path)), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// Files that the guides and the README link to exist.
func TestLinks(t *testing.T) {
	guides, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)
	for _, document := range append(guides, "README.md") {
		for _, match := range link.FindAllStringSubmatch(readFile(t, document), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), match[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", document, match[1])
			}
		}
	}
}

// goBlock returns the Go block of the README behind a marker.
func goBlock(t *testing.T, marker string) string {
	t.Helper()
	_, rest, _ := strings.Cut(readFile(t, "README.md"), marker+"\n```go\n")
	program, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatalf("the README has no Go block behind %q", marker)
	}
	return strings.TrimSpace(program)
}

// The README's install commands, run in an empty module beside each of its two programs, leave a
// module that builds, and the router alone brings no dependency. It is skipped where the module
// proxy cannot be reached and the cache lacks a module.
func TestREADMEInstalls(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	checkout, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	commands := [][]string{{"go", "mod", "init", "example.com/empty"}}
	for line := range strings.Lines(readFile(t, "README.md")) {
		if command := strings.Fields(strings.ReplaceAll(line, "../flowercafe", checkout)); len(command) > 2 && command[0] == "go" && command[1] == "mod" {
			commands = append(commands, command)
		}
	}
	if len(commands) == 1 {
		t.Fatal("the README has no go mod command")
	}
	commands = append(commands, []string{"go", "build", "-o", "program", "."})
	shop := goBlock(t, "<!-- the first Example of package flowercafe; a test compares them -->")
	shop = "package main\n\nimport (\n\t\"log\"\n\t\"net/http\"\n\n\t\"example.com/flowercafe\"\n)\n\nfunc main() {\n" + shop + "\n}\n"
	for _, c := range []struct {
		name, program string
		modules       int // that the program's module requires indirectly
	}{
		{"router", goBlock(t, "<!-- TestREADMEInstalls builds this program -->"), 0},
		{"shop", shop, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(c.program), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range commands {
				cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
				if output, err := cmd.CombinedOutput(); err != nil {
					if offline.Match(output) {
						t.Skipf("%s: the module proxy cannot be reached: %s", strings.Join(command, " "), output)
					}
					t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, output)
				}
			}
			if modules := strings.Count(readFile(t, filepath.Join(dir, "go.mod")), "// indirect"); modules != c.modules {
				t.Errorf("go.mod requires %d further modules, want %d as the README says", modules, c.modules)
			}
		})
	}
}

// offline is what the go command says when it reached no module proxy, or one that is out of order.
var offline = regexp.MustCompile(`dial tcp|no such host|i/o timeout|TLS handshake timeout|connection reset|: (unexpected )?EOF\b|: (429|5\d\d) |` +
	`module lookup disabled by GOPROXY=off`)

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Tests and Go files that documents name exist, and the functions that ARCHITECTURE.md names.
func TestDocumentsNameWhatExists(t *testing.T) {
	tests, files, names := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
	name := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var )(\w+)`)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files[filepath.ToSlash(path)], files[filepath.Base(path)] = true, true
		for _, match := range name.FindAllStringSubmatch(readFile(t, path), -1) {
			names[match[1]] = true
		}
		if strings.HasSuffix(path, "_test.go") {
			for _, match := range function.FindAllStringSubmatch(readFile(t, path), -1) {
				tests[match[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{"README.md", "TESTING.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "SCALING.md"} {
		text := readFile(t, document)
		for _, name := range regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`).FindAllString(text, -1) {
			if !tests[name] {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
		for _, match := range regexp.MustCompile("`([\\w/]+\\.go)`").FindAllStringSubmatch(text, -1) {
			if !files[match[1]] {
				t.Errorf("%s names the file %s, which does not exist", document, match[1])
			}
		}
	}
	for _, match := range regexp.MustCompile("`([\\w.]+)(?:\\([^`]*)?`").FindAllStringSubmatch(readFile(t, "ARCHITECTURE.md"), -1) {
		last := match[1][strings.LastIndexByte(match[1], '.')+1:] // behind a receiver or package
		_, err := os.Stat(match[1])
		if last != "go" && match[1] != "flowercafe" && err != nil && !names[last] {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", match[0])
		}
	}
}

// A package imports only packages below it in the table of ARCHITECTURE.md, except for respond. So
// no package of the table imports those that are for programs only.
func TestPackagesImportOnlyThoseBelow(t *testing.T) {
	const module = "example.com/flowercafe"
	_, table, _ := strings.Cut(readFile(t, "ARCHITECTURE.md"), "## Packages")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := make(map[string]int)
	for i, cell := range regexp.MustCompile(`(?m)^\|[^|]*`).FindAllString(table, -1) {
		for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			rows[strings.TrimSuffix(module+"/"+match[1], "/flowercafe")] = i
		}
	}
	output, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(output)) {
		packages := strings.Fields(line)
		from, listed := rows[packages[0]]
		if !listed {
			continue
		}
		checked++
		for _, imported := range packages[1:] {
			to, known := rows[imported]
			if strings.HasPrefix(imported, module) && (!known || to <= from) && imported != module+"/routing/respond" {
				t.Errorf("%s imports %s, which is not below it in ARCHITECTURE.md", packages[0], imported)
			}
		}
	}
	if checked != len(rows) || checked < 20 {
		t.Errorf("checked %d of %d packages", checked, len(rows))
	}
}
