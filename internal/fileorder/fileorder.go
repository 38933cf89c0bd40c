// Package fileorder checks the dependencies between the files of a package, in tests.
package fileorder

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Check fails the test if a file of the package in the working directory uses a file that is above
// it in order. Files in one row, separated by spaces, tell one thing and may use each other. upward
// maps each exception, such as "a.go uses f of b.go", to its reason. An unused exception fails too.
func Check(t *testing.T, order []string, upward map[string]string) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		if rowOf(order, name) < 0 {
			t.Errorf("%s is not in the order of files", name)
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}

	// Imported packages are empty, since loading them takes seconds. So the type checker reports
	// errors and does not resolve every method. Other methods are found by the names in calls.
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Error: func(error) {}, Importer: none{}}
	pkg, _ := conf.Check("", fset, files, info)
	methods := make(map[string][]types.Object)
	for _, object := range info.Defs {
		if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
			methods[f.Name()] = append(methods[f.Name()], f)
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && info.Uses[s.Sel] == nil && !s.Sel.IsExported() && len(methods[s.Sel.Name]) == 1 {
				info.Uses[s.Sel] = methods[s.Sel.Name][0]
			}
			return true
		})
	}

	unused := make(map[string]bool)
	for use := range upward {
		unused[use] = true
	}
	for id, object := range info.Uses {
		if object.Pkg() != pkg || !isOfPackage(pkg, object) {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if rowOf(order, from) <= rowOf(order, to) {
			continue
		}
		use := from + " uses " + object.Name() + " of " + to
		delete(unused, use)
		if _, known := upward[use]; !known {
			t.Errorf("%s, which stands above it (%s)", use, fset.Position(id.Pos()))
		}
	}
	for use := range unused {
		t.Errorf("%s no more: take it off the list", use)
	}
}

// rowOf returns the row of a file, or -1.
func rowOf(order []string, name string) int {
	return slices.IndexFunc(order, func(row string) bool { return slices.Contains(strings.Fields(row), name) })
}

// isOfPackage reports whether an object is declared at the top of the package, or is a method.
func isOfPackage(pkg *types.Package, object types.Object) bool {
	f, isFunc := object.(*types.Func)
	return object.Parent() == pkg.Scope() || isFunc && f.Signature().Recv() != nil
}

// none is an importer that returns empty packages.
type none struct{}

func (none) Import(path string) (*types.Package, error) {
	return types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:]), nil
}
