package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/routing"
)

// This file makes a request of a call, and sends it through the app.

// call calls the tool.
func (t *tool) call(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	from, ok := ctx.Value(inboundKey{}).(*inbound)
	if !ok {
		return nil, errors.New("mcp: the context of the request is lost")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(from.Context(), cancel)() // the SDK does so for the newest revision only
	m := &message{tool: t, header: make(http.Header)}
	r := m.request(ctx, from, call.Params.Arguments)
	if m.errs != nil {
		return failure(http.StatusUnprocessableEntity, "The request is not as described", m.errs...), nil
	}
	w := &response{tool: t, request: r, from: from, call: call, cancel: cancel, header: make(http.Header)}
	w.serve()
	return w.result(), nil
}

// message collects the parts of a request, and what is wrong with the arguments.
type message struct {
	*tool
	query  bytes.Buffer // not a string, which would be copied for each of many values
	header http.Header
	errs   []apidoc.InputError
}

func (m *message) refuse(in, name, detail string) {
	m.errs = append(m.errs, apidoc.InputError{In: routing.Place(in), Name: name, Detail: detail})
}

// request makes the request of a call. It is nil if something is wrong.
func (m *message) request(ctx context.Context, from *inbound, arguments json.RawMessage) *http.Request {
	given := make(map[string]json.RawMessage)
	if err := json.Unmarshal(arguments, &given); len(arguments) > 0 && err != nil {
		m.refuse("body", "", "must be an object with the arguments")
		return nil
	}
	path := m.path
	for _, p := range m.Parameters {
		v, ok := given[p.argument]
		delete(given, p.argument)
		if ok = ok && string(v) != "null"; !ok && p.In != "path" {
			continue
		} else if !ok {
			m.refuse(p.In, p.argument, "is required")
		} else if text, err := m.add(p, v); err != nil {
			m.refuse(p.In, p.argument, err.Error())
		} else if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(text))
		}
	}
	var content []byte
	v, ok := given["body"]
	if !ok && m.method == method.Query && m.body != noBody { // it has a content type, also without a body (RFC 10008, 2.1)
		if m.header.Set("Content-Type", m.media[0]); m.body == multipartBody {
			v, ok = json.RawMessage("{}"), true // which needs a boundary
		}
	}
	if ok && m.body != noBody {
		delete(given, "body")
		text, mediaType, err := m.write(v)
		if err != nil {
			m.refuse("body", "", err.Error())
		}
		content = text
		m.header.Set("Content-Type", mediaType)
	}
	for name := range given {
		m.refuse("body", name, "is no argument of the tool")
	}
	target := m.base + path
	if m.query.Len() > 0 {
		target += "?" + m.query.String()[1:]
	}
	r, err := http.NewRequestWithContext(ctx, m.method, target, bytes.NewReader(content))
	if err != nil {
		m.refuse("path", "", "is none")
	}
	if m.errs != nil {
		return nil
	}
	for _, name := range append(slices.Clone(m.headers), "Authorization") {
		if values := from.Header.Values(name); values != nil {
			m.header[http.CanonicalHeaderKey(name)] = values
		}
	}
	m.header.Set("Accept", "application/json, */*;q=0.5")
	r.Header, r.RequestURI, r.Host, r.RemoteAddr, r.TLS = m.header, target, from.Host, from.RemoteAddr, from.TLS
	m.checkRoute(r, path)
	return r
}

// checkRoute refuses arguments that lead to another route, such as that of /trees/new when an
// argument of /trees/{id} is new.
func (m *message) checkRoute(r *http.Request, path string) {
	d := m.description.document
	path, _ = url.PathUnescape(d.BasePath() + path) // it was escaped here
	here := r.WithContext(r.Context())
	here.URL = &url.URL{Path: path, RawQuery: r.URL.RawQuery}
	other := d.OtherRoute(here, m.OperationID)
	if op := apidoc.OperationOf(other); op != nil {
		m.refuse("path", "", "is that of the operation "+op.ID())
	} else if other != nil {
		m.refuse("path", "", "is that of another route")
	}
}

