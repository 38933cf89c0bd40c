package specification_test

import (
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// root is the folder of the module.
const root = "../.."

// The README's program for the applications is the first Example.
func TestREADME(t *testing.T) {
	t.Chdir(root)
	_, rest, _ := strings.Cut(readFile(t, "example_test.go"), "func Example() {\n")
	body, _, _ := strings.Cut(rest, "\n}\n")
	shop := "\t" + strings.ReplaceAll(goBlock(t, "<!-- the first Example of package flowercafe; a test compares them -->"), "\n", "\n\t")
	if shop != body {
		t.Errorf("the README's shop is\n%s\nand the Example\n%s", shop, body)
	}
}

// Each Go block of the guides, and each of the README but for its programs, consists of lines
// of a Go file that is compiled, in the same order.
func TestGoBlocks(t *testing.T) {
	t.Chdir(root)
	guides, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	marked := regexp.MustCompile("(?s)<!-- lines of (\\S+); a test compares them -->\n```go\n(.*?)```")
	for _, document := range append(guides, "README.md") {
		if document == filepath.FromSlash("docs/tutorial.md") {
			continue // TestTutorial runs it
		}
		text := readFile(t, document)
		blocks := marked.FindAllStringSubmatch(text, -1)
		programs := 0
		if document == "README.md" {
			programs = 3
		}
		if all := strings.Count(text, "```go\n"); all != len(blocks)+programs {
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

// Files and headings to which documents link exist.
func TestLinks(t *testing.T) {
	t.Chdir(root)
	link := regexp.MustCompile(`\]\(([^)\s:#]*)(?:#([^)\s]*))?\)`)
	err := filepath.WalkDir(".", func(document string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if filepath.Ext(document) != ".md" {
			return nil
		}
		for _, match := range link.FindAllStringSubmatch(readFile(t, document), -1) {
			target := document
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(document), match[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", document, match[1])
			} else if match[2] != "" && !slices.Contains(anchors(readFile(t, target)), match[2]) {
				t.Errorf("%s links to %s, which has no heading #%s", document, target, match[2])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// anchors returns the anchors of the headings of a document, as GitHub makes them.
func anchors(document string) (all []string) {
	for line := range strings.Lines(document) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			all = append(all, strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, heading))
		}
	}
	return all
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

// The README's install commands, run in an empty module beside each of its programs, leave a module
// that builds. The program serves the paths that the README names. The router requires no other
// module. The test is skipped if the module proxy cannot be reached and the cache lacks a module.
func TestREADMEPrograms(t *testing.T) {
	t.Chdir(root)
	if os.Getenv("FLOWERCAFE_LONG") == "" {
		t.Skip("FLOWERCAFE_LONG=1 builds programs")
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
	shop = "package main\n\nimport (\n\t\"log\"\n\t\"net/http\"\n\n\t\"example.com/flowercafe\"\n\t\"example.com/flowercafe/apidoc/viewer\"\n" +
		"\t\"example.com/flowercafe/flowercatalog\"\n)\n\nfunc main() {\n" + shop + "\n}\n"
	for _, c := range []struct {
		name, program string
		alone         bool // needs no other module
		paths         []string
	}{
		{"router", goBlock(t, "<!-- the router; TestREADMEPrograms runs this program -->"), true, []string{"/hello/ann"}},
		{"typed operations", goBlock(t, "<!-- typed operations; TestREADMEPrograms runs this program -->"), false, []string{"/pears/1", "/api-docs/ui/", "/api-docs"}},
		{"shop", shop, false, []string{
			"/shop", "/shop/", "/shop/flowers/", "/shop/api-docs", "/shop/api-docs/ui/",
			"/shop/api-docs/openapi.json", "/shop/api-docs/swagger.json", "/shop/api-docs/spec.json",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, address := t.TempDir(), freeAddress(t)
			program := strings.ReplaceAll(c.program, "127.0.0.1:8080", address)
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
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
			if required := readFile(t, filepath.Join(dir, "go.mod")); c.alone && strings.Contains(required, "// indirect") {
				t.Errorf("the program requires other modules:\n%s", required)
			}
			running := exec.CommandContext(t.Context(), filepath.Join(dir, "program"))
			running.Stderr = os.Stderr
			if err := running.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				running.Process.Kill()
				running.Wait()
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
			for _, path := range c.paths {
				response, err := http.Get("http://" + address + path)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				if response.StatusCode != http.StatusOK {
					t.Errorf("%s: got %d", path, response.StatusCode)
				}
			}
			http.DefaultClient.CloseIdleConnections()
		})
	}
}

// freeAddress returns an address that was free a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
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
