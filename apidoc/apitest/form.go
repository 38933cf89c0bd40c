package apitest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// This file encodes bodies.

// Form is a form as a browser sends it: multipart/form-data if it has a [File] or a part with JSON,
// or else urlencoded. A value is a File, a []File, a []string, a struct or a map, which is a part
// with JSON, or anything else, which is written by its MarshalText or as by [fmt.Sprint].
type Form map[string]any

// File is an uploaded file of a [Form].
type File struct {
	Name        string
	ContentType string // the default is application/octet-stream
	Content     []byte
}

// encode returns a body with its content type.
func encode(body any) (content, contentType string, err error) {
	switch body := body.(type) {
	case nil:
		return "", "", nil
	case string:
		return body, "application/json", nil
	case []byte:
		return string(body), "application/json", nil
	case io.Reader:
		text, err := io.ReadAll(body)
		return string(text), "application/json", err
	case url.Values:
		return body.Encode(), "application/x-www-form-urlencoded", nil
	case Form:
		return body.encode()
	}
	text, err := json.Marshal(body)
	return string(text), "application/json", err
}

// encode returns the form with its content type. Fields are in the order of their names.
func (f Form) encode() (content, contentType string, err error) {
	values, files, hasJSON := make(url.Values), make(map[string][]File), false
	for name, value := range f {
		switch value := value.(type) {
		case File:
			files[name] = []File{value}
		case []File:
			files[name] = value
		case []string:
			values[name] = value
		default:
			text, isJSON, err := encodeField(value)
			if err != nil {
				return "", "", fmt.Errorf("field %s: %w", name, err)
			}
			values.Set(name, text)
			hasJSON = hasJSON || isJSON
		}
	}
	if len(files) == 0 && !hasJSON {
		return values.Encode(), "application/x-www-form-urlencoded", nil
	}
	var body strings.Builder // its writes return no error
	w := multipart.NewWriter(&body)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			w.WriteField(name, value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, file := range files[name] {
			part, err := w.CreatePart(file.header(name))
			if err != nil {
				return "", "", err
			}
			part.Write(file.Content)
		}
	}
	if err := w.Close(); err != nil {
		return "", "", err
	}
	return body.String(), w.FormDataContentType(), nil
}

// encodeField returns the text of a field, and whether it is JSON.
func encodeField(value any) (text string, isJSON bool, err error) {
	if m, ok := value.(encoding.TextMarshaler); ok {
		b, err := m.MarshalText()
		return string(b), false, err
	}
	t := reflect.TypeOf(value)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, isText := value.(fmt.Stringer); isText || t == nil || t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		return fmt.Sprint(value), false, nil
	}
	b, err := json.Marshal(value)
	return string(b), true, err
}

// header returns the header of a file's part (RFC 7578, 4.2).
func (f File) header(field string) textproto.MIMEHeader {
	contentType := f.ContentType
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	return textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition(field, f.Name)},
		"Content-Type":        {contentType},
	}
}
