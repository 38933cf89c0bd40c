package schema

import (
	"fmt"
	"regexp"
)

// Pattern is a regular expression. Its text is published unchanged. Values are checked with package
// regexp. Clients use ECMA 262 with the flag u (JSON Schema Core, 6.4): there a period excludes
// four line breaks instead of one, and \s includes all spaces of Unicode.
type Pattern struct {
	*regexp.Regexp
	fault *Fault // of a text that does not match
}

// NewPattern parses a regular expression. It returns an error for syntax that only Go has.
func NewPattern(text string) (*Pattern, error) {
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	if rest := text[len(common.FindString(text)):]; rest != "" {
		return nil, fmt.Errorf(`clients in other languages do not read %q: write [aA] for (?i), [\s\S] for (?s:.), ^ and $ for \A and \z, `+
			`[A-Za-z] for [[:alpha:]], \p{L} for \pL, (?<name>x) for (?P<name>x), characters for \Q, \a and \x{41}, `+
			`and a backslash only before letters of classes and ^$\.*+?()[]{}|/`, rest)
	}
	for i, name := range compiled.SubexpNames() {
		if name != "" && compiled.SubexpIndex(name) != i {
			return nil, fmt.Errorf("clients in other languages do not read two groups with the name %s: rename one of them", name)
		}
	}
	return &Pattern{compiled, &Fault{"pattern", text, "must match the pattern " + text}}, nil
}

// common matches the longest beginning of a pattern that Go and ECMA 262 read alike.
var common = func() *regexp.Regexp {
	const (
		class    = `\\(?:[dDwWsS]|[pP]\{[LMNPSZ][a-z]?\})`
		escape   = `\\(?:[tnrfv^$\\.*+?()[\]{}|/]|x[0-9A-Fa-f]{2})`
		single   = `(?:[^\\^[\]-]|\\-|` + escape + `)` // in brackets
		item     = `(?:` + single + `(?:-` + single + `)?|` + class + `)`
		brackets = `\[\^?(?:-?` + item + `(?:` + item + `|\^)*-?|-)\]`
		repeat   = `(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??`
		atom     = `(?:[^\\*+?()[\]{}|^$]|` + class + `|` + escape + `|` + brackets + `|\))`
	)
	return regexp.MustCompile(`^(?:` + atom + `(?:` + repeat + `)?|\((?:\?:|\?<[A-Za-z_][0-9A-Za-z_]*>)?|[|^$]|\\[bB])*`)
}()
