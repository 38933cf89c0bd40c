package flowercatalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// This file has the type Flower, its rules, its JSON, and the built-in flowers.

// Flower has a slug, for its URL, and a name for display.
type Flower struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// maxSlug is the maximum length of a slug in bytes: servers and proxies limit the line of a
// request, many to 8 KiB.
const maxSlug = 8<<10 - len("/flowers/")

// CheckFlower returns an error if the slug is empty, ".", "..", contains a slash or has more than
// 8,183 bytes, or if the slug or the name is not UTF-8 or contains NUL.
func CheckFlower(f Flower) error {
	switch {
	case f.Slug == "":
		return fmt.Errorf("flower %q has an empty slug: write one, such as \"red-rose\"", f.Name)
	case strings.Contains(f.Slug, "/"):
		return fmt.Errorf("flower %q: the slug must not contain a slash: write a dash", f.Slug)
	case f.Slug == "." || f.Slug == "..":
		return fmt.Errorf("flower %q: clients remove dot segments from URLs: write another slug", f.Slug)
	case strings.Contains(f.Slug, "\x00"):
		return fmt.Errorf("flower %q: servers and proxies refuse URLs with a NUL: leave it out of the slug", f.Slug)
	case len(f.Slug) > maxSlug:
		return fmt.Errorf("flower %q…: the slug has %d bytes, but a URL can reach at most %d: write a shorter one", f.Slug[:20], len(f.Slug), maxSlug)
	case !utf8.ValidString(f.Slug):
		return fmt.Errorf("flower %q: the slug is not UTF-8", f.Slug)
	case !utf8.ValidString(f.Name):
		return fmt.Errorf("flower %q: the name %q is not UTF-8", f.Slug, f.Name)
	case strings.Contains(f.Name, "\x00"):
		return fmt.Errorf("flower %q: databases refuse text with a NUL: leave it out of the name", f.Slug)
	}
	return nil
}

// isText reports whether text may be a slug or a name.
func isText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// appendFlower appends a flower as encoding/json writes it, which is faster for plain ASCII.
func appendFlower(b []byte, f Flower) []byte {
	b = appendText(append(b, `{"slug":`...), f.Slug)
	b = appendText(append(b, `,"name":`...), f.Name)
	return append(b, '}')
}

func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			encoded, _ := json.Marshal(text) // cannot fail: it is text
			return append(b, encoded...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// sample returns the built-in flowers.
func sample() []Flower {
	return []Flower{
		{"yellow-tulip", "Yellow Tulip"},
		{"red-rose", "Red Rose"},
		{"rose", "Rose"},
		{"white-lily", "White Lily"},
		{"sunflower", "Sunflower"},
		{"cornflower", "Cornflower"},
		{"lily-of-the-valley", "Lily of the Valley"},
		{"edelweiss", "Edelweiß"},
		{"marguerite", "Margerite – Œil-de-bœuf"},
		{"gul", "Gül"},
		{"sakura", "桜"},
		{"anemone", "Ανεμώνη"},
		{"vasilyok", "Василёк"},
		{"pensee", "Pensée"},
		{"nilufer", "Nilüfer"},
		{"bird-of-paradise", "Bird of Paradise"},
	}
}
