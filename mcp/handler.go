package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/cors"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/serving"
)

// This file serves the MCP protocol up to the call of a tool.

// API has operations and their description: an [apidoc.API] or a flowercatalog.App.
type API interface {
	http.Handler
	Document() (*apidoc.Document, error)
}

// New returns a handler that serves the selected operations of an API as tools, at any path. It
// does not serve operations that are defined later.
//
// The handler does not check tokens. Every client may list the tools, and a call without the
// credentials that its operation needs is an error of the tool, with status 200. Clients that log
// in by OAuth need a 401 first: pass a check to [WithMiddleware].
//
// It returns an error if no operation is chosen, for invalid options, and for operations that
// cannot be tools, such as one that needs credentials which calls do not send.
func New(api API, options ...Option) (http.Handler, error) {
	h := &handler{settings: settings{
		passedOn:     []string{"Authorization", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"},
		requestLimit: DefaultRequestLimit, responseLimit: DefaultResponseLimit, callTime: DefaultCallTime, streamTime: DefaultStreamTime,
	}}
	if err := h.build(api, options); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	return h, nil
}

var errMounted = errors.New("the API's app is mounted in another app, whose filters calls would miss: pass that app and the path to mcp.WithHandler")

type handler struct {
	settings
	protocol http.Handler
}

func (h *handler) build(api API, options []Option) error {
	if isNil(api) || slices.ContainsFunc(options, func(o Option) bool { return o == nil }) {
		return errors.New("pass an API and options, not nil")
	}
	var errs []error
	for _, o := range options {
		errs = append(errs, o.apply(&h.settings))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	document, err := api.Document()
	if err != nil {
		return err
	}
	if h.handler == nil {
		h.handler, h.base, h.isDirect = api, document.BasePath(), true
	}
	if h.isDirect && document.Mounted() {
		return errMounted
	}
	model, err := document.Model()
	if err != nil {
		return err
	}
	tools, err := h.tools(document, model.Operations)
	if err != nil {
		return err
	}
	server := sdk.NewServer(&sdk.Implementation{Name: model.Title, Version: model.Version}, &sdk.ServerOptions{
		Instructions: model.Description,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // without listChanged: the tools never change
	})
	server.AddReceivingMiddleware(toolsOnly)
	for _, t := range tools {
		server.AddTool(&t.Tool, t.call)
	}
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless:                    true,
		MaxRequestBodyBytes:          max(h.requestLimit, 2*h.requestLimit), // the limit itself if doubling overflows
		DisableLocalhostProtection:   true,                                  // it refuses proxies on the same machine, and ServeHTTP checks the origin
		PropagateRequestCancellation: true,
	})
	parts := serving.SendTimeout(10 * time.Second)(protocol) // calls may last longer than the server's WriteTimeout
	h.protocol = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := r.Clone(context.WithValue(r.Context(), inboundKey{}, r))
		const version, unbatched = "Mcp-Protocol-Version", "2025-06-18"
		if inner.Header.Get(version) < unbatched {
			inner.Header.Set(version, unbatched) // older versions have batches: one request could make thousands of calls
		}
		parts.ServeHTTP(w, inner)
	})
	if h.middleware != nil {
		if h.protocol = h.middleware(h.protocol); isNil(h.protocol) {
			return errors.New("WithMiddleware: the function returned nil: return a handler")
		}
	}
	if len(h.origins) > 0 {
		h.protocol = cors.New(cors.Options{
			AllowedOrigins: h.origins, AllowedMethods: []string{http.MethodPost}, AllowedHeaders: []string{"*"},
			ExposedHeaders: []string{"WWW-Authenticate"}, // has the URL to log in
		}).Handler(h.protocol)
	}
	return nil
}

// isNil reports whether v is nil, or a nil pointer or function.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return !value.IsValid() || (value.Kind() == reflect.Pointer || value.Kind() == reflect.Func) && value.IsNil()
}

// toolsOnly refuses the methods of capabilities that the server does not declare.
func toolsOnly(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if kind, _, _ := strings.Cut(method, "/"); kind == "prompts" || kind == "resources" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "there are only tools"}
		}
		return next(ctx, method, r)
	}
}

// inboundKey is the key of the MCP request in the context of its calls.
type inboundKey struct{}

// ServeHTTP checks the origin of a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, origin := range r.Header["Origin"] { // only browsers send it
		if !slices.Contains(h.origins, origin) {
			http.Error(w, "Forbidden: pages of this origin may not use the tools", http.StatusForbidden)
			return
		}
	}
	h.protocol.ServeHTTP(w, r)
}
