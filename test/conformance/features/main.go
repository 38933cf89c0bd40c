// Command features compares the features of apidoc, huma and FastAPI: it builds the same small APIs
// with each, sends the same requests, reads the descriptions, and prints a table of the results.
// Run it in the module's directory, with a Python that has the packages of requirements.txt:
//
//	go run ./features -python python3 > features/RESULTS.md
//
// Without -python, FastAPI is left out.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// subject is a section of the table.
type subject struct {
	name     string
	features []feature
}

// subjects are all features.
var subjects = []subject{
	{"Parameters", parameters},
	{"JSON and its rules", rules},
	{"Other bodies of requests", requestBodies},
	{"Responses", responses},
	{"Errors", failures},
	{"Security", security},
	{"Around operations", apps},
	{"The description", described},
	{"Other clients", []feature{tools}},
}

var quiet = slog.New(slog.DiscardHandler)

const introduction = `# Features, tried

The same small APIs in apidoc, huma %s and FastAPI %s, with %s. The program of this directory sent the same requests to all, and
read their descriptions. A cell says how many of these trials worked, and what was seen instead of the others. Each API is written as
the documentation of its library says, with what its own packages bring; FastAPI also with pydantic, Starlette and fastapi-mcp.
`

func main() {
	python := flag.String("python", "", "the Python program that has FastAPI")
	only := flag.String("only", "", "the key of one feature")
	flag.Parse()
	if err := run(*python, *only, os.Stdout, os.Stderr); err != nil {
		log.Fatal(err)
	}
}

// run tests the features and prints the table to w, and the features that apidoc lacks to lacking.
func run(python, only string, w, lacking io.Writer) error {
	fast, err := startFastAPI(python)
	if err != nil {
		return err
	}
	defer fast.stop()
	fmt.Fprintf(w, introduction, version("github.com/danielgtaylor/huma/v2"), fast.version, runtime.Version())
	count, missing, omitted := 0, 0, []string(nil)
	for _, s := range subjects {
		fmt.Fprintf(w, "\n## %s\n\n| feature | apidoc | huma | FastAPI |\n|---|---|---|---|\n", s.name)
		for _, f := range s.features {
			if only != "" && f.key != only {
				continue
			}
			r := fast.row(&f)
			count++
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", cell(f.name), cell(r.own.String()), cell(r.huma.String()), cell(r.fast.String()))
			if len(r.gaps()) == 0 {
				continue
			}
			if missing++; f.isOmitted {
				omitted = append(omitted, f.name)
			} else {
				fmt.Fprintf(lacking, "%s: trials %d work elsewhere but not in apidoc: %s\n", f.name, r.gaps(), r.own)
			}
		}
	}
	fmt.Fprintf(w, "\nOf %d features, %d have something that works in another library but not in apidoc; %d of these it leaves to others on purpose: %s.\n",
		count, missing, len(omitted), strings.Join(omitted, "; "))
	return nil
}

// cell escapes the text of a cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

// version returns the version of a module in this program.
func version(path string) string {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == path {
			return strings.TrimPrefix(m.Version, "v")
		}
	}
	return ""
}
