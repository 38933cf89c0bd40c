package conformance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/flowercafe/internal/testenv"
)

// This file installs the tools: Go programs, npm packages, jars of Maven Central, and Python
// packages. All but the Go programs take minutes, and are only used with CONFORMANCE=all in the
// environment.

// wantAll skips the test unless CONFORMANCE is all. The test fails if a program is missing.
func wantAll(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getenv("CONFORMANCE") != "all" {
		t.Skip("it needs CONFORMANCE=all, and then " + strings.Join(programs, ", "))
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatal(err)
		}
	}
}

// toolbox has the tools that several tests need, installed on first use.
type toolbox struct {
	dir        string // of this test run
	npm, jar   sync.Once
	goTools    sync.Once
	npmError   error
	jarError   error
	goError    error
	generator  string // the jar of openapi-generator
	npmModules string
}

var shared toolbox

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		panic(err)
	}
	shared.dir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// goTool builds the tools of go.mod and returns the path of one.
func goTool(t *testing.T, name string) string {
	t.Helper()
	shared.goTools.Do(func() {
		shared.goError = testenv.Install(context.Background(), ".", "go", "build", "-o", shared.dir+"/", "tool")
	})
	if shared.goError != nil {
		t.Fatal(shared.goError)
	}
	return filepath.Join(shared.dir, name)
}

// npmTool installs the tools of npm and returns the path of one.
func npmTool(t *testing.T, name string) string {
	t.Helper()
	shared.npm.Do(func() {
		dir := filepath.Join(shared.dir, "npm")
		if shared.npmError = os.CopyFS(dir, os.DirFS("testdata/npm")); shared.npmError != nil {
			return
		}
		shared.npmModules = filepath.Join(dir, "node_modules")
		shared.npmError = testenv.Install(context.Background(), dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	})
	if shared.npmError != nil {
		t.Fatal(shared.npmError)
	}
	return filepath.Join(shared.npmModules, ".bin", name)
}

// openapiGenerator fetches the generator's jar and returns its path.
func openapiGenerator(t *testing.T) string {
	t.Helper()
	shared.jar.Do(func() {
		shared.generator, shared.jarError = fetchJar(shared.dir,
			"41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae",
			"org/openapitools/openapi-generator-cli/7.25.0/openapi-generator-cli-7.25.0.jar")
	})
	if shared.jarError != nil {
		t.Fatal(shared.jarError)
	}
	return shared.generator
}

// fetchJar fetches a file of Maven Central, which must have the checksum.
func fetchJar(dir, sum, path string) (file string, err error) {
	file = filepath.Join(dir, filepath.Base(path))
	return file, testenv.Retry(context.Background(), func(ctx context.Context) error {
		client := http.Client{Timeout: limit}
		address := "https://repo1.maven.org/maven2/" + path
		r, err := client.Get(address)
		if err != nil {
			return err
		}
		defer r.Body.Close()
		content, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			return fmt.Errorf("get %s: %s, %v", address, r.Status, err)
		}
		if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
			return fmt.Errorf("%s has the checksum %x", address, got)
		}
		return os.WriteFile(file, content, 0o666)
	})
}

// fetchJars fetches the files that a list names, and returns the class path of them.
func fetchJars(t *testing.T, list, dir string) string {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		sum, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := fetchJar(dir, sum, path); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "*")
}

// venv makes a Python environment with the packages of a requirements file, and returns its
// directory of programs.
func venv(t *testing.T, requirements string) string {
	t.Helper()
	dir := t.TempDir()
	run(t, ".", "python3", "-m", "venv", dir)
	if err := testenv.Install(t.Context(), ".", filepath.Join(dir, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "-r", requirements); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "bin")
}

// form writes a format of a host's description to a file.
func form(t *testing.T, origin, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, bytes.TrimSpace(fetch(t, origin+"/api-docs/"+name)), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
