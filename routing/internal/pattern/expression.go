package pattern

import (
	"errors"
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

// RegexpBelow returns the pattern of an expression, of \A(?:…)\z, for what follows the prefix of a
// group.
func RegexpBelow(prefix, text string) (*Pattern, error) {
	rest, begins := strings.CutPrefix(text, `\A(?:`)
	rest, ends := strings.CutSuffix(rest, `)\z`)
	parsed, err := tree.Parse(rest, tree.Perl)
	switch {
	case !begins || !ends || err != nil:
		return nil, errors.New("use WholeRegexp, for the rest of the path")
	case hasAnchor(parsed):
		return nil, errors.New("leave the anchors out: it matches the whole rest of the path")
	case !strings.HasPrefix(literalPrefix(`\A(?:`+rest+`)`), "/"):
		return nil, errors.New("begin with a slash: it also matches paths outside of the group, which its filters would miss")
	}
	var b strings.Builder
	for _, t := range readMount(prefix) {
		switch t.Kind {
		case Literal:
			b.WriteString(regexp.QuoteMeta(t.Text))
		case Param:
			b.WriteString("(?P<" + t.Text + ">[^/]+)")
		}
	}
	re, err := regexp.Compile(`\A` + b.String() + `(?:` + rest + `)\z`)
	if err != nil {
		return nil, err
	}
	return Regexp(re), nil
}

func hasAnchor(e *tree.Regexp) bool {
	switch e.Op {
	case tree.OpBeginText, tree.OpEndText, tree.OpBeginLine, tree.OpEndLine:
		return true
	}
	return slices.ContainsFunc(e.Sub, hasAnchor)
}

// matching returns the expression that matches tokens.
func matching(tokens []Token) (*expression, error) {
	var b strings.Builder
	b.WriteString(`\A`)
	write(&b, tokens)
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fmt.Errorf("parts are nested too deeply: %w", err)
	}
	e := &expression{re: re}
	for i, key := range keysOf(tokens, nil) {
		e.groups = append(e.groups, group{key, i + 1})
	}
	return e, nil
}

// write writes tokens as a regular expression.
func write(b *strings.Builder, tokens []Token) {
	for _, t := range tokens {
		switch {
		case t.Kind == Literal:
			b.WriteString(regexp.QuoteMeta(t.Text))
		case t.Kind == Optional:
			b.WriteString(`(?:`)
			write(b, t.Tokens)
			b.WriteString(`)?`)
		case t.Kind == Choice:
			for i, tokens := range t.Choices {
				b.WriteString([]string{`(?:`, `|`}[min(i, 1)])
				write(b, tokens)
			}
			b.WriteString(`)`)
		case t.class != nil:
			b.WriteString(`(` + t.class.text + `)`)
		case t.Kind == Param:
			b.WriteString(`([^/]+)`)
		default:
			b.WriteString(`((?s:.*?))`)
		}
	}
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
