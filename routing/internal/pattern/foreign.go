package pattern

import (
	"fmt"
	"regexp"
	"strings"
)

// foreign lists the syntax of other routers. In these patterns it would be literal text that no
// path has, or mean something else.
var foreign = []struct {
	part    *regexp.Regexp
	sinatra bool // foreign in Sinatra patterns only
	instead string
	escape  string // the character that a backslash makes literal; empty for none
}{
	{regexp.MustCompile(`\{\$\}`), false, `leave it out, since patterns match the whole path`, "{"},
	{regexp.MustCompile(`\{\w+\.\.\.\}`), false, `write "*" for the rest of the path`, "{"},
	{regexp.MustCompile(`\{(\w+)[^{}]*\}`), false, `write ":$1"`, "{"},
	{regexp.MustCompile(`<(?:\w+:)?(\w+)>`), false, `write ":$1"`, "<"},
	{regexp.MustCompile(`\?\w+=`), false, `leave the query out: Params reads it`, "?"},
	{regexp.MustCompile(`:\w+\(`), true, `use Regexp for an expression, or Rails for an optional part`, "("},
	{regexp.MustCompile(`:\w+\*`), true, `write "*" for the rest of the path`, ""},
	{regexp.MustCompile(`/\*\w+$`), true, `write "/*" for the rest of the path, the parameter "splat"`, ""},
}

// Foreign returns an error if the pattern looks like one of another router. A backslash before
// such a part makes it literal.
func (p *Pattern) Foreign() error {
	if p == nil || p.syntax == regular || !strings.ContainsAny(p.text, "{<?*(") {
		return nil
	}
	text := backslashed.ReplaceAllString(p.text, "\x00")
	for _, f := range foreign {
		at := f.part.FindStringSubmatchIndex(text)
		if at == nil || f.sinatra && p.syntax != sinatra {
			continue
		}
		part, instead := text[at[0]:at[1]], string(f.part.ExpandString(nil, f.instead, text, at))
		meant := fmt.Sprintf("write %q for literal text", strings.Replace(part, f.escape, `\`+f.escape, 1))
		if f.escape == "" {
			meant = "pass a Pattern to Route if it is meant"
		}
		return fmt.Errorf("%q is the syntax of another router: %s, or %s", part, instead, meant)
	}
	return nil
}

var backslashed = regexp.MustCompile(`\\.`)
