//go:build unix

package specification_test

import (
	"bufio"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The README's first two commands, on lines of their own within its first 40 lines, work in a fresh
// copy of the module. Of the tests only those of this name pattern run, and none of them runs
// tests.
func TestREADMECommands(t *testing.T) {
	t.Chdir(root)
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
	tests := exec.CommandContext(t.Context(), "go", append(strings.Fields(test)[1:], "-short", "-run", "TestREADME$")...)
	tests.Dir, tests.Env = copied, environment
	if text, err := tests.CombinedOutput(); err != nil || !strings.Contains(string(text), "ok  \texample.com/flowercafe/test/specification\t") {
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
