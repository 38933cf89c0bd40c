package pattern

import (
	"fmt"
	"regexp"
	tree "regexp/syntax"
	"slices"
	"strings"
)

// expression is the regular expression of a Regexp pattern, or of one with partial segments.
type expression struct {
	re    *regexp.Regexp
	names []string // by the numbers of groups; empty for a group without a name
	all   bool     // all groups are also values of "captures", empty ones if they took no part
}

// capturesKey is the name of all groups of a Regexp pattern.
const capturesKey = "captures"

// searchFor returns the expression of a Regexp pattern.
func searchFor(text string) *expression {
	re := regexp.MustCompile(text)
	return &expression{re: re, names: re.SubexpNames(), all: true}
}

// matching returns the expression that matches tokens.
func matching(tokens []Token) (*expression, error) {
	re, err := regexp.Compile(`\A` + expressionOf(tokens, false) + `\z`)
	if err != nil {
		return nil, mistake{0, fmt.Sprintf("parts are nested too deeply: %v", err)}
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
		if named {
			name = "?P<" + t.Text + ">"
		}
		b.WriteString("(" + name + value + ")")
	}
	return b.String()
}

func (e *expression) match(path string) bool { return e.re.MatchString(path) }

// keys returns the names of all values, in order.
func (e *expression) keys() (keys []string) {
	for _, name := range e.names[1:] {
		if e.all {
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
	return e.all && key == capturesKey || slices.Contains(e.names, key)
}

// each calls yield with the names and values in path, which matches.
func (e *expression) each(path string, yield func(key, value string) bool) {
	if len(e.names) == 1 {
		return
	}
	found := e.re.FindStringSubmatchIndex(path) // nil if the path was changed after it matched
	for i := 1; 2*i < len(found); i++ {
		value, took := "", found[2*i] >= 0
		if took {
			value = path[found[2*i]:found[2*i+1]]
		}
		if e.all && !yield(capturesKey, value) || took && e.names[i] != "" && !yield(e.names[i], value) {
			return
		}
	}
}

// literalPrefix returns a text that all paths start with that an expression matches. It is empty
// if the expression is not anchored.
func literalPrefix(expression string) string {
	program, err := programOf(expression)
	if err != nil || program.StartCond()&tree.EmptyBeginText == 0 {
		return ""
	}
	first := &program.Inst[program.Start]
	for first.Op == tree.InstEmptyWidth || first.Op == tree.InstCapture || first.Op == tree.InstNop {
		program.Start = int(first.Out) // Prefix does not look behind the anchor
		first = &program.Inst[program.Start]
	}
	prefix, _ := program.Prefix()
	return prefix
}

// programOf returns the instructions of an expression.
func programOf(expression string) (*tree.Prog, error) {
	parsed, err := tree.Parse(expression, tree.Perl)
	if err != nil {
		return nil, err
	}
	return tree.Compile(parsed.Simplify())
}
