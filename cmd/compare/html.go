package main

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// This file reduces HTML to what a visitor can read and do: its text, links, images and forms.
// White space, the order of attributes, styles and scripts do not count.

// comparedAttributes are the attributes that are compared, by element.
var comparedAttributes = map[string][]string{
	"a": {"href"}, "area": {"href"}, "button": {"formaction", "name", "type", "value"}, "form": {"action", "enctype", "method"},
	"iframe": {"src"}, "img": {"alt", "src"}, "input": {"checked", "name", "type", "value"}, "link": {"href", "rel"},
	"meta": {"content", "http-equiv", "name"}, "option": {"selected", "value"}, "select": {"name"}, "script": {"src"},
	"textarea": {"name"}, "video": {"src"}, "audio": {"src"}, "source": {"src"},
}

// linesOf returns a line for each text and for each element with one of comparedAttributes.
func linesOf(page string) []string {
	var lines []string
	tokens := html.NewTokenizer(strings.NewReader(page))
	inside := "" // the style or script whose text is skipped
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return lines
		case html.TextToken:
			if text := strings.Join(strings.Fields(tokens.Token().Data), " "); text != "" && inside == "" {
				lines = append(lines, text)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			if token.Data == "script" || token.Data == "style" {
				inside = token.Data
			}
			if line := lineOf(token); line != "" {
				lines = append(lines, line)
			}
		case html.EndTagToken:
			if tokens.Token().Data == inside {
				inside = ""
			}
		}
	}
}

// lineOf returns the line of an element, or the empty text if it has none of comparedAttributes.
func lineOf(token html.Token) string {
	line := ""
	for _, name := range comparedAttributes[token.Data] {
		for _, attribute := range token.Attr {
			switch {
			case attribute.Key != name:
			case name == "checked" || name == "selected": // any value means true
				line += " " + name
			case name == "method" || name == "type": // letter case does not count
				line += fmt.Sprintf(" %s=%q", name, strings.ToLower(attribute.Val))
			default:
				line += fmt.Sprintf(" %s=%q", name, attribute.Val)
			}
		}
	}
	if line == "" {
		return ""
	}
	return "<" + token.Data + line + ">"
}
