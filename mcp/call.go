package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file makes a request of a call, and sends it through the app.

// call calls the tool.
func (t *tool) call(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	inbound, ok := ctx.Value(inboundKey{}).(*http.Request)
	if !ok {
		return nil, errors.New("mcp: the context of the request is lost")
	}
	if int64(len(call.Params.Arguments)) > t.settings.requestLimit {
		return failure(http.StatusRequestEntityTooLarge, fmt.Sprintf("The arguments have more than %d bytes", t.settings.requestLimit)), nil
	}
	if t.isDirect && t.document.Mounted() {
		slog.ErrorContext(ctx, "mcp: call refused", "tool", t.Name, "error", errMounted)
		return failure(http.StatusInternalServerError, ""), nil
	}
	ctx, end := context.WithCancelCause(routing.WithoutRecord(ctx))
	defer end(nil)
	defer context.AfterFunc(inbound.Context(), func() { end(context.Cause(inbound.Context())) })() // the SDK does so for the newest revision only
	m := &message{tool: t, base: t.base, path: make(map[string]string), query: make(url.Values), header: make(http.Header)}
	r := m.request(ctx, inbound, call)
	if m.errs != nil {
		return failure(http.StatusUnprocessableEntity, "The request is not as described", m.errs...), nil
	}
	w := &response{tool: t, request: r, call: call, cancel: end, header: make(http.Header)}
	w.serve()
	return w.result(), nil
}

// message collects the parts of a request, and the errors of the arguments.
type message struct {
	*tool
	base    string
	path    map[string]string
	query   url.Values
	header  http.Header
	content []byte
	errs    []apidoc.InputError
}

// refuse adds an error of an argument, or of all together if name is empty.
func (m *message) refuse(name, detail string) {
	e := apidoc.InputError{In: "argument", Name: name, Detail: detail}
	if name == "" {
		e.In = "arguments"
	}
	m.errs = append(m.errs, e)
}

// request makes the request of a call. If arguments are refused, m.errs has the reasons.
func (m *message) request(ctx context.Context, inbound *http.Request, call *sdk.CallToolRequest) *http.Request {
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
		if v != nil || a.always {
			if err := a.write(m, v); err != nil {
				m.refuse(a.name, err.Error())
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		m.refuse(name, "is no argument of the tool")
	}
	if m.errs != nil {
		return nil
	}
	target, err := m.document.Target(m.ID, m.path, m.query)
	if err != nil {
		m.refuse("", "make a path that would be read with other values")
		return nil
	}
	r, err := http.NewRequestWithContext(ctx, m.Method, m.base+target, bytes.NewReader(m.content))
	if err != nil {
		m.refuse("", "make no URL")
		return nil
	}
	for _, name := range m.passedOn {
		if values := call.Extra.Header.Values(name); values != nil {
			m.header[http.CanonicalHeaderKey(name)] = values
		}
	}
	m.header.Set("Accept", "application/json, */*;q=0.5")
	r.Header, r.RequestURI, r.Host, r.RemoteAddr, r.TLS = m.header, m.base+target, inbound.Host, inbound.RemoteAddr, inbound.TLS

	// With /trees/new and /trees/:id the argument new would lead to the former.
	probe := *r
	if probe.URL, err = url.Parse(m.document.BasePath() + target); err != nil {
		m.refuse("", "make no URL")
	} else if other := m.document.OtherRoute(&probe, m.ID); other != nil {
		m.refuse("", "make the path of another route")
	}
	return r
}
