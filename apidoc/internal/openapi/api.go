// Package openapi writes the description of an API in its formats: Swagger 2.0 and OpenAPI 3.0, 3.1
// and 3.2. Package apidoc makes the description from routes and Go types.
package openapi

import (
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/schema"
)

// API is the content of a description. Values of type any are encoded by encoding/json, and are the
// same in all formats; nil is omitted.
type API struct {
	Info       any
	Servers    any    // nil for the base path, on the host of the description
	ServerPath string // the path of the first server, which Swagger 2.0 has in place of Servers
	Relative   bool   // the first server is relative to the description, so Swagger 2.0 has the base path
	Tags       any
	NestedTags any // Tags with the members that only OpenAPI 3.2 has
	Docs       any // externalDocs
	Extensions map[string]any

	Operations []*Operation
	Webhooks   []*Operation
	Schemes    []*Scheme
	Names      map[reflect.Type]string // of all definitions that schemas refer to
}

// Operation describes the requests to a path with a method.
type Operation struct {
	Method, Path string // the method in lower case
	ID           string
	Summary      string
	Description  string
	Tags         []string
	Deprecated   bool
	Docs         any
	Extensions   map[string]any
	Parameters   []Parameter
	Consumes     []string // the media types of the body or form; may be nil
	ClosedForm   bool     // other fields of a form are refused
	Responses    []Response
	Security     [][]Requirement // one alternative of each list is needed
	Callbacks    []Callback
}

// Parameter is a value of a request, its body, or a header of a response.
type Parameter struct {
	Name        string
	In          string // path, query, header, cookie, form or body
	Description string
	Required    bool
	NeededBy    []string // described fields of the same form that require it
	Schema      *schema.Schema
	AreLines    bool         // each line of the body is a value of the schema
	Accept      []string     // the media types of a file
	Commas      bool         // between the values of a list in a query
	GoType      reflect.Type // of a body, for its example
	Example     any
}

// Response is the response with a status; 0 stands for all others.
type Response struct {
	Status      int
	IsProblem   bool // the body is the one of errors; problems of one status are joined
	Description string
	Headers     []Parameter
	Media       []string       // of the body
	AreListed   bool           // Media has all types that the body may have; see message.Has
	Sent        []string       // media types with parameters, for Swagger's produces
	Body        *schema.Schema // nil if it is not described
	AreLines    bool           // each line is a value of the body's schema
	Events      *schema.Schema // the data of server-sent events, if the body is made of these
	Problems    *schema.Schema // the data of the event for an error; may be nil
	GoType      reflect.Type   // of the body, for its example
	Example     any
}

// Callback is a request that the server sends to the URL in the expression.
type Callback struct {
	Name, Expression string
	Operation        *Operation
}

// Scheme is a security scheme.
type Scheme struct {
	Name    string
	Kind    string // http, apiKey, oauth2 or openIdConnect
	Scheme  string // bearer or basic
	In, Key string // of an apiKey
	URL     string // of openIdConnect
	Flows   []Flow // of oauth2
}

// Requirement is a scheme and its required scopes.
type Requirement struct {
	*Scheme
	Scopes []string
}

// Flow is a flow of OAuth 2.
type Flow struct {
	Kind                   string            `json:"-"`
	AuthorizationURL       string            `json:"authorizationUrl,omitempty"`
	DeviceAuthorizationURL string            `json:"deviceAuthorizationUrl,omitempty"`
	TokenURL               string            `json:"tokenUrl,omitempty"`
	RefreshURL             string            `json:"refreshUrl,omitempty"`
	Scopes                 map[string]string `json:"scopes"`
}

// Response returns the response with a status, or else the response for all other statuses, or nil.
func (op *Operation) Response(status int) *Response {
	for _, wanted := range []int{status, 0} {
		if i := slices.IndexFunc(op.Responses, func(r Response) bool { return r.Status == wanted }); i >= 0 {
			return &op.Responses[i]
		}
	}
	return nil
}

// IsNew reports whether Swagger 2.0 does not have the operation's method.
func (op *Operation) IsNew() bool { return op.Method == "trace" || op.Method == "query" }

// produces returns the media types of the responses, or nil for only JSON.
func (op *Operation) produces() (media []string) {
	for _, r := range op.Responses {
		for _, m := range r.Sent {
			if r.Body != nil && !slices.Contains(media, m) {
				media = append(media, m)
			}
		}
	}
	if slices.Equal(media, []string{"application/json"}) {
		return nil
	}
	return media
}

// isFile reports whether the parameter is a file of a form, or several.
func (p *Parameter) isFile() bool {
	s := p.Schema.Resolve()
	if s.Items != nil {
		s = s.Items.Resolve()
	}
	return p.In == "form" && s.IsBinary()
}

// style returns how the values of a query are written, if not in the default style.
func (p *Parameter) style() object {
	if p.Commas {
		return object{{"style", "form"}, {"explode", false}}
	}
	return nil
}

// example returns the parameter's example, or its type's.
func (p *Parameter) example() any {
	if p.Example == nil && p.In != "body" {
		for s := p.Schema; s != nil; s = s.Target {
			if s.Example != nil {
				return s.Example
			}
		}
	}
	return p.Example
}
