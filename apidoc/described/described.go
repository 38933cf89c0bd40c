// Package described has the operations of an API as data, for programs that call them. It is the
// result of apidoc.Document.Model.
package described

// API is a described API.
type API struct {
	Title, Version, Description string
	Operations                  []Operation
}

// Operation is what a route does. Its schemas are JSON Schema 2020-12, each complete, with types
// that contain themselves in $defs.
type Operation struct {
	ID, Method, Summary, Description string
	Deprecated                       bool
	Tags                             []string
	Parameters                       []Value // in the path, the query, headers and cookies
	Body                             *Body   // nil if the operation reads no body
	Responses                        []Response
	Security                         [][]Scheme // a request needs one of each list
}

// Value is a parameter, or a field of a form.
type Value struct {
	Name, In, Description string
	Required              bool
	Kind, Items           string // kinds of the value and, for an array, of its items
	Schema                map[string]any
	Example               any
}

// The kinds of values, other than the types of JSON Schema. An integer is a number.
const (
	Any  = ""
	File = "file"
)

// Body is the body of a request or response.
type Body struct {
	Media    []string // media types
	Required bool
	Kind     string         // of its value, line or event
	Schema   map[string]any // JSON Schema of that; the event of an error has other data
	Fields   []Value        // of a form
}

// Response is the response with a status; 0 stands for all others.
type Response struct {
	Status  int
	Body    *Body    // nil for no body
	Headers []string // their names
}

// Scheme describes how requests are authorized.
type Scheme struct{ Kind, In, Key string }
