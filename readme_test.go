package flowercafe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The README's first program is the first Example.
func TestREADME(t *testing.T) {
	_, rest, _ := strings.Cut(readFile(t, "example_test.go"), "func Example() {\n")
	body, _, _ := strings.Cut(rest, "\n}\n")
	if program := readmeProgram(t); program != body {
		t.Errorf("the README's program is\n%s\nand the Example\n%s", program, body)
	}
}

// readmeProgram returns the first Go block of the README, as the body of a function.
func readmeProgram(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(readFile(t, "README.md"), "```go\n")
	program, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the README has no Go block")
	}
	return "\t" + strings.ReplaceAll(strings.TrimSpace(program), "\n", "\n\t")
}

// The README's install commands, run in an empty module beside its first program, leave a module
// that builds. It is skipped where the module proxy cannot be reached and the cache lacks a module.
func TestREADMEInstalls(t *testing.T) {
	checkout, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var commands [][]string
	for line := range strings.Lines(readFile(t, "README.md")) {
		if command := strings.Fields(line); len(command) > 2 && command[0] == "go" && command[1] == "mod" {
			commands = append(commands, command)
		}
	}
	if len(commands) == 0 {
		t.Fatal("the README has no go mod command")
	}
	dir := t.TempDir()
	program := "package main\n\nimport (\n\t\"log\"\n\t\"net/http\"\n\n\t\"example.com/flowercafe\"\n)\n\nfunc main() {\n" + readmeProgram(t) + "\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	commands = append([][]string{{"go", "mod", "init", "example.com/empty"}}, commands...)
	if testing.Short() {
		commands = append(commands, []string{"go", "vet", "."}) // compiles as well, but does not link
	} else {
		commands = append(commands, []string{"go", "build", "-o", filepath.Join(dir, "program"), "."})
	}
	for _, command := range commands {
		for i, argument := range command {
			command[i] = strings.ReplaceAll(argument, "../flowercafe", checkout)
		}
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
		if output, err := cmd.CombinedOutput(); err != nil {
			if isOffline(string(output)) {
				t.Skipf("%s: the module proxy cannot be reached: %s", strings.Join(command, " "), output)
			}
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, output)
		}
	}
}

// isOffline reports whether the go command failed because it reached no module proxy.
func isOffline(output string) bool {
	for _, sign := range []string{"dial tcp", "no such host", "i/o timeout", "TLS handshake timeout", "module lookup disabled by GOPROXY=off"} {
		if strings.Contains(output, sign) {
			return true
		}
	}
	return false
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
