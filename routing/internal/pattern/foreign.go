package pattern

import (
	"fmt"
	"regexp"
	"strings"
)

// foreign are parts of patterns in the syntax of other routers. Here they are literal text that no
// path has, or something else than what was meant.
var foreign = []struct {
	part    *regexp.Regexp
	sinatra bool // only there
	instead string
	escape  string // what a backslash makes plain; empty if that means something else
}{
	{regexp.MustCompile(`\{\$\}`), false, `leave it out, since patterns match the whole path`, "{"},
	{regexp.MustCompile(`\{\w+\.\.\.\}`), false, `write "*" for the rest of the path`, "{"},
	{regexp.MustCompile(`\{(\w+)[^{}]*\}`), false, `write ":$1"`, "{"},
	{regexp.MustCompile(`<(?:\w+:)?(\w+)>`), false, `write ":$1"`, "<"},
	{regexp.MustCompile(`\?\w+=`), false, `leave the query out, which Params reads`, "?"},
	{regexp.MustCompile(`:\w+\(`), true, `use Regexp for an expression, or Rails for an optional part`, "("},
	{regexp.MustCompile(`:\w+\*`), true, `write "*" for the rest of the path`, ""},
}

// Foreign returns an error if the pattern looks like one of another router. A backslash in front of
// the part says that it is meant.
func (p *Pattern) Foreign() error {
	if p == nil || p.syntax == regular || !strings.ContainsAny(p.text, "{<?*(") {
		return nil
	}
	text := escaped.ReplaceAllString(p.text, "\x00")
	for _, f := range foreign {
		at := f.part.FindStringSubmatchIndex(text)
		if at == nil || f.sinatra && p.syntax != sinatra {
			continue
		}
		part, instead := text[at[0]:at[1]], string(f.part.ExpandString(nil, f.instead, text, at))
		meant := fmt.Sprintf("%q", strings.Replace(part, f.escape, `\`+f.escape, 1))
		if f.escape == "" {
			meant = "a Pattern for Route"
		}
		return fmt.Errorf("%q is of another router's syntax: %s, or %s if it is meant", part, instead, meant)
	}
	return nil
}

var escaped = regexp.MustCompile(`\\.`)
