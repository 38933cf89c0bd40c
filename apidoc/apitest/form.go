package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file encodes bodies.

// Form is a form: multipart/form-data if it has a [File], a []File or a part with JSON, else
// urlencoded. Values are written as operations read them without a tag format: text, numbers, times
// and the like as text, slices of these with a field for each item, and all others, except files,
// as a part with JSON.
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
	text, err := encodeJSON(body, schema.Everywhere)
	return string(text), "application/json", err
}

// encodeJSON returns the JSON of a value as a typed operation writes it, for one direction.
func encodeJSON(body any, direction schema.Direction) ([]byte, error) {
	s, v, err := schemaOf(body)
	if err != nil {
		return json.Marshal(body) // its error has the reason
	}
	return value.Encode(nil, s, v, direction)
}

// schemaOf returns the schema of a value's type, and an addressable copy of the value.
func schemaOf(body any) (*schema.Schema, reflect.Value, error) {
	t := reflect.TypeOf(body)
	if t == nil {
		return nil, reflect.Value{}, errors.New("nil has no type")
	}
	v := reflect.New(t).Elem()
	v.Set(reflect.ValueOf(body))
	s, err := gotype.NewDefinitions().ReadMember(t)
	return s, v, err
}

// encode returns the form with its content type. Fields are in the order of their names.
func (f Form) encode() (content, contentType string, err error) {
	values, files, hasJSON := make(url.Values), make(map[string][]File), false
	for name, value := range f {
		switch value := value.(type) {
		case nil:
		case File:
			files[name] = []File{value}
		case *File:
			if value != nil {
				files[name] = []File{*value}
			}
		case []File:
			files[name] = value
		default:
			texts, isJSON, err := encodeField(value)
			if err != nil {
				return "", "", fmt.Errorf("field %s: %w", name, err)
			}
			values[name] = texts
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
			part, _ := w.CreatePart(file.header(name))
			part.Write(file.Content)
		}
	}
	w.Close()
	return body.String(), w.FormDataContentType(), nil
}

// encodeField returns the texts of a field, and whether it is JSON.
func encodeField(field any) (texts []string, isJSON bool, err error) {
	s, v, err := schemaOf(field)
	if err != nil {
		return []string{fmt.Sprint(field)}, false, nil //nolint:nilerr // a type that operations do not read is written as it prints
	}
	t := s.Resolve()
	if !s.Content(v).IsValid() {
		return nil, false, nil
	}
	if t.Scalar() || t.Kind == "array" && t.Items.Resolve().Scalar() {
		texts, err = value.Texts(s, v)
		return texts, false, err
	}
	text, err := value.Encode(nil, s, v, schema.Everywhere)
	return []string{string(text)}, true, err
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
