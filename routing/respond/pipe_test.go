//go:build unix

package respond_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe/routing/respond"
)

// Pipes are not opened, since that would block. A link to itself is no file. Links must not lead out
// of a root.
func TestPipesAndLinks(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "public")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(outside, "secret"), []byte(secret), 0o666),
		os.Symlink("../secret", filepath.Join(dir, "link")), os.Symlink("loop", filepath.Join(dir, "loop")),
		exec.Command("mkfifo", filepath.Join(dir, "pipe")).Run()); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	app, _ := quiet()
	app.Get("/*", respond.Files(root.FS()))
	app.Get("/dir/*", respond.Files(os.DirFS(dir)))
	for _, path := range []string{"/pipe", "/dir/pipe", "/loop", "/dir/loop", "/loop/x", "/dir/loop/x", "/dir/loop/"} {
		if got := get(t, app, path); !strings.HasPrefix(got, "404 ") {
			t.Errorf("%s: got %q", path, got)
		}
	}
	if got := get(t, app, "/link"); !strings.HasPrefix(got, "500 ") || strings.Contains(got, secret) {
		t.Errorf("a link that leaves the root: got %q", got)
	}
}
