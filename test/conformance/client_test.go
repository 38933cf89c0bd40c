package conformance

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-openapi/runtime/client" // pins a dependency of generated clients in go.mod and go.sum
	_ "github.com/go-openapi/swag/conv"
	_ "github.com/go-openapi/swag/jsonutils"
	_ "github.com/go-openapi/swag/typeutils"
)

// A client that go-swagger generates from a served description compiles, calls the host at its base
// path, and distinguishes the described responses.
func TestGeneratedClient(t *testing.T) {
	swagger := goTool(t, "swagger")
	for _, c := range []struct {
		program  string // in testdata
		base     string
		argument string
		want     string
	}{
		{"cafe", "/shop", "ROSE", "listed red-rose\nlisted rose\nfound rose Rose\nnot found\n"},
		{"cafe", "", "kaffee", "found rose Rose\nnot found\n"},
		{"shop", "/a/b", "", "order of Ann placed 2026-11-21T10:00:00.000Z with 12 rose\nplaced for Ann\nchanged 1\nlisted 1\n" +
			"refused: body /customer must be a string\n"},
	} {
		t.Run(c.program+" at "+c.base, func(t *testing.T) {
			host := newCafe(c.base)
			if c.program == "shop" {
				host = newShop(c.base)
			}
			origin := serve(t, host(t))
			dir := newModule(t)
			run(t, ".", swagger, "generate", "client", "--quiet", "--spec", origin+c.base+"/api-docs/swagger.json", "--target", dir)
			copyFile(t, filepath.Join("testdata", c.program, "main.go"), filepath.Join(dir, "main.go"))
			run(t, dir, "go", "vet", "./...")
			u, err := url.Parse(origin)
			if err != nil {
				t.Fatal(err)
			}
			if got := run(t, dir, "go", "run", ".", u.Host, c.argument); got != c.want {
				t.Errorf("the program prints %q, want %q", got, c.want)
			}
		})
	}
}

// newModule makes a module for generated code, with the same versions of dependencies as this
// module.
func newModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	copyFile(t, "go.mod", filepath.Join(dir, "go.mod"))
	copyFile(t, "go.sum", filepath.Join(dir, "go.sum"))
	run(t, dir, "go", "mod", "edit", "-module=generated", "-droprequire=example.com/flowercafe", "-dropreplace=example.com/flowercafe")
	return dir
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// limit only guards commands against hanging. Building go-swagger takes half a minute on a small
// machine.
const limit = 5 * time.Minute

// run runs a command and returns its standard output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := command(t, dir, name, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}

func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) } // makes a hanging Go program print its stacks
	cmd.WaitDelay = time.Second
	cmd.Dir = dir
	return cmd
}
