package conformance

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// This file tests the description of examples/with/service.

// serviceTranscript is the output of the client's program.
const serviceTranscript = `rooms Attic 6, Great Hall 40
booked 201 1 "1"
again 409 The room is taken on that day
refused 422 /guests must be at least 1
moved 200 2030-06-02 "2"
late 412 The entity has another version
listed 2030-06-02 Dan Poe
cancelled 204 404
stranger 401
`

// The description passes redocly's recommended rules, and a client that openapi-typescript makes
// of it books, changes and cancels.
func TestService(t *testing.T) {
	wantAll(t, "npm")
	house, token := startService(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), fetch(t, house+"/api-docs/openapi.json"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Run("redocly", func(t *testing.T) {
		t.Setenv("REDOCLY_TELEMETRY", "off")
		lint(t, dir, npmTool(t, "redocly"), "lint", "--extends=recommended", "--max-problems=100", "--format=stylish", "openapi.json")
	})
	t.Run("openapi-typescript", func(t *testing.T) {
		copyFile(t, "testdata/service/main.ts", filepath.Join(dir, "main.ts"))
		program := append(makeOpenapiTypescript(t, dir, "openapi.json"), house, token)
		if got := run(t, dir, program[0], program[1:]...); got != serviceTranscript {
			t.Errorf("the program prints\n%s\nwant\n%s", got, serviceTranscript)
		}
	})
}

// startService runs the program, and returns the address of a house and the token of the API.
func startService(t *testing.T) (house, token string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "service")
	run(t, "../../examples/with/service", "go", "build", "-o", program, ".")
	service := command(t, ".", program, "-addr", "127.0.0.1:0", "-base", "/stay")
	stdout, err := service.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		service.Process.Kill()
		service.Wait()
	})
	var text string
	for lines := bufio.NewScanner(stdout); !strings.Contains(text, "its token is ") && lines.Scan(); {
		text += lines.Text() + "\n"
	}
	found := regexp.MustCompile(`^listening on (\S+)/\n(?s:.*)its token is (\S+)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("the service says %q; want its address and the token", text)
	}
	return found[1] + "/houses/mill", found[2]
}
