package exported

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// This file has the shape of options, which CONTRIBUTING.md tells.

// Options returns a line for each type of options of the packages, with the functions that return
// one. The error says which types are no sealed interfaces, and which functions have a name of the
// other kind: options of a constructor begin with With, those of a definition do not. Definitions
// are the types, or packages, whose options are of the second kind.
func Options(dir string, definitions []string, patterns ...string) (string, error) {
	packages, err := load(dir, patterns)
	var lines, faults []string
	for _, pkg := range packages {
		scope := pkg.Scope()
		for _, name := range scope.Names() {
			of, isType := scope.Lookup(name).(*types.TypeName)
			if !isType || !of.Exported() || !strings.HasSuffix(name, "Option") {
				continue
			}
			full := pkg.Path() + "." + name
			if !isSealed(of.Type()) {
				faults = append(faults, full+" is no interface that only its package can implement")
				continue
			}
			isDefinition := slices.Contains(definitions, full) || slices.Contains(definitions, pkg.Path())
			var makers []string
			for _, maker := range scope.Names() {
				f, ok := scope.Lookup(maker).(*types.Func)
				if !ok || !f.Exported() || !returns(f, of.Type()) {
					continue
				}
				makers = append(makers, maker)
				if strings.HasPrefix(maker, "With") == isDefinition {
					faults = append(faults, fmt.Sprintf("%s.%s: a name for another kind of option than %s", pkg.Path(), maker, name))
				}
			}
			lines = append(lines, full+": "+strings.Join(makers, ", ")+"\n")
		}
	}
	if err == nil && faults != nil {
		err = errors.New(strings.Join(faults, "\n"))
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), err
}

// isSealed reports whether other modules cannot implement a type: it is an interface, and a method
// is unexported or has a parameter of an internal package.
func isSealed(t types.Type) bool {
	all, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range all.Methods() {
		if !m.Exported() {
			return true
		}
		for parameter := range m.Signature().Params().Variables() {
			named, ok := parameter.Type().(*types.Named)
			if ok && slices.Contains(strings.Split(named.Obj().Pkg().Path(), "/"), "internal") {
				return true
			}
		}
	}
	return false
}

// returns reports whether a function returns an option alone, of that type or a narrower one.
func returns(f *types.Func, option types.Type) bool {
	results := f.Signature().Results()
	return results.Len() == 1 && types.AssignableTo(results.At(0).Type(), option)
}
