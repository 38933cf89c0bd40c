package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// special are characters that JSON has as they are, and that older parsers of YAML refuse or
// change.
var special = regexp.MustCompile("[\x7f-\u009f\ufeff]")

func (y *yamlWriter) scalar(token json.Token) {
	if number, ok := token.(json.Number); ok {
		token = exponent(number)
	}
	if text, ok := token.(string); ok && plain.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) {
		y.out.WriteString(text)
		return
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text) // JSON's texts, numbers and words are also YAML's
	e.SetEscapeHTML(false)
	e.Encode(token) // cannot fail: it was decoded
	y.out.Write(special.ReplaceAllFunc(bytes.TrimSpace(text.Bytes()), func(c []byte) []byte {
		return fmt.Appendf(nil, `\u%04x`, bytes.Runes(c)[0])
	}))
}

// exponent returns a number such that YAML 1.1 does not read it as text: 1e9 as 1.0e+9.
func exponent(number json.Number) json.Number {
	digits, power, ok := strings.Cut(strings.ToLower(number.String()), "e")
	if !ok {
		return number
	}
	if !strings.Contains(digits, ".") {
		digits += ".0"
	}
	if power[0] != '-' {
		power = "+" + strings.TrimPrefix(power, "+")
	}
	return json.Number(digits + "e" + power)
}
