package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// This file runs the FastAPI program.

// fastAPI is the running program. The zero value has no program.
type fastAPI struct {
	origin, version string
	process         *exec.Cmd
}

// startFastAPI starts features.py with a Python that has FastAPI. An empty name starts nothing.
func startFastAPI(python string) (f fastAPI, err error) {
	if python == "" {
		return f, nil
	}
	f.process = exec.Command(python, "features/features.py")
	f.process.Stderr = os.Stderr
	out, err := f.process.StdoutPipe()
	if err != nil {
		return f, err
	}
	if err := f.process.Start(); err != nil {
		return f, err
	}
	line, err := bufio.NewReader(out).ReadString('\n') // it listens already
	if err != nil {
		f.stop()
		return f, fmt.Errorf("start features.py: %w", err)
	}
	f.version, f.origin, _ = strings.Cut(strings.TrimSpace(line), " ")
	return f, nil
}

// stop ends the program.
func (f fastAPI) stop() {
	if f.process != nil {
		f.process.Process.Kill() // it has nothing to save
		f.process.Wait()         // returns that it was killed
	}
}

// row has the outcomes of a feature in the libraries.
type row struct{ own, huma, fast outcome }

// row tests a feature in all libraries.
func (f fastAPI) row(one *feature) row {
	r := row{own: one.tryGo(one.apidoc, "/api-docs/openapi.json"), huma: one.tryGo(one.huma, "/openapi.json")}
	if f.origin != "" {
		r.fast = one.try(service{f.origin + "/" + one.key, cmp.Or(one.document, "/openapi.json")})
	}
	return r
}

// gaps returns the numbers of the probes that work elsewhere but not in apidoc.
func (r row) gaps() []int { return gaps(r.own, r.huma, r.fast) }
