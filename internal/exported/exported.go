// Package exported lists the exported names of packages with their signatures, one a line, as the
// api files of Go's own repository do. Tests compare the list with a file, so that every change of
// the public surface is seen in review. It also lists the types of options, and says which of them
// have another shape than all others.
package exported

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// List returns the exported names of the packages that patterns match in the module at dir, sorted.
// Internal and main packages are left out, and those of tests alone. It runs the go command.
func List(dir string, patterns ...string) (string, error) {
	packages, err := load(dir, patterns)
	var lines []string
	for _, pkg := range packages {
		lines = append(lines, linesOf(pkg)...)
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), ""), err
}

// load returns the packages that have a public surface.
func load(dir string, patterns []string) (packages []*types.Package, err error) {
	command := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Name,Export,DepOnly"}, patterns...)...)
	command.Dir = dir
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, &problems)
	}
	files := make(map[string]string) // with the export data of a package
	var wanted []string
	for d := json.NewDecoder(bytes.NewReader(output)); ; {
		var p struct {
			ImportPath, Name, Export string
			DepOnly                  bool
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		files[p.ImportPath] = p.Export
		if !p.DepOnly && p.Export != "" && p.Name != "main" && !slices.Contains(strings.Split(p.ImportPath, "/"), "internal") {
			wanted = append(wanted, p.ImportPath)
		}
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	for _, path := range wanted {
		pkg, err := from.Import(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		packages = append(packages, pkg)
	}
	return packages, nil
}

// linesOf returns a line for each exported name of a package, and for each exported method and
// field.
func linesOf(pkg *types.Package) (lines []string) {
	qualify := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return other.Name()
	}
	add := func(format string, args ...any) {
		lines = append(lines, "pkg "+pkg.Path()+", "+fmt.Sprintf(format, args...)+"\n")
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		named, isType := object.(*types.TypeName)
		if !isType || named.IsAlias() {
			add("%s", types.ObjectString(object, qualify))
			continue
		}
		parameters := ""
		if t, ok := named.Type().(*types.Named); ok && t.TypeParams().Len() > 0 {
			parameters = strings.TrimPrefix(types.TypeString(t, qualify), name)
		}
		switch under := named.Type().Underlying().(type) {
		case *types.Struct:
			add("type %s%s struct", name, parameters)
			for field := range under.Fields() {
				if field.Exported() {
					add("type %s struct, %s %s", name, field.Name(), types.TypeString(field.Type(), qualify))
				}
			}
		case *types.Interface:
			add("type %s%s interface", name, parameters)
		default:
			add("type %s%s %s", name, parameters, types.TypeString(under, qualify))
		}
		methodsOf(named.Type(), func(m *types.Selection) {
			signature := strings.TrimPrefix(types.TypeString(m.Type(), qualify), "func")
			add("method (%s) %s%s", types.TypeString(m.Recv(), qualify), m.Obj().Name(), signature)
		})
	}
	return lines
}

// methodsOf calls yield with the exported methods of a type, also those of embedded types: with a
// pointer as the receiver only if a value does not have them.
func methodsOf(t types.Type, yield func(*types.Selection)) {
	ofValue := types.NewMethodSet(t)
	for m := range ofValue.Methods() {
		if m.Obj().Exported() {
			yield(m)
		}
	}
	if types.IsInterface(t) {
		return
	}
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if m.Obj().Exported() && ofValue.Lookup(m.Obj().Pkg(), m.Obj().Name()) == nil {
			yield(m)
		}
	}
}
