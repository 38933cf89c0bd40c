package routing_test

// This file has two simple matchers to compare patterns with. One writes a pattern as a regular
// expression, character by character. The other walks along the path and tries everything.

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A capture is one parameter and its value.
type capture struct{ key, value string }

var (
	errBadReferencePattern = errors.New("bad pattern")
	errTooManySteps        = errors.New("too many steps")
)

// ---- The matcher with a regular expression ----

// A referencePattern is a pattern as a regular expression and the keys of its
// groups.
type referencePattern struct {
	expression *regexp.Regexp
	keys       []string
	search     bool // a pattern of the syntax regex: absent groups are empty texts
}

// match returns the parameters in their order.
func (p referencePattern) match(path string) ([]capture, bool) {
	found := p.expression.FindStringSubmatchIndex(path)
	if found == nil {
		return nil, false
	}
	var captures []capture
	for i, key := range p.keys {
		from, to := found[2*i+2], found[2*i+3]
		switch {
		case from >= 0:
			captures = append(captures, capture{key, path[from:to]})
		case p.search:
			captures = append(captures, capture{key, ""})
		}
	}
	return captures, true
}

// newReferencePattern reads a pattern of a case; nil matches every path.
func newReferencePattern(syntax string, pattern *string) (referencePattern, error) {
	switch {
	case pattern == nil:
		return referencePattern{expression: regexp.MustCompile("")}, nil
	case syntax == "regex":
		expression, err := regexp.Compile(*pattern)
		if err != nil {
			return referencePattern{}, err
		}
		p := referencePattern{expression: expression, search: true}
		for range expression.NumSubexp() {
			p.keys = append(p.keys, "captures")
		}
		return p, nil
	case syntax == "rails":
		return railsExpression(*pattern)
	default:
		return sinatraExpression(*pattern)
	}
}

func sinatraExpression(pattern string) (referencePattern, error) {
	var p referencePattern
	var parts []string
	for rest := pattern; rest != ""; {
		size := len(sinatraName.FindString(rest))
		switch {
		case size > 0:
			p.keys = append(p.keys, rest[1:size])
			parts = append(parts, "([^/]+)")
		case rest[0] == '*':
			size = 1
			p.keys = append(p.keys, "splat")
			parts = append(parts, "(.*?)")
		case rest[0] == '?':
			size = 1
			if len(parts) == 0 || strings.HasSuffix(parts[len(parts)-1], "\n?") {
				return p, errBadReferencePattern
			}
			// The line breaks mark optional parts and are removed below.
			parts[len(parts)-1] = "(?:" + parts[len(parts)-1] + ")\n?"
		case sinatraEscape.MatchString(rest):
			size = 2
			parts = append(parts, quote(rest[1:2]))
		default:
			_, size = utf8.DecodeRuneInString(rest)
			parts = append(parts, quote(rest[:size]))
		}
		rest = rest[size:]
	}
	text := strings.ReplaceAll(strings.Join(parts, ""), "\n", "")
	p.expression = regexp.MustCompile(`(?s)\A(?:` + text + `)\z`)
	return p, nil
}

