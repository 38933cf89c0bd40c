package main

import (
	"archive/tar"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// This file adds an earlier commit to the program, as a module with another name in a temporary
// directory. The commit's own package engine is used; commits without one get that of
// testdata/before.

const (
	modulePath  = "example.com/flowercafe"
	earlierPath = "example.com/flowercafe-before"
)

// inPlaceOfBefore replaces before.go if there is an earlier commit.
const inPlaceOfBefore = `package main

import "` + earlierPath + `/benchmarks/engine"

func before() []ours {
	return []ours{{"before", engine.Table, engine.Passes, engine.Filters, engine.Hosts}}
}
`

//go:embed testdata/before/engine.go
var engineBefore []byte

// addBefore makes p be built with the router of the commit. The returned function removes the
// temporary files.
func (p *program) addBefore(ctx context.Context, commit string) (remove func(), err error) {
	dir, err := os.MkdirTemp("", "benchmarks-before-")
	if err != nil {
		return nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			remove()
		}
	}()
	earlier := filepath.Join(dir, "earlier")
	if err := checkOut(ctx, commit, earlier); err != nil {
		return nil, err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	mod = bytes.ReplaceAll(mod, []byte(modulePath+" => ../"), []byte(modulePath+" => "+filepath.Dir(here)))
	mod = fmt.Appendf(mod, "\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", earlierPath, earlier)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(here, "before.go"): filepath.Join(dir, "before.go"),
	}})
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		"go.mod": mod, "go.sum": sum, "overlay.json": overlay, "before.go": []byte(inPlaceOfBefore),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	p.flags = []string{"-modfile=" + filepath.Join(dir, "go.mod"), "-overlay=" + filepath.Join(dir, "overlay.json")}
	return remove, nil
}

// checkOut writes the Go files of a commit's main module and the package engine to dir, with
// another module path.
func checkOut(ctx context.Context, commit, dir string) error {
	git := exec.CommandContext(ctx, "git", "-C", "..", "archive", commit)
	var archive, complaint bytes.Buffer
	git.Stdout, git.Stderr = &archive, &complaint
	if err := git.Run(); err != nil {
		return fmt.Errorf("git archive %s: %w: %s", commit, err, complaint.Bytes())
	}
	files, err := filesOf(&archive)
	if err != nil {
		return err
	}
	const adapter = "benchmarks/engine/engine.go"
	if _, ok := files[adapter]; !ok {
		files[adapter] = engineBefore
	}
	for name, content := range files {
		if path := filepath.Dir(name); strings.HasPrefix(path, "benchmarks") && path != filepath.Dir(adapter) {
			continue // a nested module
		}
		content = bytes.ReplaceAll(content, []byte(modulePath), []byte(earlierPath))
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// filesOf reads the Go files and go.mod of an archive.
func filesOf(archive io.Reader) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for r := tar.NewReader(archive); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if filepath.Ext(header.Name) != ".go" && header.Name != "go.mod" {
			continue
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}
