package pattern

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// foreignSyntaxes lists the syntax of other routers. In a Sinatra or Rails pattern it would be
// literal text that no path contains, or have another meaning.
var foreignSyntaxes = []struct {
	part     *regexp.Regexp
	syntaxes []syntax
	instead  string // if empty, the part is a parameter with a name and perhaps a rule for its values
	escape   string // the characters that a backslash makes literal
}{
	{regexp.MustCompile(`\{\$\}`), both, `leave it out, since patterns match the whole path`, "{"},
	{regexp.MustCompile(`\{(?P<name>\w+)(?P<rule>\.\.\.)\}`), both, "", "{"},
	{regexp.MustCompile(`\{(?P<name>\w+):(?P<rule>(?:[^{}]|\{[^{}]*\})*)\}`), both, "", "{"},
	{regexp.MustCompile(`\{(\w+)[^{}]*\}`), []syntax{rails}, `write ":$1"`, "{"},
	{regexp.MustCompile(`\{\+(\w+)\}`), []syntax{rails}, `write "*$1"`, "{"},
	{regexp.MustCompile(`:(\w+)<[^<>]*>`), both, `write ":$1"`, "<"},
	{regexp.MustCompile(`<(?:(?P<rule>\w+):)?(?P<name>\w+)>`), both, "", "<"},
	{regexp.MustCompile(`\?\w+=`), both, `leave the query out: Params reads it`, "?"},
	{regexp.MustCompile(`:(?P<name>\w+)\((?P<rule>[^()]*(?:[\x00\[]|[^/{|(]\*|[^{(]\+)[^()]*)\)`), []syntax{sinatra}, "", "()"},
	{regexp.MustCompile(`\([^()|:*{?]*\)(?:[^?]|$)`), []syntax{sinatra}, `leave the parentheses out, which change nothing in Sinatra`, "()"},
	{regexp.MustCompile(`(\(\.:format\)|^/?\(/?:\w+\))(?:[^?]|$)`), []syntax{sinatra}, `write "$1?" for what is optional`, "()"},
	{regexp.MustCompile(`(\)|:\w+)\?`), []syntax{rails}, `leave the question mark out, and put what is optional in parentheses`, "?"},
	{regexp.MustCompile(`\*(?:\W|$)`), []syntax{rails}, `give the wildcard a name, such as "*path"`, "*"},
	{regexp.MustCompile(`\*([A-Za-z_]\w*)`), []syntax{sinatra}, `write "{+$1}" for a wildcard with a name`, ""},
	{regexp.MustCompile(`:\w+\*`), []syntax{sinatra}, `write "*" for the rest of the path`, ""},
}

var both = []syntax{sinatra, rails}

// checkForeign returns an error if a text looks like a pattern of another router.
func checkForeign(text string, s syntax) error {
	if strings.ContainsAny(text, "{<?*(") {
		if err := checkRouters(text, s); err != nil {
			return err
		}
	}
	if strings.Contains(text, "%") {
		if at := percentEncoded.FindStringIndex(hide(text)); at != nil {
			part := text[at[0]:at[1]]
			literal := strings.ReplaceAll(part, "%", `\%`)
			plain, _ := url.PathUnescape(part)
			if !utf8.ValidString(plain) {
				return fmt.Errorf("%q is encoded, but not as UTF-8: write %q for literal text", part, literal)
			}
			return fmt.Errorf("%q is encoded, but paths are matched decoded: write %q, or write %q for literal text",
				part, quoted(plain), literal)
		}
	}
	for _, pair := range backslashed.FindAllString(text, -1) {
		if isLetter(pair[1]) {
			return fmt.Errorf("a backslash before a letter, %q, is neither a letter nor a class: leave it out, or write %q for a backslash", pair, `\\`)
		}
	}
	if s == rails {
		if name := digitName.FindString(text); name != "" {
			return fmt.Errorf("%q is literal text, since names begin with a letter: write \\%s, or another name", name, name)
		}
	}
	return nil
}

// checkRouters returns an error for the syntax of another router.
func checkRouters(text string, s syntax) error {
	hidden := hide(text)
	for _, f := range foreignSyntaxes {
		at := f.part.FindStringSubmatchIndex(hidden)
		if at == nil || !slices.Contains(f.syntaxes, s) {
			continue
		}
		part, instead := text[at[0]:at[1]], string(f.part.ExpandString(nil, f.instead, text, at))
		if instead == "" {
			instead = paramAs(string(f.part.ExpandString(nil, "$name", text, at)), string(f.part.ExpandString(nil, "$rule", text, at)), s)
		}
		if f.escape == "()" {
			part = part[:strings.LastIndexByte(part, ')')+1]
		}
		literal := part
		for _, c := range f.escape {
			literal = strings.ReplaceAll(literal, string(c), `\`+string(c))
		}
		meant := fmt.Sprintf("write %q for literal text", literal)
		if f.escape == "" {
			meant = "pass a Pattern to Route if it is meant"
		}
		return fmt.Errorf("%q is the syntax of another router: %s, or %s", part, instead, meant)
	}
	return nil
}

// paramAs returns what to write for a parameter of another router. The rule for its values is an
// expression, the name of a type, "..." for the rest of a path, or empty.
func paramAs(name, rule string, s syntax) string {
	expression := strings.TrimSuffix(strings.TrimPrefix(rule, "^"), "$")
	if known, ok := ruleNames[rule]; ok {
		expression = known
	}
	param := ":" + name
	if class, err := NewClass(expression); err == nil && class.has('/') {
		param = "{+" + name + "}"
		if s == rails {
			param = "*" + name
		}
		if class.has(0) { // nearly all characters, as a wildcard
			expression = ""
		}
	}
	switch {
	case expression == "":
		return fmt.Sprintf("write %q", param)
	case strings.Contains(expression, `\`):
		return fmt.Sprintf("write %q with Where(%q, `%s`)", param, name, expression)
	}
	return fmt.Sprintf("write %q with Where(%q, %q)", param, name, expression)
}

// ruleNames has the rules of other routers that are no expressions.
var ruleNames = map[string]string{
	"...": ".*", "path": ".*", "str": "", "string": "", "int": "[0-9]+", "float": "[0-9.]+", "slug": "[a-zA-Z0-9_-]+", "uuid": "[0-9a-f-]+",
}

// quoted returns text as literal text of a pattern.
func quoted(text string) string { return special.ReplaceAllString(text, `\$0`) }

// hide replaces characters that a backslash makes literal.
func hide(text string) string {
	return backslashed.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\x00", len(s)) })
}

var (
	backslashed    = regexp.MustCompile(`\\.`)
	percentEncoded = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)
	special        = regexp.MustCompile(`[:*?(){|<%\\]`)
	digitName      = regexp.MustCompile(`[:*][0-9]\w*`)
)
