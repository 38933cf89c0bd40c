package apidoc

import (
	"encoding"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
)

// This file makes response headers from fields.

func isCookie(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[http.Cookie]()
}

// headerTexts returns the values of a header. The zero value has none. Times are HTTP dates, unless
// timeFormat is another one.
func headerTexts(v reflect.Value, timeFormat string) ([]string, error) {
	if v.IsZero() {
		return nil, nil
	}
	if v.Kind() == reflect.Slice && !gotype.IsBytes(v.Type()) {
		var texts []string
		for i := range v.Len() {
			more, err := headerTexts(v.Index(i), "date-time") // HTTP dates contain commas
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
	text, err := headerText(v, timeFormat)
	return []string{text}, err
}

func headerText(v reflect.Value, timeFormat string) (string, error) {
	switch own := v.Addr().Interface().(type) {
	case *time.Time:
		if timeFormat == "date-time" {
			return own.Format(time.RFC3339Nano), nil
		}
		return own.UTC().Format(http.TimeFormat), nil
	case *time.Duration:
		if timeFormat == "duration" {
			return schema.FormatDuration(*own), nil
		}
	case *url.URL:
		return own.String(), nil
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
