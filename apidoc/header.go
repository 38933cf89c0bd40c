package apidoc

import (
	"net/http"
	"reflect"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file makes response headers from fields.

func isCookie(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[http.Cookie]()
}

// cookieTexts returns the values of the header Set-Cookie: of a cookie, or of those in a slice.
func cookieTexts(v reflect.Value) (texts []string, err error) {
	switch {
	case v.IsZero():
		return nil, nil
	case v.Kind() == reflect.Pointer:
		return cookieTexts(v.Elem())
	case v.Kind() == reflect.Struct:
		c := v.Addr().Interface().(*http.Cookie)
		return []string{c.String()}, c.Valid()
	}
	for i := range v.Len() {
		more, err := cookieTexts(v.Index(i))
		if err != nil {
			return nil, err
		}
		texts = append(texts, more...)
	}
	return texts, nil
}

// shownTexts returns the texts of a field that is left out if it is zero.
func shownTexts(s *schema.Schema, v reflect.Value) ([]string, error) {
	if v.IsZero() {
		return nil, nil
	}
	return value.Texts(s, v)
}
