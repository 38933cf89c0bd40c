package specification_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A package imports only packages in its own row of ARCHITECTURE.md and below.
func TestRowsOfArchitecture(t *testing.T) {
	t.Chdir(root)
	const module = "example.com/flowercafe"
	table, _, _ := strings.Cut(readFile(t, "ARCHITECTURE.md"), "\n## Where to start reading")
	rows := make(map[string]int)
	name := regexp.MustCompile("`([a-z0-9/]+)`")
	for row, line := range strings.Split(table, "\n") {
		line, isRow := strings.CutPrefix(line, "| ")
		if !isRow {
			continue
		}
		cell, _, _ := strings.Cut(line, " |")
		for _, match := range name.FindAllStringSubmatch(cell, -1) {
			path := module + "/" + match[1]
			if match[1] == "flowercafe" {
				path = module
			}
			rows[path] = row
		}
	}
	list, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(list)) {
		imports := strings.Fields(line)
		row, listed := rows[imports[0]]
		if !listed {
			continue // an example or a test
		}
		for _, path := range imports[1:] {
			if !strings.HasPrefix(path, module) {
				continue
			}
			if below, listed := rows[path]; !listed || below < row {
				t.Errorf("%s imports %s, which is not in its row or below", imports[0], path)
			}
			checked++
		}
	}
	if checked < 50 {
		t.Errorf("found only %d imports", checked)
	}
}
