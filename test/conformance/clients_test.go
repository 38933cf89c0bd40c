package conformance

import (
	"os"
	"path/filepath"
	"testing"

	_ "github.com/oapi-codegen/runtime" // pins a dependency of generated clients in go.mod and go.sum
	_ "github.com/ogen-go/ogen/ogenerrors"
	_ "github.com/ogen-go/ogen/otelogen"
	_ "github.com/ogen-go/ogen/uri"
	_ "golang.org/x/oauth2"
	_ "gopkg.in/validator.v2"

	"example.com/flowercafe/apidoc/conformance/internal/nursery"
	"example.com/flowercafe/apidoc/conformance/internal/stock"
)

// transcript is the output of each client's program: it reads and writes items, loads and stores an
// image, uploads a file, sends an order of a recursive type (and reads a false whose default is
// true), logs in, and gets an error.
const transcript = `item Tea rose 12.50 yellow [old]
listed 1 of 1
exported RO0002,"Tea rose"
created Lily 3.00 45.5 6
refused /name
photo true
stored true
uploaded Roses true [photo.png]
ordered 2 placed false
logged in true
deleted 404
`

// clients are the generators and the formats that they read. make generates a client in a directory
// that already has the program of testdata/clients, and returns the command that runs it.
var clients = []struct {
	name  string
	form  string
	needs []string // besides Go
	make  func(t *testing.T, dir, form string) []string
}{
	{"ogen", "openapi-3.0.json", nil, makeOgen},
	{"oapi-codegen", "openapi-3.0.json", nil, makeOapiCodegen},
	{"openapi-generator-go", "openapi.json", []string{"java"}, makeGo},
	{"openapi-generator-python", "openapi.json", []string{"java", "python3"}, makePython},
	{"openapi-generator-typescript", "openapi.json", []string{"java", "npm"}, makeTypeScript},
	{"openapi-generator-java", "openapi.json", []string{"java", "javac"}, makeJava},
	{"openapi-typescript", "openapi.json", []string{"npm"}, makeOpenapiTypescript},
	{"hey-api", "openapi.json", []string{"npm"}, makeHeyAPI},
}

// Generated clients compile, call the host at its base path, and read the right values.
func TestClients(t *testing.T) {
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			if c.needs != nil {
				wantAll(t, c.needs...)
			}
			host, err := nursery.New("/a")
			if err != nil {
				t.Fatal(err)
			}
			address := serve(t, host) + "/a"
			dir := newModule(t)
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata/clients", c.name))); err != nil {
				t.Fatal(err)
			}
			photo := filepath.Join(t.TempDir(), "photo.png")
			if err := os.WriteFile(photo, stock.PNG, 0o666); err != nil {
				t.Fatal(err)
			}
			program := c.make(t, dir, form(t, address, c.form))
			if got := run(t, dir, program[0], append(program[1:], address, photo)...); got != transcript {
				t.Errorf("the program prints\n%s\nwant\n%s", got, transcript)
			}
		})
	}
}

func makeOgen(t *testing.T, dir, form string) []string {
	run(t, dir, goTool(t, "ogen"), "--target", "api", "--package", "api", "--config", "ogen.yml", form)
	return goProgram(t, dir)
}

func makeOapiCodegen(t *testing.T, dir, form string) []string {
	if err := os.Mkdir(filepath.Join(dir, "api"), 0o777); err != nil {
		t.Fatal(err)
	}
	run(t, dir, goTool(t, "oapi-codegen"), "-generate", "types,client", "-package", "api", "-o", "api/api.go", form)
	return goProgram(t, dir)
}

func makeGo(t *testing.T, dir, form string) []string {
	generate(t, "go", form, filepath.Join(dir, "nursery"), "withGoMod=false,packageName=nursery")
	os.RemoveAll(filepath.Join(dir, "nursery/test")) // needs npm modules
	return goProgram(t, dir)
}

// goProgram builds a Go program, and returns the command that runs it.
func goProgram(t *testing.T, dir string) []string {
	run(t, dir, "go", "build", "./...")
	return []string{"go", "run", "."}
}

func makePython(t *testing.T, dir, form string) []string {
	generate(t, "python", form, dir, "packageName=nursery")
	return []string{filepath.Join(venv(t, filepath.Join("testdata/clients/openapi-generator-python/requirements.txt")), "python"), "main.py"}
}

func makeTypeScript(t *testing.T, dir, form string) []string {
	generate(t, "typescript-fetch", form, filepath.Join(dir, "api"), "")
	return bundled(t, dir)
}

func makeOpenapiTypescript(t *testing.T, dir, form string) []string {
	run(t, dir, npmTool(t, "openapi-typescript"), form, "-o", "api.d.ts")
	return bundled(t, dir)
}

func makeHeyAPI(t *testing.T, dir, form string) []string {
	run(t, dir, npmTool(t, "openapi-ts"), "-i", form, "-o", "api", "-c", "@hey-api/client-fetch", "--no-log-file")
	return bundled(t, dir)
}

// bundled type-checks a TypeScript program and bundles it into one file.
func bundled(t *testing.T, dir string) []string {
	tsc, esbuild := npmTool(t, "tsc"), npmTool(t, "esbuild")
	if err := os.Symlink(shared.npmModules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	copyFile(t, "testdata/clients/tsconfig.json", filepath.Join(dir, "tsconfig.json"))
	run(t, dir, tsc, "-p", ".")
	run(t, dir, esbuild, "main.ts", "--bundle", "--platform=node", "--format=esm", "--log-level=error", "--outfile=main.mjs")
	return []string{"node", "main.mjs"}
}

func makeJava(t *testing.T, dir, form string) []string {
	jars := fetchJars(t, "testdata/clients/openapi-generator-java/jars.txt", t.TempDir())
	generate(t, "java", form, filepath.Join(dir, "client"), "")
	sources := []string{"-nowarn", "-d", "classes", "-cp", jars, "Main.java"}
	err := filepath.WalkDir(filepath.Join(dir, "client/src/main/java"), func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".java" {
			sources = append(sources, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, "javac", sources...)
	return []string{"java", "-cp", "classes" + string(filepath.ListSeparator) + jars, "Main"}
}

// generate runs openapi-generator.
func generate(t *testing.T, language, form, to, properties string) {
	args := []string{"-jar", openapiGenerator(t), "generate", "-g", language, "-i", form, "-o", to}
	if properties != "" {
		args = append(args, "--additional-properties", properties)
	}
	run(t, ".", "java", args...)
}
