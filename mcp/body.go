package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// This file describes the bodies of requests as arguments, and writes them.

// bodySchema returns the schema of the argument body, or nil if the body cannot be one.
func (t *tool) bodySchema(s *schemas) any {
	content := t.RequestBody.Content[t.media[0]]
	switch t.body {
	case jsonBody:
		return s.of(content.Schema)
	case formBody, multipartBody:
		form := maps.Clone(t.description.resolve(content.Schema))
		fields, _ := form["properties"].(object)
		fields = maps.Clone(fields)
		for name, schema := range fields {
			switch items := t.description.resolve(schema)["items"]; {
			case t.description.isBinary(schema):
				fields[name] = fileSchema()
			case items != nil && t.description.isBinary(items):
				list := maps.Clone(t.description.resolve(schema))
				list["items"] = fileSchema()
				fields[name] = list
			}
		}
		form["properties"] = fields
		return s.of(form)
	case linesBody:
		return object{"type": "array", "items": s.of(t.description.itemSchema(linesBody, content))}
	case textBody:
		return object{"type": "string"}
	case bytesBody:
		schema := object{"type": "string", "contentEncoding": "base64"}
		if len(t.media) == 1 {
			schema["contentMediaType"] = t.media[0]
		}
		return schema
	}
	return nil
}

func fileSchema() object {
	return object{"type": "object", "description": "A file", "required": []string{"content"}, "additionalProperties": false, "properties": object{
		"name":    object{"type": "string", "description": "Its name, such as rose.png"},
		"type":    object{"type": "string", "description": "Its media type, such as image/png"},
		"content": object{"type": "string", "contentEncoding": "base64"},
	}}
}

// write returns the body of a request and its media type. An error is for the model.
func (t *tool) write(argument json.RawMessage, mediaType string) ([]byte, string, error) {
	switch t.body {
	case jsonBody:
		return argument, mediaType, nil
	case formBody, multipartBody:
		return t.writeForm(argument)
	case linesBody:
		var lines []json.RawMessage
		if err := json.Unmarshal(argument, &lines); err != nil {
			return nil, "", errors.New("must be an array")
		}
		var b bytes.Buffer
		for _, line := range lines {
			_ = json.Compact(&b, line) // it was JSON a moment ago
			b.WriteByte('\n')
		}
		return b.Bytes(), mediaType, nil
	case textBody:
		var text string
		if err := json.Unmarshal(argument, &text); err != nil {
			return nil, "", errors.New("must be text")
		}
		return []byte(text), mediaType, nil
	}
	var content []byte
	if err := json.Unmarshal(argument, &content); err != nil || argument[0] != '"' {
		return nil, "", errors.New("must be base64")
	}
	return content, mediaType, nil
}

// writeForm writes a form, urlencoded if the operation reads that.
func (t *tool) writeForm(argument json.RawMessage) ([]byte, string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(argument, &members); err != nil {
		return nil, "", errors.New("must be an object")
	}
	var b bytes.Buffer
	values, parts := make(url.Values), multipart.NewWriter(&b)
	fields, _ := t.description.resolve(t.RequestBody.Content[t.media[0]].Schema)["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		schema, list := fields[name], []json.RawMessage{members[name]}
		if items := t.description.resolve(schema)["items"]; items != nil {
			if err := json.Unmarshal(members[name], &list); err != nil {
				return nil, "", fmt.Errorf("member %q must be an array", name)
			}
			schema = items
		}
		for _, v := range list {
			var err error
			if t.description.isBinary(schema) {
				err = writeFile(parts, name, v)
			} else {
				err = t.writeField(parts, values, name, schema, v)
			}
			if err != nil {
				return nil, "", fmt.Errorf("member %q %w", name, err)
			}
		}
	}
	if t.body == formBody {
		return []byte(values.Encode()), t.media[0], nil
	}
	_ = parts.Close()
	return b.Bytes(), parts.FormDataContentType(), nil
}

// writeField writes a field of a form. An object is a part with JSON.
func (t *tool) writeField(parts *multipart.Writer, values url.Values, name string, schema any, v json.RawMessage) error {
	header := make(textproto.MIMEHeader)
	header.Set("Content-Disposition", `form-data; name="`+quoted.Replace(name)+`"`)
	text := string(v)
	if t.description.isObject(schema) {
		header.Set("Content-Type", "application/json")
	} else {
		var err error
		if text, err = t.description.text(schema, v); err != nil {
			return err
		}
	}
	values.Add(name, text)
	w, err := parts.CreatePart(header)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	return err
}

// quoted escapes names in multipart forms as browsers do.
var quoted = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")

func writeFile(parts *multipart.Writer, name string, v json.RawMessage) error {
	var file struct {
		Name, Type string
		Content    *string
	}
	if err := json.Unmarshal(v, &file); err != nil || file.Content == nil {
		return errors.New("must be an object with the file's content in base64")
	}
	content, err := base64.StdEncoding.DecodeString(*file.Content)
	if err != nil {
		return errors.New("must have content in base64")
	}
	if file.Name == "" {
		file.Name = "file" // without a name it would be no file
	}
	if file.Type == "" {
		file.Type = "application/octet-stream"
	}
	if hasControl(file.Type) {
		return errors.New("must have a media type without control characters")
	}
	header := make(textproto.MIMEHeader)
	header.Set("Content-Disposition", `form-data; name="`+quoted.Replace(name)+`"; filename="`+quoted.Replace(file.Name)+`"`)
	header.Set("Content-Type", file.Type)
	w, err := parts.CreatePart(header)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}