// add adds a parameter to the query or the header, or returns the text that is a part of the path.
func (m *message) add(p *parameter, v json.RawMessage) (string, error) {
	fields, err := m.description.fields(p.Name, p.Schema, v)
	if err != nil {
		return "", err
	}
	texts := make([]string, len(fields))
	for i := range fields {
		texts[i] = fields[i].text
	}
	joined := strings.Join(texts, ", ")
	switch p.In {
	case "path":
		// The path would be that of another route; routes read %2F as a slash.
		if joined == "" || joined == "." || joined == ".." || strings.Contains(joined, "/") {
			return "", errors.New("must be a part of a path: not empty, without slashes, and not only periods")
		}
		// The route would refuse it, but the path may be that of another one.
		if pattern, _ := m.description.resolve(p.Schema)["pattern"].(string); !matches(pattern, joined) {
			return "", errors.New("must match the pattern " + pattern)
		}
	case "query":
		for i, f := range fields {
			if text := url.QueryEscape(f.text); i > 0 && p.Explode != nil && !*p.Explode {
				m.query.WriteString("," + text)
			} else {
				m.query.WriteString("&" + url.QueryEscape(f.name) + "=" + text)
			}
		}
	case "cookie":
		cookie := http.Cookie{Name: p.Name, Value: joined}
		if cookie.Valid() != nil {
			return "", errors.New("must have characters that a cookie may have")
		}
		m.header.Add("Cookie", cookie.String())
	default:
		if hasControl(joined) {
			return "", errors.New("must have no control characters")
		}
		m.header.Set(p.Name, joined)
	}
	return joined, nil
}

// matches reports whether a text matches a pattern of the description, which Go can read.
func matches(pattern, text string) bool {
	ok, err := regexp.MatchString(pattern, text)
	return ok || err != nil
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// field is a name and a text, as in a query.
type field struct{ name, text string }

// fields returns the fields of a value: one, or those of an array or an object.
func (d *description) fields(name string, schema any, v json.RawMessage) (all []field, err error) {
	described := d.resolve(schema)
	if items := described["items"]; items != nil {
		var list []json.RawMessage
		if err = json.Unmarshal(v, &list); err != nil {
			return nil, errors.New("must be an array")
		}
		for _, v := range list {
			text, err := d.text(items, v)
			if err != nil {
				return nil, err
			}
			all = append(all, field{name, text})
		}
		return all, nil
	}
	if !d.isObject(schema) {
		text, err := d.text(schema, v)
		return []field{{name, text}}, err
	}
	var members map[string]json.RawMessage
	if err = json.Unmarshal(v, &members); err != nil {
		return nil, errors.New("must be an object")
	}
	properties, _ := described["properties"].(object)
	for member, v := range members {
		schema, ok := properties[member]
		if !ok {
			schema = described["additionalProperties"]
		}
		more, err := d.fields(name+"["+member+"]", schema, v)
		if err != nil {
			return nil, fmt.Errorf("member %q %w", member, err)
		}
		all = append(all, more...)
	}
	return all, nil
}

// text returns the text of a scalar of the right type. The app checks all else.
func (d *description) text(schema any, v json.RawMessage) (text string, err error) {
	want, _ := d.resolve(schema)["type"].(string)
	is := "number"
	switch v[0] {
	case '"':
		is, err = "string", json.Unmarshal(v, &text)
	case 't', 'f':
		is, text = "boolean", string(v)
	case '{', '[', 'n':
		is = "no scalar"
	default:
		text = string(v)
	}
	if want == "integer" {
		want = "number" // the app refuses others
	}
	if is == "no scalar" || want != "" && want != is {
		return "", errors.New("must be of type " + want)
	}
	return text, err
}
