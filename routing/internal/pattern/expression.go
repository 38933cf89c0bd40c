package pattern

import (
	"fmt"
	"regexp"
	tree "regexp/syntax"
	"slices"
	"strings"
)

// expression is the regular expression of a pattern with partial segments.
type expression struct {
	re     *regexp.Regexp
	groups []group
	absent bool // "captures" that took no part are empty instead of left out
}

// group is a parameter: its name, and the number of its group in the expression.
type group struct {
	key    string
	number int
}

// capturesKey is the name of all groups of a Regexp pattern.
const capturesKey = "captures"

// searchFor returns the expression of a Regexp pattern. All groups are "captures", and named ones
// are also parameters of their names.
func searchFor(text string) *expression {
	e := &expression{re: regexp.MustCompile(text), absent: true}
	for i, name := range e.re.SubexpNames() {
		if i == 0 {
			continue
		}
		e.groups = append(e.groups, group{capturesKey, i})
		if name != "" {
			e.groups = append(e.groups, group{name, i})
		}
	}
	return e
}

// matching returns the expression that matches tokens.
func matching(tokens []Token) (*expression, error) {
	re, err := regexp.Compile(`\A` + expressionOf(tokens, false) + `\z`)
	if err != nil {
		return nil, fmt.Errorf("parts are nested too deeply: %w", err)
	}
	e := &expression{re: re}
	for i, key := range keysOf(tokens, nil) {
		e.groups = append(e.groups, group{key, i + 1})
	}
	return e, nil
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

// keys returns the names of all groups.
func (e *expression) keys() (keys []string) {
	for _, g := range e.groups {
		keys = append(keys, g.key)
	}
	return keys
}

// has reports whether key is one of the names.
func (e *expression) has(key string) bool {
	return slices.ContainsFunc(e.groups, func(g group) bool { return g.key == key })
}

// each calls yield with the names and values in path, which matches.
func (e *expression) each(path string, yield func(key, value string) bool) {
	if len(e.groups) == 0 {
		return
	}
	found := e.re.FindStringSubmatchIndex(path)
	if found == nil {
		return // the path was changed after it matched
	}
	for _, g := range e.groups {
		value := ""
		if from := found[2*g.number]; from >= 0 {
			value = path[from:found[2*g.number+1]]
		} else if !e.absent || g.key != capturesKey {
			continue
		}
		if !yield(g.key, value) {
			return
		}
	}
}

// literalPrefix returns a text that all paths start with that an expression matches. It is empty
// if the expression is not anchored.
func literalPrefix(expression string) string {
	parsed, err := tree.Parse(expression, tree.Perl)
	if err != nil {
		return ""
	}
	program, err := tree.Compile(parsed.Simplify())
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
