//go:build unix

package specification_test

import (
	"fmt"
	"go/format"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	tutorialSave = regexp.MustCompile("^Save as `([^`]+)`")
	tutorialAdd  = regexp.MustCompile("`([^`]+)`, (?:and )?above `([^`]+)`, add:$")
	tutorialEnv  = regexp.MustCompile("^Start the service with `(.*) go run .`")
)

// Each step of the tutorial is done as it stands there: the files are saved, the program is built
// and runs, and the commands print what the text shows.
func TestTutorial(t *testing.T) {
	if os.Getenv("FLOWERCAFE_LONG") == "" {
		t.Skip("FLOWERCAFE_LONG=1 builds programs")
	}
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	text := readFile(t, filepath.Join(root, "docs/tutorial.md"))
	if n := strings.Count(text, "\n"); n > 400 {
		t.Errorf("the tutorial has %d lines, want at most 400", n)
	}
	address := freeAddress(t)
	text = strings.ReplaceAll(text, "127.0.0.1:8080", address)
	b := &bakery{dir: filepath.Join(t.TempDir(), "bakery"), env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")}
	intro, rest, _ := strings.Cut(text, "\n## ")
	for line := range strings.Lines(intro) {
		command, ok := strings.CutPrefix(line, "    ")
		if command == "mkdir bakery && cd bakery\n" {
			if err := os.Mkdir(b.dir, 0o700); err != nil {
				t.Fatal(err)
			}
		} else if ok {
			b.run(t, strings.ReplaceAll(command, "../flowercafe", checkout))
		}
	}
	for step := range strings.SplitSeq(rest, "\n## ") {
		name, body, _ := strings.Cut(step, "\n")
		if !t.Run(name, func(t *testing.T) { b.step(t, address, body) }) {
			return // the later steps build on it
		}
	}
}

// bakery is the tutorial's folder.
type bakery struct {
	dir string
	env []string
}

// run runs a command and returns what it prints.
func (b *bakery) run(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = b.dir, b.env
	output, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		if offline.Match(failed.Stderr) {
			t.Skipf("%s: the module proxy cannot be reached: %s", command, failed.Stderr)
		}
		t.Fatalf("%s: %v\n%s%s", command, err, output, failed.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}

// step does what the text of a step says.
func (b *bakery) step(t *testing.T, address, text string) {
	var before string // the line above a block
	var commands []string
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		language, ok := strings.CutPrefix(line, "```")
		if !ok {
			if match := tutorialEnv.FindStringSubmatch(line); match != nil {
				b.env = append(b.env, match[1])
			}
			before = line
			continue
		}
		block, rest, _ := strings.Cut(text, "```\n")
		text = rest
		if language == "console" {
			commands = append(commands, strings.Split(strings.TrimPrefix(block, "$ "), "\n$ ")...)
			continue
		}
		b.edit(t, before, block)
	}
	b.run(t, "go mod tidy && go build -o service .")
	service := exec.CommandContext(t.Context(), "./service")
	service.Dir, service.Env, service.Stderr = b.dir, b.env, os.Stderr
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		service.Process.Kill()
		service.Wait()
	}()
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) { // until it listens
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatal(err)
		}
	}
	if len(commands) == 0 {
		t.Error("the step shows no command")
	}
	for _, shown := range commands {
		command, want, _ := strings.Cut(shown, "\n")
		if got := b.run(t, command); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s\ngot  %s\nwant %s", command, got, want)
		}
	}
}

// edit does what the sentence above a block of code says.
func (b *bakery) edit(t *testing.T, sentence, code string) {
	t.Helper()
	name := ""
	if save := tutorialSave.FindStringSubmatch(sentence); save != nil {
		name = save[1]
	} else if add := tutorialAdd.FindStringSubmatch(sentence); add != nil {
		name = add[1]
		old := readFile(t, filepath.Join(b.dir, name))
		if imports, ok := strings.CutPrefix(sentence, "Add "); ok {
			imports, _, _ = strings.Cut(imports, " to the imports of ")
			for path := range strings.SplitSeq(imports, " and ") {
				old = strings.Replace(old, "import (\n", fmt.Sprintf("import (\n\t%s\n", strings.Trim(path, "`")), 1)
			}
		}
		if strings.Count(old, add[2]) != 1 {
			t.Fatalf("%s has not one %q", name, add[2])
		}
		code = strings.Replace(old, "\t"+add[2], code+"\t"+add[2], 1)
	} else {
		t.Fatalf("not understood: %s", sentence)
	}
	formatted, err := format.Source([]byte(code))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, name), formatted, 0o600); err != nil {
		t.Fatal(err)
	}
}
