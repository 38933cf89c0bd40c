package pattern

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// This file reads what a pattern or a prefix is made of, and applies the rules of its app and
// route.

// Rules change what a pattern matches. An app and a route each have rules.
type Rules struct {
	Where  map[string]*Class // the rules for the values of parameters, by name
	Format bool              // a format may follow the pattern
	Lazy   bool              // wildcards of Rails match as few characters as possible

	// AnyFormat lets the parameter "format" have any value, as Where may allow for a route. It is
	// for filters. Formats that the other rules allow are captured by these rules.
	AnyFormat bool
}

// areNone reports whether the rules change nothing.
func (r Rules) areNone() bool {
	return len(r.Where) == 0 && !r.Format && !r.Lazy && !r.AnyFormat
}

// definition is what a pattern or a prefix is made of.
type definition struct {
	text   string // as written, after the text of the outer prefix
	rest   string // without the outer prefix
	syntax syntax
	outer  *Prefix // its tokens come first; may be nil
	rules  Rules
}

// format follows a pattern if the rules have it.
var format = []Token{optional([]Token{{Kind: Literal, Text: "."}, {Kind: Param, Text: formatName, class: railsParam}})}

// read parses the text without the outer prefix, and applies the rules. It returns an error if a
// rule names no parameter of the pattern, or if the text does not fit below the prefix.
func (d *definition) read(withFormat bool) (rest []Token, err error) {
	var names []string
	if d.syntax == regular {
		if names = regexp.MustCompile(d.rest).SubexpNames(); len(names) > 1 {
			names = append(names, capturesKey)
		}
	} else {
		rest, err = parse(d.rest, d.syntax, d.outer != nil)
		if err == nil && d.outer != nil {
			err = staysBelow(d.rest, rest)
		}
		if err != nil {
			return nil, err
		}
		if withFormat {
			rest = join(rest, copied(format))
		}
		names = keysOf(rest)
	}
	outerNames := d.outer.Names()
	if outerNames == nil && len(d.rules.Where) == 0 && !d.rules.Lazy {
		return rest, nil // as for most routes; saves a fifth of the time to define one
	}
	for _, name := range names {
		if name != "" && slices.Contains(outerNames, name) {
			return nil, fmt.Errorf("the prefix %q also has the parameter %q, which would then have two values: give it another name", d.outer, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.rules.Where)) {
		switch isOwn := slices.Contains(names, name); {
		case isOwn && d.syntax == regular:
			err = errors.New("Where does not apply to regular expressions: restrict the group in the expression")
		case isOwn:
		case slices.Contains(outerNames, name):
			if !d.outer.hasClass(name, d.rules.Where[name]) {
				err = fmt.Errorf("%q is a parameter of the group's prefix: write the Where in the options of the group, so that it applies to the group's filters too", name)
			}
		default:
			err = fmt.Errorf("the pattern has no parameter %q: it has %q", name, append(outerNames, names...))
		}
		if err != nil {
			return nil, err
		}
	}
	return rest, constrain(rest, d.rules)
}

// formatName is the name of the parameter for a format.
const formatName = "format"

// setAnyFormat lets the formats in tokens have any value. It reports whether there are formats.
func setAnyFormat(tokens []Token) (ok bool) {
	for t := range all(tokens) {
		if t.Kind == Param && t.Text == formatName {
			t.class, ok = anyFormat, true
		}
	}
	return ok
}

// constrain sets the classes of parameters and wildcards.
func constrain(tokens []Token, rules Rules) error {
	for t := range all(tokens) {
		if t.class == railsWildcard && rules.Lazy {
			t.class = lazyRailsWildcard
		}
		c := rules.Where[t.Text]
		if c == nil || !t.hasValue() || t.Where() != "" {
			continue
		}
		if t.Kind == Param {
			if err := c.check(); err != nil {
				return fmt.Errorf("%q must not be %q: %w", t.Text, c.given, err)
			}
		}
		t.class = c
	}
	return nil
}
