package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// This file finds what can be changed in a package, and writes the package with all its mutants in
// it: each is switched on by its number, so that one test binary has them all.

// mutant is one change of the source.
type mutant struct {
	number int
	pkg    string // its folder
	name   string // the file and function, what was, and what becomes of it
	line   int
}

// switches is what each mutated package gets: mutant N is on if MUTANT is N.
const switches = `

var mutantOn, _ = strconv.Atoi(os.Getenv("MUTANT"))

func mutant(n int) bool { return n == mutantOn }

func mutantZero[T any](n int, v T) T {
	if mutant(n) {
		var zero T
		return zero
	}
	return v
}

func mutantLess[T int | int64 | uint8 | uint | uint64 | int32 | uint32](n int, v T) T {
	if mutant(n) {
		return v - 1
	}
	return v
}
`

// source is one file while its mutants are put in.
type source struct {
	pkg      *packages.Package
	file     *ast.File
	text     string
	path     string
	function string
	inserts  []insert
	failed   []*ast.ReturnStmt // of an error that is not nil
	found    *[]*mutant
}

// insert is text at an offset of the file. What opens goes behind what closes there.
type insert struct {
	at    int
	opens bool
	text  string
}

// mutate returns the text of a file with its mutants, which it adds to found.
func mutate(pkg *packages.Package, file *ast.File, path, text string, found *[]*mutant) string {
	s := &source{pkg: pkg, file: file, path: path, text: text, found: found}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			s.function = f.Name.Name
			ast.Inspect(f.Body, s.visit)
		}
	}
	return s.rewritten()
}

// visit looks at a node and makes its mutants. Outer nodes come before inner ones.
func (s *source) visit(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.IfStmt:
		s.negate(node.Cond)
		s.failed = append(s.failed, failing(node)...)
	case *ast.ForStmt:
		if node.Cond != nil {
			s.negate(node.Cond)
		}
	case *ast.SwitchStmt:
		if node.Tag == nil {
			for _, clause := range node.Body.List {
				for _, cond := range clause.(*ast.CaseClause).List {
					s.negate(cond)
				}
			}
		}
	case *ast.BinaryExpr:
		s.binary(node)
	case *ast.ReturnStmt:
		results := node.Results
		if last := len(results) - 1; last > 0 && (slices.Contains(s.failed, node) || isNewError(results[last])) {
			results = results[last:] // nobody looks at results beside an error
		}
		for _, result := range results {
			s.result(result)
		}
	}
	return true
}

// failing returns the return statements of "if err != nil" that return err.
func failing(node *ast.IfStmt) (found []*ast.ReturnStmt) {
	cond, _ := node.Cond.(*ast.BinaryExpr)
	if cond == nil || cond.Op != token.NEQ {
		return nil
	}
	err, _ := cond.X.(*ast.Ident)
	if zero, _ := cond.Y.(*ast.Ident); err == nil || zero == nil || zero.Name != "nil" {
		return nil
	}
	for _, statement := range node.Body.List {
		if r, ok := statement.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
			if last, ok := r.Results[len(r.Results)-1].(*ast.Ident); ok && last.Name == err.Name {
				found = append(found, r)
			}
		}
	}
	return found
}

// isNewError reports whether an expression is an error that cannot be nil.
func isNewError(e ast.Expr) bool {
	call, _ := e.(*ast.CallExpr)
	if call == nil {
		return false
	}
	function, _ := call.Fun.(*ast.SelectorExpr)
	if function == nil {
		return false
	}
	of, _ := function.X.(*ast.Ident)
	return of != nil && slices.Contains([]string{"errors.New", "fmt.Errorf"}, of.Name+"."+function.Sel.Name)
}

