package routing_test

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

// order lists the files of the package from top to bottom. A file uses only what stands below it.
var order = []string{
	"explain.go", "table.go", "mount.go", "serve.go", "response.go", "middleware.go", "dispatch.go", "app.go", "define.go",
	"call.go", "index.go", "route.go", "filter.go", "params.go", "values.go", "context.go", "core.go", "options.go", "errors.go",
	"result.go", "pattern.go",
}

// upward lists what a file uses of one above it, with the reason.
var upward = map[string]string{
	"dispatch.go uses around of middleware.go": "a route's middleware runs in place of its action",
	"middleware.go uses finish of serve.go":    "the next handler of a route's middleware is the rest of the request",
	"middleware.go uses serve of serve.go":     "the next handler of an app's middleware is the app",
	"define.go uses App of app.go":             "a definition belongs to an app, which has the methods of define.go",
	"define.go uses Route of app.go":           "",
	"define.go uses change of app.go":          "",
	"define.go uses filter of app.go":          "",
	"define.go uses parse of app.go":           "",
}

func TestFilesUseOnlyFilesBelow(t *testing.T) {
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
		if !slices.Contains(order, name) {
			t.Errorf("%s is not in the order of files", name)
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}

	// Imported packages are empty, since reading them takes seconds. So the type checker reports
	// errors and does not find every method. The others are found by their names.
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Error: func(error) {}, Importer: none{}}
	pkg, _ := conf.Check("routing", fset, files, info)
	methods := make(map[string][]types.Object)
	for _, object := range info.Defs {
		if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
			methods[f.Name()] = append(methods[f.Name()], f)
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && info.Uses[s.Sel] == nil && !s.Sel.IsExported() && len(methods[s.Sel.Name]) == 1 {
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
		if slices.Index(order, from) <= slices.Index(order, to) {
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

// isOfPackage reports whether an object is declared at the top of the package, or is a method.
func isOfPackage(pkg *types.Package, object types.Object) bool {
	f, isFunc := object.(*types.Func)
	return object.Parent() == pkg.Scope() || isFunc && f.Signature().Recv() != nil
}

// none imports empty packages.
type none struct{}

func (none) Import(path string) (*types.Package, error) {
	return types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:]), nil
}
