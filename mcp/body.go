package mcp

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/described"
)

// This file describes the bodies of requests as arguments, and writes them.

// body returns the schema of the argument body, and the function that writes it.
func (t *tool) body() (schema any, write func(*message, json.RawMessage) error, err error) {
	kind, types := choose(t.Body.Media)
	encoded := encodeText // an empty media type means one of types
	switch kind {
	case jsonBody:
		schema, encoded = t.Body.Schema, func(v json.RawMessage) ([]byte, string, error) { return v, "", nil }
		if t.Body.Kind == described.File {
			schema = object{} // bytes that are JSON
		}
	case linesBody:
		schema, encoded = object{"type": "array", "items": t.Body.Schema}, encodeLines
	case textBody:
		schema = object{"type": "string"}
	case bytesBody:
		schema = object{"type": "string", "contentEncoding": "base64", "description": "In base64; " + strings.Join(types, " or ")}
		encoded = encodeBytes
	default:
		if t.Body.Fields == nil {
			return nil, nil, fmt.Errorf("the fields of its body (%s) are not described: describe them", types[0])
		}
		schema, encoded = t.Body.Schema, t.form(kind == multipartBody)
	}
	return schema, func(m *message, v json.RawMessage) error {
		content, mediaType, err := encoded(v)
		if mediaType == "" {
			mediaType = http.DetectContentType(content)
			isIn := func(media string) bool {
				ok, _ := path.Match(media, mediaType) // of a range such as image/*
				return ok
			}
			if !slices.ContainsFunc(types, isIn) {
				mediaType = types[0]
			}
		}
		m.content = content
		m.header.Set("Content-Type", mediaType)
		return err
	}, nil
}

func encodeLines(v json.RawMessage) ([]byte, string, error) {
	lines, err := decode[[]json.RawMessage](v, "an array")
	var b bytes.Buffer
	for _, line := range lines {
		_ = json.Compact(&b, line) // line is valid JSON
		b.WriteByte('\n')
	}
	return b.Bytes(), "", err
}

func encodeText(v json.RawMessage) ([]byte, string, error) {
	text, err := decode[string](v, "text")
	return []byte(text), "", err
}

func encodeBytes(v json.RawMessage) ([]byte, string, error) {
	text, err := decode[string](v, "base64")
	content, notBase64 := base64.StdEncoding.DecodeString(text)
	if notBase64 != nil {
		err = errors.New("must be base64")
	}
	return content, "", err
}

var fileSchema = object{"type": "object", "description": "A file", "required": []string{"content"}, "properties": object{
	"name":    object{"type": "string", "description": "Its name, such as rose.png"},
	"type":    object{"type": "string", "description": "Its media type, such as image/png"},
	"content": object{"type": "string", "contentEncoding": "base64"},
}}

// form returns the function that writes a form, and describes its files.
func (t *tool) form(isMultipart bool) func(json.RawMessage) ([]byte, string, error) {
	properties, writers := t.Body.Schema["properties"].(object), make(map[string]func(json.RawMessage) ([]field, error))
	for _, f := range t.Body.Fields {
		writers[f.Name] = fieldsOf(f)
		if f.Kind == described.File {
			properties[f.Name] = fileSchema
		} else if f.Items == described.File {
			properties[f.Name].(object)["items"] = fileSchema
		}
	}
	return func(v json.RawMessage) ([]byte, string, error) {
		members, err := decode[map[string]json.RawMessage](v, "an object")
		if err != nil {
			return nil, "", err
		}
		maps.DeleteFunc(members, isNull)
		var b bytes.Buffer
		values, parts := make(url.Values), multipart.NewWriter(&b)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if writers[name] == nil { // it could be the field that overrides the method
				return nil, "", fmt.Errorf("has no member %q", name)
			}
			all, err := writers[name](members[name])
			if err != nil {
				return nil, "", fmt.Errorf("member %q %w", name, err)
			}
			for _, f := range all {
				values.Add(name, f.text)
				part, _ := parts.CreatePart(f.header(name)) // a buffer has no errors
				_, _ = part.Write([]byte(f.text))
			}
		}
		_ = parts.Close()
		if isMultipart {
			return b.Bytes(), parts.FormDataContentType(), nil
		}
		return []byte(values.Encode()), "", nil
	}
}

// isNull reports whether a member is null, which counts as absent where JSON becomes fields.
func isNull(_ string, v json.RawMessage) bool { return string(v) == "null" }

// quoted escapes names in multipart forms as browsers do, and backslashes as Go reads them.
var quoted = strings.NewReplacer(`\`, `\\`, `"`, "%22", "\r", "%0D", "\n", "%0A")

// header returns the header of the part of a multipart form.
func (f field) header(name string) textproto.MIMEHeader {
	header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + quoted.Replace(name) + `"`}}
	if f.file != "" {
		header["Content-Disposition"][0] += `; filename="` + quoted.Replace(f.file) + `"`
	}
	if f.mediaType != "" {
		header.Set("Content-Type", f.mediaType)
	}
	return header
}

// fileField returns a file in a form. Without a name it would be no file.
func fileField(v json.RawMessage) (field, error) {
	file, err := decode[struct{ Name, Type, Content string }](v, "an object")
	content, notBase64 := base64.StdEncoding.DecodeString(file.Content)
	if err != nil || notBase64 != nil || hasControl(file.Type) {
		return field{}, errors.New("must be an object with the name, the type and, in base64, the content of a file")
	}
	return field{string(content), cmp.Or(file.Name, "file"), cmp.Or(file.Type, "application/octet-stream")}, nil
}