func railsExpression(pattern string) (referencePattern, error) {
	var p referencePattern
	var text strings.Builder
	depth := 0
	for rest := pattern; rest != ""; {
		size := len(railsName.FindString(rest))
		switch {
		case size > 0:
			p.keys = append(p.keys, rest[1:size])
			if rest[0] == '*' {
				text.WriteString("(.+)")
			} else {
				text.WriteString("([^/.]+)")
			}
		case rest[0] == '(':
			size = 1
			depth++
			text.WriteString("(?:")
		case rest[0] == ')':
			size = 1
			depth--
			text.WriteString(")?")
		case rest == `\`:
			return p, errBadReferencePattern
		case rest[0] == '\\':
			_, size = utf8.DecodeRuneInString(rest[1:])
			text.WriteString(quote(rest[1 : 1+size]))
			size++
		default:
			_, size = utf8.DecodeRuneInString(rest)
			text.WriteString(quote(rest[:size]))
		}
		if depth < 0 {
			return p, errBadReferencePattern
		}
		rest = rest[size:]
	}
	if depth != 0 {
		return p, errBadReferencePattern
	}
	p.expression = regexp.MustCompile(`(?s)\A(?:` + text.String() + `)\z`)
	return p, nil
}

var (
	sinatraEscape = regexp.MustCompile(`^\\[:*?{}<>()\\]`)
	sinatraName   = regexp.MustCompile(`^:[0-9A-Za-z_]+`)
	railsName     = regexp.MustCompile(`^[:*][A-Za-z_][0-9A-Za-z_]*`)
)

// quote writes one character so that it is plain in an expression; a line break
// is written in letters, see sinatraExpression.
func quote(character string) string {
	if character == "\n" {
		return `\n`
	}
	return regexp.QuoteMeta(character)
}

// ---- The matcher that tries everything ----

// A part is one part of a pattern: a character, a parameter, a wildcard or optional parts.
type part struct {
	kind  byte // 'c', ':', '*' (as few as possible), '+' (one at least, as many as possible), '?'
	text  string
	stop  string // characters at which a parameter ends
	parts []part
}

// sinatraParts reads a pattern in the default syntax.
func sinatraParts(pattern string) ([]part, error) {
	var parts []part
	for i := 0; i < len(pattern); {
		c := pattern[i]
		name := wordAt(pattern, i+1)
		_, size := utf8.DecodeRuneInString(pattern[i:])
		switch {
		case c == ':' && name != "":
			parts = append(parts, part{kind: ':', text: name, stop: "/"})
			size = 1 + len(name)
		case c == '*':
			parts = append(parts, part{kind: '*', text: "splat"})
		case c == '?':
			if len(parts) == 0 || parts[len(parts)-1].kind == '?' {
				return nil, errBadReferencePattern
			}
			parts[len(parts)-1] = part{kind: '?', parts: []part{parts[len(parts)-1]}}
		case sinatraEscape.MatchString(pattern[i:]):
			parts = append(parts, part{kind: 'c', text: pattern[i+1 : i+2]})
			size = 2
		default:
			parts = append(parts, part{kind: 'c', text: pattern[i : i+size]})
		}
		i += size
	}
	return parts, nil
}

// railsParts reads a pattern in the Rails syntax.
func railsParts(pattern string) ([]part, error) {
	parts, end, err := railsPartsFrom(pattern, 0, 0)
	if err == nil && end != len(pattern) {
		err = errBadReferencePattern // a closing parenthesis too many
	}
	return parts, err
}

// railsPartsFrom reads up to the end or to the parenthesis that closes depth.
func railsPartsFrom(pattern string, i, depth int) (parts []part, end int, err error) {
	for i < len(pattern) {
		c := pattern[i]
		name := wordAt(pattern, i+1)
		if name != "" && '0' <= name[0] && name[0] <= '9' {
			name = ""
		}
		_, size := utf8.DecodeRuneInString(pattern[i:])
		switch {
		case c == ':' && name != "":
			parts = append(parts, part{kind: ':', text: name, stop: "/."})
			size = 1 + len(name)
		case c == '*' && name != "":
			parts = append(parts, part{kind: '+', text: name})
			size = 1 + len(name)
		case c == '(':
			inner, after, err := railsPartsFrom(pattern, i+1, depth+1)
			if err != nil {
				return nil, 0, err
			}
			if after == len(pattern) {
				return nil, 0, errBadReferencePattern // not closed
			}
			parts = append(parts, part{kind: '?', parts: inner})
			size = after + 1 - i
		case c == ')' && depth > 0:
			return parts, i, nil
		case c == ')':
			return nil, 0, errBadReferencePattern
		case c == '\\':
			if i+1 == len(pattern) {
				return nil, 0, errBadReferencePattern
			}
			_, escaped := utf8.DecodeRuneInString(pattern[i+1:])
			parts = append(parts, part{kind: 'c', text: pattern[i+1 : i+1+escaped]})
			size = 1 + escaped
		default:
			parts = append(parts, part{kind: 'c', text: pattern[i : i+size]})
		}
		i += size
	}
	return parts, len(pattern), nil
}

func wordAt(pattern string, i int) string {
	end := i
	for end < len(pattern) && strings.IndexByte("0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", pattern[end]) >= 0 {
		end++
	}
	return pattern[i:end]
}

// A tryingMatcher matches parts by trying everything, in the order in which a
// backtracking regular expression would. It gives up after many steps.
type tryingMatcher struct{ steps int }

// match returns the parameters with which parts match the whole path.
func (m *tryingMatcher) match(parts []part, path string) (captures []capture, ok bool, err error) {
	ok = m.try(parts, path, nil, func(rest string, got []capture) bool {
		captures = got
		return rest == ""
	})
	if m.steps <= 0 {
		return nil, false, errTooManySteps
	}
	if !ok {
		captures = nil
	}
	return captures, ok, nil
}

// try matches parts at the beginning of path, and then what follows them with
// then.
func (m *tryingMatcher) try(parts []part, path string, got []capture, then func(string, []capture) bool) bool {
	if m.steps--; m.steps <= 0 {
		return false
	}
	if len(parts) == 0 {
		return then(path, got)
	}
	first, others := parts[0], parts[1:]
	goOn := func(rest string, got []capture) bool { return m.try(others, rest, got, then) }
	take := func(size int) bool {
		return goOn(path[size:], append(got[:len(got):len(got)], capture{first.text, path[:size]}))
	}
	switch first.kind {
	case 'c':
		return strings.HasPrefix(path, first.text) && goOn(path[len(first.text):], got)
	case ':':
		longest := strings.IndexAny(path, first.stop)
		if longest < 0 {
			longest = len(path)
		}
		ends := characterEnds(path[:longest])
		for i := len(ends) - 1; i >= 0; i-- {
			if take(ends[i]) {
				return true
			}
		}
		return false
	case '+':
		ends := characterEnds(path)
		for i := len(ends) - 1; i >= 0; i-- {
			if take(ends[i]) {
				return true
			}
		}
		return false
	case '*':
		if take(0) {
			return true
		}
		for _, end := range characterEnds(path) {
			if take(end) {
				return true
			}
		}
		return false
	default: // '?': taken if that leads to a match
		return m.try(first.parts, path, got, goOn) || goOn(path, got)
	}
}

// characterEnds returns the ends of the characters of s. An invalid byte counts as a character.
func characterEnds(s string) []int {
	var ends []int
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
		ends = append(ends, i)
	}
	return ends
}
