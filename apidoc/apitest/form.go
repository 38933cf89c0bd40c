package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// This file encodes bodies.

// Form is a form as a browser sends it: multipart/form-data if it has a [File], or else urlencoded.
// A value is a File, a []File, a []string, or anything else, which is written as by [fmt.Sprint].
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
	case Form:
		return body.encode()
	}
	text, err := json.Marshal(body)
	return string(text), "application/json", err
}

// encode returns the form with its content type. Fields are in the order of their names.
func (f Form) encode() (content, contentType string, err error) {
	values, files := make(url.Values), make(map[string][]File)
	for name, value := range f {
		switch value := value.(type) {
		case File:
			files[name] = []File{value}
		case []File:
			files[name] = value
		case []string:
			values[name] = value
		default:
			values.Set(name, fmt.Sprint(value))
		}
	}
	if len(files) == 0 {
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
