package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
)

// This file makes a request of a call, and sends it through the app.

// call calls the tool.
func (t *tool) call(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	from, ok := ctx.Value(inboundKey{}).(*inbound)
	if !ok {
		return nil, errors.New("mcp: the middleware around the handler lost the context of the request")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The SDK ends the context of newer revisions only.
	defer context.AfterFunc(from.Context(), cancel)()
	r, errs := t.request(ctx, from, call.Params.Arguments)
	if len(errs) > 0 {
		return failure(refusal(errs)), nil
	}
	w := &response{
		tool: t, uri: r.RequestURI, header: make(http.Header), cancel: cancel, told: teller(ctx, call),
		extend: func(d time.Duration) { _ = http.NewResponseController(from.w).SetWriteDeadline(time.Now().Add(d)) },
	}
	w.serve(t.through, r)
	return w.result(), nil
}

// request makes the request of a call, or says what is wrong with the arguments.
func (t *tool) request(ctx context.Context, from *inbound, arguments json.RawMessage) (*http.Request, []apidoc.InputError) {
	given := make(map[string]json.RawMessage)
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return nil, []apidoc.InputError{{In: apidoc.InBody, Detail: "must be an object with the arguments"}}
		}
	}
	for name, v := range given {
		if string(v) == "null" && name != bodyArgument {
			delete(given, name)
		}
	}
	m := &message{description: t.description, path: t.path, query: make([]string, 0, 4), header: make(http.Header)}
	known := make(map[string]bool)
	for _, p := range t.Parameters {
		known[p.argument] = true
		v, ok := given[p.argument]
		switch {
		case ok:
			if err := m.add(p, v); err != nil {
				m.refuse(p.In, p.argument, err)
			}
		case p.In == "path":
			m.refuse(p.In, p.argument, errors.New("is required"))
		}
	}
	content, mediaType := t.content(m, given, known)
	for name := range given {
		if !known[name] {
			m.refuse("body", "", fmt.Errorf("the argument %q is none of the tool's", name))
		}
	}
	if len(m.errs) > 0 {
		return nil, m.errs
	}
	target := *t.base + m.path
	if len(m.query) > 0 {
		target += "?" + strings.Join(m.query, "&")
	}
	r, err := http.NewRequestWithContext(ctx, t.method, target, bytes.NewReader(content))
	if err != nil {
		m.refuse("path", "", errors.New("is no path"))
		return nil, m.errs
	}
	if content == nil {
		r.Body, r.ContentLength = http.NoBody, 0
	} else {
		m.header.Set("Content-Type", mediaType)
	}
	for _, name := range append(t.headers, "Authorization") {
		if values := from.Header.Values(name); values != nil {
			m.header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	m.header.Set("Accept", "application/json, */*;q=0.5")
	r.Header, r.RequestURI = m.header, target
	r.Host, r.RemoteAddr, r.TLS = from.Host, from.RemoteAddr, from.TLS
	return r, nil
}

// content returns the body of the request and its media type, or nil for none.
func (t *tool) content(m *message, given map[string]json.RawMessage, known map[string]bool) ([]byte, string) {
	if t.body == noBody {
		return nil, ""
	}
	known[bodyArgument], known[typeArgument] = true, len(t.media) > 1
	mediaType := t.media[0]
	if v := given[typeArgument]; v != nil && len(t.media) > 1 {
		if err := json.Unmarshal(v, &mediaType); err != nil || !slices.Contains(t.media, mediaType) {
			m.refuse("header", typeArgument, fmt.Errorf("must be one of %s", strings.Join(t.media, ", ")))
		}
	}
	v, ok := given[bodyArgument]
	if !ok {
		return nil, ""
	}
	content, mediaType, err := t.write(v, mediaType)
	if err != nil {
		m.refuse("body", "", err)
	}
	return content, mediaType
}

// message collects the parameters of a request.
type message struct {
	*description
	path   string
	query  []string
	header http.Header
	errs   []apidoc.InputError
}

func (m *message) refuse(in, name string, err error) {
	m.errs = append(m.errs, apidoc.InputError{In: apidoc.Place(in), Name: name, Detail: err.Error()})
}

// add adds the value of a parameter.
func (m *message) add(p *parameter, v json.RawMessage) error {
	if p.In == "query" && m.isObject(p.Schema) {
		return m.addMembers(p, v)
	}
	texts, err := m.texts(p.Schema, v)
	if err != nil {
		return err
	}
	switch p.In {
	case "path":
		// An empty segment, or one with periods, would be the path of another operation.
		if text := texts[0]; text == "" || text == "." || text == ".." {
			return errors.New("must be text that can be a part of a path")
		}
		m.path = strings.ReplaceAll(m.path, "{"+p.Name+"}", url.PathEscape(texts[0]))
	case "query":
		for i := range texts {
			texts[i] = url.QueryEscape(texts[i])
		}
		if p.Explode != nil && !*p.Explode {
			texts = []string{strings.Join(texts, ",")}
		}
		for _, text := range texts {
			m.query = append(m.query, url.QueryEscape(p.Name)+"="+text)
		}
	default:
		return m.addHeader(p, strings.Join(texts, ", "))
	}
	return nil
}

// addMembers adds an object to the query.
func (m *message) addMembers(p *parameter, v json.RawMessage) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(v, &members); err != nil {
		return errors.New("must be an object")
	}
	described := m.resolve(p.Schema)
	for name, v := range members {
		schema := described["additionalProperties"]
		if fields, ok := described["properties"].(object); ok {
			schema = fields[name]
		}
		texts, err := m.texts(schema, v)
		if err != nil {
			return fmt.Errorf("member %q %w", name, err)
		}
		for _, text := range texts {
			m.query = append(m.query, url.QueryEscape(p.Name+"["+name+"]")+"="+url.QueryEscape(text))
		}
	}
	return nil
}

func (m *message) addHeader(p *parameter, text string) error {
	if hasControl(text) {
		return errors.New("must have no control characters")
	}
	if p.In == "header" {
		m.header.Set(p.Name, text)
		return nil
	}
	cookie := &http.Cookie{Name: p.Name, Value: text}
	if cookie.Valid() != nil {
		return errors.New("must have characters that a cookie may have")
	}
	m.header["Cookie"] = []string{strings.TrimPrefix(m.header.Get("Cookie")+"; "+cookie.String(), "; ")}
	return nil
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// texts returns the texts of a value: one, or those of an array.
func (d *description) texts(schema any, v json.RawMessage) (texts []string, err error) {
	items, isArray := d.resolve(schema)["items"]
	if !isArray {
		text, err := d.text(schema, v)
		return []string{text}, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(v, &list); err != nil {
		return nil, errors.New("must be an array")
	}
	for _, v := range list {
		text, err := d.text(items, v)
		if err != nil {
			return nil, fmt.Errorf("must have items each of which %w", err)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// text returns the text of a scalar. The app checks all other rules.
func (d *description) text(schema any, v json.RawMessage) (string, error) {
	kind, _ := d.resolve(schema)["type"].(string)
	is := map[byte]string{'"': "string", 't': "boolean", 'f': "boolean", '{': "object", '[': "array", 'n': "null"}[v[0]]
	switch {
	case is == "" && (kind == "integer" || kind == "number" || kind == ""), is == "boolean" && (kind == is || kind == ""):
		return string(v), nil
	case is == "string" && (kind == is || kind == ""):
		var text string
		err := json.Unmarshal(v, &text)
		return text, err
	case kind == "":
		return "", errors.New("must be text, a number or a boolean")
	}
	return "", fmt.Errorf("must be of type %s", kind)
}
