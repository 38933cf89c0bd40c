package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
)

// This file serves the protocol: what comes before a call, from top to bottom.

// API is what has operations, and a description of them: an [apidoc.API] or a flowercatalog.App.
type API interface {
	http.Handler
	Document() (*apidoc.Document, error)
}

// Handler returns a handler that serves chosen operations of an API as tools, at any path. They are
// those that the API has now: call it after they are defined. The handler is safe for concurrent
// use.
//
// It returns an error if no operation is chosen, for an invalid option, and for operations that
// cannot be tools: two whose IDs make the same name, and those with credentials that no MCP request
// brings.
func Handler(api API, options ...Option) (http.Handler, error) {
	s := &settings{request: DefaultRequestLimit, response: DefaultResponseLimit, stream: DefaultStreamTime}
	var errs []error
	for _, option := range options {
		if option == nil {
			errs = append(errs, errors.New("pass an option, not nil"))
		} else if err := option(s); err != nil {
			errs = append(errs, err)
		}
	}
	if api == nil {
		errs = append(errs, errors.New("pass an API, not nil"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	d, err := api.Document()
	if err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	if s.through == nil {
		base := d.BasePath()
		s.through, s.base = api, &base
	}
	described, err := read(d)
	if err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	tools, err := described.tools(s)
	if err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	info := described.Info
	server := sdk.NewServer(&sdk.Implementation{Name: info.Title, Version: info.Version}, &sdk.ServerOptions{
		Instructions: info.Description,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // which do not change
	})
	for _, t := range tools {
		server.AddTool(&t.Tool, t.call)
	}
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless:                    true,
		MaxRequestBodyBytes:          s.request,
		DisableLocalhostProtection:   len(s.hosts) > 0,
		PropagateRequestCancellation: true,
	})
	return &handler{s, protocol}, nil
}

type handler struct {
	*settings
	protocol http.Handler
}

// inboundKey is the key of the MCP request in the context of its calls.
type inboundKey struct{}

// inbound is an MCP request and the writer of its response.
type inbound struct {
	*http.Request
	w http.ResponseWriter
}

// ServeHTTP checks where a request comes from, and passes it to the SDK.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(h.hosts) > 0 && !slices.Contains(h.hosts, r.Host) {
		http.Error(w, "Forbidden: this host is not served", http.StatusForbidden)
		return
	}
	w.Header().Add("Vary", "Origin")
	for _, origin := range r.Header["Origin"] { // none from programs other than browsers
		if !slices.Contains(h.origins, origin) {
			http.Error(w, "Forbidden: pages of this origin may not use the tools", http.StatusForbidden)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "WWW-Authenticate")
	}
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		w.Header().Set("Access-Control-Allow-Methods", http.MethodPost)
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		w.Header().Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	ctx := context.WithValue(r.Context(), inboundKey{}, &inbound{r, w})
	h.protocol.ServeHTTP(w, r.WithContext(ctx))
}
