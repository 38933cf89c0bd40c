package pattern

import (
	"errors"
	"fmt"
	"regexp"
	tree "regexp/syntax"
	"slices"
	"strings"
)

// expression is the regular expression of a Regexp pattern, or of a pattern with partial segments.
type expression struct {
	re    *regexp.Regexp
	names []string // by the numbers of groups; empty for a group without a name
	first int      // this group and later ones are values of "captures" too, even if they did not match; 0 for none
}

// capturesKey is the name of all groups of a Regexp pattern.
const capturesKey = "captures"

// newExpression returns the expression of the paths that tokens match.
func newExpression(tokens []Token) (*expression, error) {
	re, err := regexp.Compile(`\A` + expressionOf(tokens, false) + `\z`)
	if err != nil {
		return nil, fmt.Errorf("parts are nested too deeply: %v", err)
	}
	return &expression{re: re, names: append([]string{""}, keysOf(tokens)...)}, nil
}

// expressionOf returns tokens as a regular expression, whose groups have the names of the
// parameters if named is true.
func expressionOf(tokens []Token, named bool) string {
	var b strings.Builder
	for _, t := range tokens {
		switch t.Kind {
		case Literal:
			b.WriteString(regexp.QuoteMeta(t.Text))
			continue
		case Choice, Optional:
			var choices []string
			for _, tokens := range t.Choices {
				choices = append(choices, expressionOf(tokens, named))
			}
			b.WriteString("(?:" + strings.Join(choices, "|") + ")")
			continue
		}
		value, name := "[^/]+", ""
		switch {
		case t.class != nil:
			value = t.class.text
		case t.Kind == Wildcard:
			value = "(?s:.*?)"
		}
		switch {
		case t.Text == "":
			name = "?:"
		case named:
			name = "?P<" + t.Text + ">"
		}
		b.WriteString("(" + name + value + ")")
	}
	return b.String()
}

// match reports whether the expression matches path.
func (e *expression) match(path string) bool { return e.re.MatchString(path) }

// keys returns the names of all values, in order.
func (e *expression) keys() (keys []string) {
	for i, name := range e.names[1:] {
		if e.isCapture(i + 1) {
			keys = append(keys, capturesKey)
		}
		if name != "" {
			keys = append(keys, name)
		}
	}
	return keys
}

// has reports whether a value may have the name key.
func (e *expression) has(key string) bool {
	return e.first > 0 && key == capturesKey || slices.Contains(e.names, key)
}

// isCapture reports whether a group is a value of "captures".
func (e *expression) isCapture(group int) bool { return e.first > 0 && group >= e.first }

// each calls yield with the names and values in path, which matches.
func (e *expression) each(path string, yield func(key, value string) bool) {
	if len(e.names) == 1 {
		return
	}
	found := e.re.FindStringSubmatchIndex(path) // nil if the path was changed after it matched
	for i := 1; 2*i < len(found); i++ {
		value, matched := "", found[2*i] >= 0
		if matched {
			value = path[found[2*i]:found[2*i+1]]
		}
		if e.isCapture(i) && !yield(capturesKey, value) || matched && e.names[i] != "" && !yield(e.names[i], value) {
			return
		}
	}
}

// literalPrefix returns the literal text at the beginning of all paths that an expression matches.
// It is empty if the expression is not anchored.
func literalPrefix(expression string) string {
	program, err := programOf(expression)
	if err != nil || program.StartCond()&tree.EmptyBeginText == 0 {
		return ""
	}
	first := &program.Inst[program.Start]
	for first.Op == tree.InstEmptyWidth || first.Op == tree.InstCapture || first.Op == tree.InstNop {
		program.Start = int(first.Out) // Prefix stops at the anchor
		first = &program.Inst[program.Start]
	}
	prefix, _ := program.Prefix()
	return prefix
}

// unanchored returns the expression inside of \A(?s:…)\z. It is for the pattern of a route below a
// prefix, so it must begin with a slash and have no other anchors.
func unanchored(text string) (string, error) {
	rest, hasBegin := strings.CutPrefix(text, `\A(?s:`)
	rest, hasEnd := strings.CutSuffix(rest, `)\z`)
	program, err := programOf(rest)
	if !hasBegin || !hasEnd || err != nil {
		return "", errors.New("use WholeRegexp, since a group has the beginning of a path and its patterns the rest")
	}
	const anchors = tree.EmptyBeginLine | tree.EmptyEndLine | tree.EmptyBeginText | tree.EmptyEndText
	for _, in := range program.Inst {
		if in.Op == tree.InstEmptyWidth && tree.EmptyOp(in.Arg)&anchors != 0 {
			return "", errors.New("leave the anchors out: the path matches as a whole")
		}
	}
	if !strings.HasPrefix(literalPrefix(`\A(?s:`+rest+`)`), "/") {
		return "", errors.New("begin with a slash: it also matches paths outside of the group, which its filters would miss")
	}
	return "(?s:" + rest + ")", nil
}

// programOf returns the instructions of an expression.
func programOf(expression string) (*tree.Prog, error) {
	parsed, err := tree.Parse(expression, tree.Perl)
	if err != nil {
		return nil, err
	}
	return tree.Compile(parsed.Simplify())
}
