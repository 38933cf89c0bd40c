// Generate writes characters.txt from files of the Unicode Character Database, which are in the
// folder that its argument names:
//
//	go run generate.go /usr/share/unicode >characters.txt
//
// Debian has them in the package unicode-data.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("write the folder of the Unicode Character Database")
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprint(out, `# What the tests of Fold need of the Unicode Character Database 15.0.0 (see LICENSE), by generate.go:
#   assigned FIRST LAST          from UnicodeData.txt, as the next two
#   class FIRST LAST CLASS       canonical combining classes other than 0
#   decomposes CODE CODES        canonical decompositions in one step, without Hangul
#   excluded CODE                from CompositionExclusions.txt
#   folds CODE CODES             full case folding, from CaseFolding.txt
`)
	var assigned, class run
	first := 0
	for _, f := range fields(os.Args[1], "UnicodeData.txt") {
		code := number(f[0])
		switch {
		case strings.HasSuffix(f[1], ", First>"):
			first = code
			continue
		case !strings.HasSuffix(f[1], ", Last>"):
			first = code
		}
		assigned.add(out, "assigned", first, code, "")
		if f[3] != "0" {
			class.add(out, "class", code, code, " "+f[3])
		}
		if f[5] != "" && f[5][0] != '<' {
			fmt.Fprintf(out, "decomposes %s %s\n", f[0], f[5])
		}
	}
	assigned.end(out, "assigned")
	class.end(out, "class")
	for _, f := range fields(os.Args[1], "CompositionExclusions.txt") {
		fmt.Fprintf(out, "excluded %s\n", f[0])
	}
	for _, f := range fields(os.Args[1], "CaseFolding.txt") {
		if f[1] == "C" || f[1] == "F" {
			fmt.Fprintf(out, "folds %s %s\n", f[0], f[2])
		}
	}
}

// run is a range of characters with the same value.
type run struct {
	first, last int
	value       string
	begun       bool
}

// add adds characters, and writes the range if they do not continue it.
func (r *run) add(out *bufio.Writer, kind string, first, last int, value string) {
	if r.begun && first == r.last+1 && value == r.value {
		r.last = last
		return
	}
	r.end(out, kind)
	*r = run{first, last, value, true}
}

func (r *run) end(out *bufio.Writer, kind string) {
	if r.begun {
		fmt.Fprintf(out, "%s %04X %04X%s\n", kind, r.first, r.last, r.value)
	}
}

// fields returns the fields of a file's lines, without comments.
func fields(folder, name string) (all [][]string) {
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		values := strings.Split(line, ";")
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		all = append(all, values)
	}
	return all
}

func number(text string) int {
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil {
		log.Fatal(err)
	}
	return int(n)
}
