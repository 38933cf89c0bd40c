package apidoc

import (
	"slices"

	"example.com/flowercafe/apidoc/internal/schema"
)

// docAPI is an API as its description tells it. What all forms write alike is given as a value that
// encoding/json writes so; nil is left out.
type docAPI struct {
	Info       any
	SpecInfo   any    // takes Info's place in the contract's form
	Base       string // the path below which the operations are, escaped; empty for the root
	Servers    any
	Tags       any
	Docs       any
	Extensions map[string]any
	Operations []*docOperation
	Webhooks   []*docOperation
	Schemes    []*docScheme
	Names      *typeNames
}

// docOperation is what a request to one path with one method does.
type docOperation struct {
	Method      string // in lower case
	Path        string
	ID          string
	Summary     string
	SpecSummary string // takes Summary's place in the contract's form
	Description string
	Tags        []string
	Deprecated  bool
	Docs        any
	Extensions  map[string]any
	Parameters  []docParameter
	ClosedForm  bool // fields of a form that are not described are refused
	Responses   []docResponse
	Security    [][]docWay // one way of each list is needed
	Callbacks   []docCallback
}

// docParameter is a value of a request, its body, or a header of a response.
type docParameter struct {
	Name        string
	In          string // path, query, header, cookie, form or body
	Description string
	Required    bool
	Schema      *schema.Schema
	Media       []string // of a body
	Accept      []string // of a file
	Example     any
}

// docResponse is a response of one status, or of all others if that is 0.
type docResponse struct {
	Status      int
	Description string
	Headers     []docParameter
	Media       []string       // of the body
	Sent        []string       // the same as the header Content-Type has them
	Body        *schema.Schema // nil if nothing is told of it
	Events      *schema.Schema // the data of server-sent events, which the body is then made of
	Example     any
}

// docCallback is a request that the server sends to an address found by the expression.
type docCallback struct {
	Name, Expression string
	Operation        *docOperation
}

// docScheme is a way to authorize requests.
type docScheme struct {
	Name   string
	Kind   string // http, apiKey, oauth2 or openIdConnect
	Scheme string // bearer or basic
	In     string // of an apiKey: header, query or cookie
	Key    string // of an apiKey
	URL    string // of openIdConnect
	Flows  []docFlow
}

// docWay is a scheme and what it must allow.
type docWay struct {
	*docScheme
	Scopes []string
}

// docFlow is a way to get a token of OAuth 2.
type docFlow struct {
	Kind             string            `json:"-"`
	AuthorizationURL string            `json:"authorizationUrl,omitempty"`
	TokenURL         string            `json:"tokenUrl,omitempty"`
	RefreshURL       string            `json:"refreshUrl,omitempty"`
	Scopes           map[string]string `json:"scopes"`
}

// isFile reports whether the parameter is a file of a form, or several.
func (p *docParameter) isFile() bool {
	s := p.Schema.Resolve()
	if s != nil && s.Items != nil {
		s = s.Items.Resolve()
	}
	return p.In == "form" && s != nil && isBinary(s)
}

// example returns what shows the parameter's value: its own example, that of its rules, or its
// type's.
func (p *docParameter) example() any {
	if p.Example != nil || p.In == "body" {
		return p.Example
	}
	for s := p.Schema; s != nil; s = s.Target {
		if s.Example != nil {
			return s.Example
		}
	}
	return nil
}

// consumes returns the media types of the operation's requests, none if they have no body.
func (op *docOperation) consumes() []string {
	var media []string
	for i := range op.Parameters {
		switch p := &op.Parameters[i]; {
		case p.In == "body":
			return p.Media
		case p.isFile():
			return []string{"multipart/form-data"}
		case p.In == "form":
			media = []string{"application/x-www-form-urlencoded"}
		}
	}
	return media
}

// produces returns the media types of the responses, each once, unless JSON is the only one.
func (op *docOperation) produces() []string {
	var media []string
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

// response returns the response of a status, or the one of all others; nil if there is neither.
func (op *docOperation) response(status int) *docResponse {
	var others *docResponse
	for i := range op.Responses {
		switch r := &op.Responses[i]; r.Status {
		case status:
			return r
		case 0:
			others = r
		}
	}
	return others
}