func (s *source) binary(e *ast.BinaryExpr) {
	switch e.Op {
	case token.LAND:
		s.wrap(e.X, "(mutant(%d) || (", "))", "true &&")
		s.wrap(e.Y, "(mutant(%d) || (", "))", "&& true")
	case token.LOR:
		s.wrap(e.X, "(!mutant(%d) && (", "))", "false ||")
		s.wrap(e.Y, "(!mutant(%d) && (", "))", "|| false")
	case token.LSS, token.GTR:
		if pure(e.X) && pure(e.Y) {
			s.wrap(e, "(mutant(%d) && ("+s.of(e.X)+") == ("+s.of(e.Y)+") || ", ")", e.Op.String()+"=")
		}
	case token.LEQ, token.GEQ:
		if pure(e.X) && pure(e.Y) {
			s.wrap(e, "(!(mutant(%d) && ("+s.of(e.X)+") == ("+s.of(e.Y)+")) && ", ")", e.Op.String()[:1])
		}
	case token.ADD, token.SUB:
		literal, ok := e.Y.(*ast.BasicLit)
		constant := s.pkg.TypesInfo.Types[e].Value != nil
		if basic, isBasic := s.pkg.TypesInfo.TypeOf(e).(*types.Basic); ok && literal.Kind == token.INT && isBasic && !constant {
			s.wrap(literal, "mutantLess["+basic.Name()+"](%d, ", ")", literal.Value+" - 1")
		}
	}
}

// negate makes the opposite of a condition. A case of a switch may be an interface: it is left.
func (s *source) negate(cond ast.Expr) {
	if basic, ok := s.pkg.TypesInfo.TypeOf(cond).Underlying().(*types.Basic); !ok || basic.Info()&types.IsBoolean == 0 {
		return
	}
	s.wrap(cond, "(mutant(%d) != (", "))", "not")
}

// result makes the zero value of a result, or the opposite of a boolean one.
func (s *source) result(e ast.Expr) {
	value := s.pkg.TypesInfo.Types[e]
	basic, _ := value.Type.(*types.Basic)
	_, tuple := value.Type.(*types.Tuple)
	literal, _ := ast.Unparen(e).(*ast.CompositeLit)
	switch {
	case basic != nil && basic.Info()&types.IsBoolean != 0:
		s.wrap(e, "(mutant(%d) != (", "))", "not")
	case value.IsNil(), value.Value != nil, tuple, literal != nil && len(literal.Elts) == 0:
	default:
		s.wrap(e, "mutantZero(%d, ", ")", "zero")
	}
}

// wrap puts a mutant around an expression. The text before it has the place of its number.
func (s *source) wrap(e ast.Expr, before, after, change string) {
	m := &mutant{
		number: len(*s.found) + 1,
		pkg:    filepath.Dir(s.path),
		name:   fmt.Sprintf("%s %s: %s: %s", s.path, s.function, strings.Join(strings.Fields(s.of(e)), " "), change),
		line:   s.pkg.Fset.Position(e.Pos()).Line,
	}
	*s.found = append(*s.found, m)
	s.inserts = append(s.inserts,
		insert{s.offset(e.Pos()), true, fmt.Sprintf(before, m.number)},
		insert{s.offset(e.End()), false, after})
}

// rewritten returns the text with all that was put in.
func (s *source) rewritten() string {
	// The ends of inner expressions come before those of outer ones, which were found first.
	slices.Reverse(s.inserts)
	closing := slices.DeleteFunc(slices.Clone(s.inserts), func(i insert) bool { return i.opens })
	slices.Reverse(s.inserts)
	opening := slices.DeleteFunc(slices.Clone(s.inserts), func(i insert) bool { return !i.opens })
	all := append(closing, opening...)
	slices.SortStableFunc(all, func(a, b insert) int { return a.at - b.at })

	var b strings.Builder
	last := 0
	for _, i := range all {
		b.WriteString(s.text[last:i.at])
		b.WriteString(i.text)
		last = i.at
	}
	b.WriteString(s.text[last:])
	return b.String()
}

func (s *source) offset(pos token.Pos) int { return s.pkg.Fset.Position(pos).Offset }

func (s *source) of(e ast.Expr) string { return s.text[s.offset(e.Pos()):s.offset(e.End())] }

// pure reports whether an operand may be read twice.
func pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			name, isName := node.Fun.(*ast.Ident)
			ok = ok && isName && (name.Name == "len" || name.Name == "cap" || name.Name == "int")
		case *ast.UnaryExpr:
			ok = ok && node.Op != token.ARROW
		case *ast.FuncLit:
			ok = false
		}
		return ok
	})
	return ok
}
