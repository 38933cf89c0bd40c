package apidoc

import (
	"encoding"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/gotype"
)

// This file makes response headers of fields.

// outputHeader is a field that becomes a header.
type outputHeader struct {
	name      string
	index     []int
	described *Parameter // nil for Content-Type, which the body's media types describe
}

// planHeader plans a header. Set-Cookie and Content-Type have types of their own.
func planHeader(f reflect.StructField, name string) (outputHeader, error) {
	h := outputHeader{name: http.CanonicalHeaderKey(name), index: f.Index}
	if name == "" {
		return h, errors.New(`tag header:"": write the header's name`)
	}
	if h.name == "Content-Type" {
		if f.Type.Kind() != reflect.String {
			return h, errors.New("a Content-Type is a string")
		}
		return h, nil
	}
	h.described = &Parameter{Name: name, In: InHeader, Description: f.Tag.Get("doc"), Type: Type{goType: f.Type}, Rules: f.Tag}
	if isCookie(f.Type) {
		h.described.Type = Type{}
	}
	return h, nil
}

func isCookie(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[http.Cookie]()
}

// headerTexts returns the values of a header. The zero value is none.
func headerTexts(v reflect.Value) ([]string, error) {
	if v.IsZero() {
		return nil, nil
	}
	if v.Kind() == reflect.Slice && !gotype.IsBytes(v.Type()) {
		var texts []string
		for i := range v.Len() {
			more, err := headerTexts(v.Index(i))
			if err != nil {
				return nil, err
			}
			texts = append(texts, more...)
		}
		return texts, nil
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	text, err := headerText(v)
	return []string{text}, err
}

func headerText(v reflect.Value) (string, error) {
	switch own := v.Addr().Interface().(type) {
	case *time.Time:
		return own.UTC().Format(http.TimeFormat), nil
	case *http.Cookie:
		return own.String(), own.Valid()
	case encoding.TextMarshaler:
		text, err := own.MarshalText()
		return string(text), err
	}
	if v.Kind() == reflect.String {
		return v.String(), nil
	}
	text, err := json.Marshal(v.Interface()) // of a number, a boolean or bytes
	return strings.Trim(string(text), `"`), err
}
