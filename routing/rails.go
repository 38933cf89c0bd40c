package routing

import "unicode/utf8"

// Rails reads a pattern in the syntax of Rails:
//
//	/doc/:id(.:format)   a parameter: one or more characters up to the next slash or dot; parts in parentheses are optional
//	/arch(/:y(/:m))      optional parts may be nested
//	/tree/*path          a wildcard with a name: one or more characters, slashes too, as many as it can
//	/a\(b\)              a backslash makes the next character plain
//
// A name begins with an ASCII letter or an underscore and goes on with letters, digits and underscores. Every other
// character, a colon or star without a name included, stands for itself. The pattern matches the whole path. Parentheses
// that don't match and a backslash at the end are errors that tell the offset.
func Rails(pattern string) (Pattern, error) {
	const syntax = "rails"
	if err := checkUTF8(syntax, pattern); err != nil {
		return Pattern{}, err
	}
	// open holds the unfinished token lists: the pattern's own, and one for each parenthesis that is still open.
	open := [][]token{nil}
	var opened []int
	add := func(t token) { open[len(open)-1] = append(open[len(open)-1], t) }
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case ':', '*':
			end := nameEnd(pattern, i+1)
			switch {
			case end == i+1 || isDigit(pattern[i+1]):
				add(token{kind: literal, text: string(c)})
				end = i + 1
			case c == ':':
				add(token{kind: param, text: pattern[i+1 : end], dotless: true})
			default:
				add(token{kind: splat, text: pattern[i+1 : end], greedy: true})
			}
			i = end
		case '(':
			open = append(open, nil)
			opened = append(opened, i)
			i++
		case ')':
			if len(opened) == 0 {
				return Pattern{}, patternError(syntax, pattern, i, `a closing parenthesis without an opening one: write \) for a plain one`)
			}
			inner := joinLiterals(open[len(open)-1])
			open = open[:len(open)-1]
			opened = opened[:len(opened)-1]
			add(token{kind: optional, tokens: inner})
			i++
		case '\\':
			if i+1 == len(pattern) {
				return Pattern{}, patternError(syntax, pattern, i, `a backslash at the end: write \\ for a plain one`)
			}
			_, size := utf8.DecodeRuneInString(pattern[i+1:])
			add(token{kind: literal, text: pattern[i+1 : i+1+size]})
			i += 1 + size
		default:
			end := plainEnd(pattern, i, `:*()\`)
			add(token{kind: literal, text: pattern[i:end]})
			i = end
		}
	}
	if len(opened) > 0 {
		return Pattern{}, patternError(syntax, pattern, opened[len(opened)-1], `an opening parenthesis without a closing one: write \( for a plain one`)
	}
	return newPattern(syntax, pattern, joinLiterals(open[0])), nil
}
