package openapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// This file writes a description in YAML 1.2.

// YAML returns a JSON text as YAML, with the members in their order. The text must be valid.
func YAML(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	y := &yamlWriter{in: d}
	y.value("")
	return append(bytes.TrimLeft(y.out.Bytes(), "\n "), '\n')
}

// yamlWriter writes the tokens of a JSON text.
type yamlWriter struct {
	in  *json.Decoder
	out bytes.Buffer
}

// value writes the next value: behind a space if it is a scalar or empty, or else in lines with the
// indent.
func (y *yamlWriter) value(indent string) {
	token, _ := y.in.Token() // the text is valid
	opening, isNested := token.(json.Delim)
	switch {
	case !isNested:
		y.out.WriteByte(' ')
		y.scalar(token)
		return
	case !y.in.More():
		y.out.WriteString(map[json.Delim]string{'{': " {}", '[': " []"}[opening])
	}
	for y.in.More() {
		y.out.WriteString("\n" + indent)
		if opening == '[' {
			y.out.WriteByte('-')
		} else {
			key, _ := y.in.Token()
			y.scalar(key)
			y.out.WriteByte(':')
		}
		y.value(indent + "  ")
	}
	y.in.Token() // the closing one
}

// plain are texts that are themselves without quotation marks, if they are not words of YAML.
var plain = regexp.MustCompile(`^[A-Za-z/]([A-Za-z0-9 _/.-]*[A-Za-z0-9_/.-])?$`)

// words are those that some version of YAML reads as a boolean or null.
var words = []string{"y", "yes", "n", "no", "true", "false", "on", "off", "null"}

func (y *yamlWriter) scalar(token json.Token) {
	if text, ok := token.(string); ok && plain.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) {
		y.out.WriteString(text)
		return
	}
	e := json.NewEncoder(&y.out) // JSON's texts, numbers and words are also YAML's
	e.SetEscapeHTML(false)
	e.Encode(token)                 // cannot fail: it was decoded
	y.out.Truncate(y.out.Len() - 1) // the line break
}
