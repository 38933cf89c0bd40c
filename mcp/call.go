package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
)

// This file makes a request of a call, and sends it through the app.

// call calls the tool.
func (t *tool) call(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	from, ok := ctx.Value(inboundKey{}).(*http.Request)
	if !ok {
		return nil, errors.New("mcp: the context of the request is lost")
	}
	if int64(len(call.Params.Arguments)) > t.settings.request {
		return failure(http.StatusRequestEntityTooLarge, fmt.Sprintf("The arguments have more than %d bytes", t.settings.request)), nil
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(from.Context(), func() { end(context.Cause(from.Context())) })() // the SDK does so for the newest revision only
	m := &message{tool: t, path: t.path, header: make(http.Header)}
	r := m.request(ctx, from, call)
	if m.errs != nil {
		return failure(http.StatusUnprocessableEntity, "The request is not as described", m.errs...), nil
	}
	w := &response{tool: t, request: r, call: call, end: end, header: make(http.Header)}
	w.serve()
	return w.result(), nil
}

// message collects the parts of a request, and what is wrong with the arguments.
type message struct {
	*tool
	path    string
	query   bytes.Buffer // not a string, which would be copied for each of many values
	header  http.Header
	content []byte
	errs    []apidoc.InputError
}

func (m *message) refuse(name, detail string) {
	m.errs = append(m.errs, apidoc.InputError{In: "argument", Name: name, Detail: detail})
}

// request makes the request of a call. It is nil if something is wrong.
func (m *message) request(ctx context.Context, from *http.Request, call *sdk.CallToolRequest) *http.Request {
	given, err := decode[map[string]json.RawMessage](call.Params.Arguments, "an object with the arguments")
	if err != nil {
		m.refuse("", err.Error())
		return nil
	}
	for _, a := range m.arguments {
		v := given[a.name]
		delete(given, a.name)
		if string(v) == "null" && !a.isBody {
			v = nil
		}
		if v != nil || a.isAlways {
			if err := a.write(m, v); err != nil {
				m.refuse(a.name, err.Error())
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		m.refuse(name, "is no argument of the tool")
	}
	target := m.base + m.path
	if m.query.Len() > 0 {
		target += "?" + m.query.String()[1:]
	}
	r, err := http.NewRequestWithContext(ctx, m.method, target, bytes.NewReader(m.content))
	if err != nil {
		m.refuse("", "is none")
	}
	if m.errs != nil {
		return nil
	}
	for _, name := range m.headers {
		if values := call.Extra.Header.Values(name); values != nil {
			m.header[http.CanonicalHeaderKey(name)] = values
		}
	}
	m.header.Set("Accept", "application/json, */*;q=0.5")
	r.Header, r.RequestURI, r.Host, r.RemoteAddr, r.TLS = m.header, target, from.Host, from.RemoteAddr, from.TLS
	m.checkRoute(r)
	return r
}

// checkRoute refuses arguments that lead to another route, such as that of /trees/new when an
// argument of /trees/{id} is new.
func (m *message) checkRoute(r *http.Request) {
	d := m.description.document
	path, _ := url.PathUnescape(d.BasePath() + m.path) // it was escaped here
	here := r.WithContext(r.Context())
	here.URL = &url.URL{Path: path, RawQuery: r.URL.RawQuery}
	other := d.OtherRoute(here, m.OperationID)
	if op := apidoc.OperationOf(other); op != nil {
		m.refuse("", "is that of the operation "+op.ID())
	} else if other != nil {
		m.refuse("", "is that of another route")
	}
}
