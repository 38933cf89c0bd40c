package apidoc

import (
	"encoding"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/gotype"
)

// This file makes response headers from fields.

func isCookie(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[http.Cookie]()
}

// headerTexts returns the values of a header. The zero value has none.
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
