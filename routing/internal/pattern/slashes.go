package pattern

import (
	"fmt"
	"regexp"
	tree "regexp/syntax"
	"strings"
)

// This file finds parts of patterns that match no path, because the app ignores their slashes.

// maxReadings is the maximum number of readings of a pattern that are checked for slashes.
const maxReadings = 1 << 10

// end follows the text of a reading that a path must match up to its end.
const end = "\x00"

// CheckSlashes returns an error if p has a reading with a slash at its end or, if the app ignores
// repeated slashes too, with two in a row. No path would match it. A reading is p with and without
// its optional parts, and with one of its alternatives. The pattern "/a/?" is accepted, since its
// other reading is "/a".
func (p *Pattern) CheckSlashes(repeated bool) error {
	if p == nil {
		return nil
	}
	known := make(map[string]bool)
	var readings []string
	for _, tokens := range expand(p.ending(), maxReadings) {
		reading := readingOf(tokens, p.syntax)
		readings, known[reading] = append(readings, reading), true
	}
	for _, reading := range readings {
		tidy, ignored := reading, ""
		if path, isWhole := strings.CutSuffix(reading, end); isWhole && strings.HasSuffix(path, "/") && (path != "/" || p.outer != nil) {
			tidy, ignored = strings.TrimRight(path, "/")+end, "a slash at the end of a path"
		}
		if repeated && strings.Contains(tidy, "//") {
			tidy, ignored = repeatedSlashes.ReplaceAllString(tidy, "/"), "repeated slashes"
		}
		switch {
		case ignored == "" || known[tidy]:
		case p.syntax == regular: // a reading has not all that the expression has
			return fmt.Errorf("this app ignores %s, so the expression cannot match %q: write /? in place of the slash", ignored, strings.TrimSuffix(reading, end))
		default:
			return fmt.Errorf("this app ignores %s: write %q in place of %q", ignored, strings.TrimSuffix(tidy, end), strings.TrimSuffix(reading, end))
		}
	}
	return nil
}

var repeatedSlashes = regexp.MustCompile("/+")

// ending returns the tokens of p after its prefix, with the end of the path as literal text.
func (p *Pattern) ending() []Token {
	if p.syntax != regular {
		rest, _ := p.read(p.rules.Format) // it was read without an error before
		return literal(rest, end)
	}
	parsed, err := tree.Parse(p.rest, tree.Perl)
	if err != nil {
		return nil
	}
	return tokensOf(parsed)
}

// tokensOf returns an expression as tokens: alternatives, what is optional, and all else as text.
func tokensOf(e *tree.Regexp) (tokens []Token) {
	switch e.Op {
	case tree.OpLiteral:
		return literal(nil, regexp.QuoteMeta(string(e.Rune)))
	case tree.OpEndLine, tree.OpEndText:
		return literal(nil, end)
	case tree.OpEmptyMatch, tree.OpBeginLine, tree.OpBeginText, tree.OpWordBoundary, tree.OpNoWordBoundary:
		return nil
	case tree.OpCapture, tree.OpConcat:
		for _, sub := range e.Sub {
			tokens = join(tokens, tokensOf(sub))
		}
		return tokens
	case tree.OpPlus: // once, since a text that ends in a slash does so however often it is repeated
		return tokensOf(e.Sub[0])
	case tree.OpRepeat:
		if e.Min > 0 {
			return tokensOf(e.Sub[0])
		}
	case tree.OpQuest:
		return []Token{optional(tokensOf(e.Sub[0]))}
	case tree.OpAlternate:
		var choices [][]Token
		for _, sub := range e.Sub {
			choices = append(choices, tokensOf(sub))
		}
		return []Token{{Kind: Choice, Choices: choices}}
	}
	return literal(nil, e.String())
}

// readingOf returns tokens without choices as text in a syntax.
func readingOf(tokens []Token, s syntax) (text string) {
	for i, t := range tokens {
		switch {
		case t.Kind == Literal && s == regular:
			text += t.Text
		case t.Kind == Literal && s == rails && i > 0 && tokens[i-1].Kind != Literal:
			name := nameEnd(t.Text, 0) // which would continue the name before it
			if name > 0 {
				text += "(" + t.Text[:name] + ")"
			}
			text += quoted(t.Text[name:])
		case t.Kind == Literal:
			text += quoted(t.Text)
		case t.Kind == Wildcard && (t.Text == "" || t.Text == splatKey && s != rails):
			text += "*"
		case t.Kind == Wildcard && s == rails:
			text += "*" + t.Text
		case t.Kind == Wildcard:
			text += "{+" + t.Text + "}"
		case i+1 < len(tokens) && tokens[i+1].Kind == Literal && nameEnd(tokens[i+1].Text, 0) > 0 && s != rails:
			text += "{" + t.Text + "}" // text that would continue the name follows
		default:
			text += ":" + t.Text
		}
	}
	return text
}
