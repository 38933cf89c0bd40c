package mcp

import (
	"bytes"
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
)

// This file describes the bodies of requests as arguments, and writes them.

// bodySchema returns the schema of the argument body.
func (t *tool) bodySchema() any {
	d, content := t.description, t.RequestBody.Content[t.media[0]]
	switch t.body {
	case jsonBody:
		return content.Schema
	case linesBody:
		return object{"type": "array", "items": content.ItemSchema}
	case textBody:
		return object{"type": "string"}
	case bytesBody:
		return object{"type": "string", "contentEncoding": "base64", "description": "In base64; " + strings.Join(t.media, " or ")}
	}
	form := maps.Clone(d.resolve(content.Schema))
	fields := maps.Clone(form["properties"].(object))
	for name, schema := range fields {
		if list := d.resolve(schema); d.isBinary(list) {
			fields[name] = fileSchema
		} else if d.isBinary(list["items"]) {
			list = maps.Clone(list)
			list["items"], fields[name] = fileSchema, list
		}
	}
	form["properties"] = fields
	return form
}

var fileSchema = object{"type": "object", "description": "A file", "required": []string{"content"}, "properties": object{
	"name":    object{"type": "string", "description": "Its name, such as rose.png"},
	"type":    object{"type": "string", "description": "Its media type, such as image/png"},
	"content": object{"type": "string", "contentEncoding": "base64"},
}}

// write returns the body of a request and its media type. An error is for the model.
func (t *tool) write(argument json.RawMessage) (content []byte, mediaType string, err error) {
	var is string
	switch t.body {
	case jsonBody:
		content = argument
	case formBody, multipartBody:
		return t.writeForm(argument)
	case linesBody:
		var lines []json.RawMessage
		err, is = json.Unmarshal(argument, &lines), "an array"
		var b bytes.Buffer
		for _, line := range lines {
			_ = json.Compact(&b, line) // it was JSON a moment ago
			b.WriteByte('\n')
		}
		content = b.Bytes()
	case bytesBody:
		var base64 string
		if err, is = json.Unmarshal(argument, &base64), "base64"; err == nil {
			err = json.Unmarshal(argument, &content)
		}
	default:
		var text string
		err, is = json.Unmarshal(argument, &text), "text"
		content = []byte(text)
	}
	if err != nil {
		return nil, "", errors.New("must be " + is)
	}
	mediaType = http.DetectContentType(content)
	isIn := func(media string) bool {
		ok, _ := path.Match(media, mediaType) // of a range such as image/*
		return ok
	}
	if !slices.ContainsFunc(t.media, isIn) {
		mediaType = t.media[0]
	}
	return content, mediaType, nil
}

// writeForm writes a form.
func (t *tool) writeForm(argument json.RawMessage) ([]byte, string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(argument, &members); err != nil {
		return nil, "", errors.New("must be an object")
	}
	d := t.description
	fields := d.resolve(t.RequestBody.Content[t.media[0]].Schema)["properties"].(object)
	var b bytes.Buffer
	values, parts := make(url.Values), multipart.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		schema, ok := fields[name]
		if !ok { // it could be the field that overrides the method
			return nil, "", fmt.Errorf("has no member %q", name)
		}
		list := []json.RawMessage{members[name]}
		if items := d.resolve(schema)["items"]; items != nil {
			if err := json.Unmarshal(members[name], &list); err != nil {
				return nil, "", fmt.Errorf("member %q must be an array", name)
			}
			schema = items
		}
		for _, v := range list {
			header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + quoted.Replace(name) + `"`}}
			text, err := string(v), error(nil)
			switch {
			case d.isBinary(schema):
				text, err = readFile(v, header)
			case d.isObject(schema):
				header.Set("Content-Type", "application/json")
			default:
				text, err = d.text(schema, v)
			}
			if err != nil {
				return nil, "", fmt.Errorf("member %q %w", name, err)
			}
			values.Add(name, text)
			part, _ := parts.CreatePart(header) // a buffer has no errors
			_, _ = part.Write([]byte(text))
		}
	}
	_ = parts.Close()
	if t.body == multipartBody {
		return b.Bytes(), parts.FormDataContentType(), nil
	}
	return []byte(values.Encode()), t.media[0], nil
}

// quoted escapes names in multipart forms as browsers do, and backslashes as Go reads them.
var quoted = strings.NewReplacer(`\`, `\\`, `"`, "%22", "\r", "%0D", "\n", "%0A")

// readFile returns the content of a file, and sets the header of its part.
func readFile(v json.RawMessage, header textproto.MIMEHeader) (string, error) {
	var file struct{ Name, Type, Content string }
	err := json.Unmarshal(v, &file)
	content, notBase64 := base64.StdEncoding.DecodeString(file.Content)
	if err != nil || notBase64 != nil || hasControl(file.Type) {
		return "", errors.New("must be an object with the name, the type and, in base64, the content of a file")
	}
	if file.Name == "" {
		file.Name = "file" // without a name it would be no file
	}
	header["Content-Disposition"][0] += `; filename="` + quoted.Replace(file.Name) + `"`
	if header.Set("Content-Type", "application/octet-stream"); file.Type != "" {
		header.Set("Content-Type", file.Type)
	}
	return string(content), nil
}
