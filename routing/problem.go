package routing

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
)

// Problem is an error that tells the client what went wrong, as problem details (RFC 9457). Return
// one from an action or a filter: without an [App.OnError] function its parts are the response, in
// the form that [Problems] tells.
type Problem struct {
	// Type is a URI that names the kind of problem, Title says in words what it is. The default is
	// "about:blank" with the text of the status.
	Type, Title string

	// Status is the status of the response, 400 to 599. Any other makes it a 500.
	Status int

	// Detail and Instance, a URI, are about this occurrence. They are left out if they are empty.
	Detail, Instance string

	// Members are further members for the client. If they cannot be encoded as JSON, the response
	// is a plain 500; one with the name of a standard member is left out.
	Members map[string]any
}

// Problems makes the responses that no handler of the host's makes problem details,
// application/problem+json: where nothing was found, where the method is not allowed, and for
// errors, a [Problem] with all that it tells. Clients that prefer text/html (by the weights in
// Accept; RFC 9110, 12.5.1) get a short page. Actions of [App.NotFound], [App.MethodNotAllowed] and
// [App.OnError] go first, and one that returns the error that it was given leaves the response to
// this. It counts for mounted apps too.
//
// Without it, clients that don't ask for JSON get pages and texts.
func Problems() Option {
	return option(func(s *settings) { s.problems = true })
}

// Error returns the title, and the detail if there is one.
func (p *Problem) Error() string {
	title := cmp.Or(p.Title, textOf(p.Status))
	if p.Detail == "" {
		return title
	}
	return title + ": " + p.Detail
}

// StatusCode returns the status.
func (p *Problem) StatusCode() int { return p.Status }

// MarshalJSON returns the problem details.
func (p *Problem) MarshalJSON() ([]byte, error) {
	type standard struct {
		Type     string `json:"type"`
		Title    string `json:"title"`
		Status   int    `json:"status"`
		Detail   string `json:"detail,omitempty"`
		Instance string `json:"instance,omitempty"`
	}
	body, err := json.Marshal(standard{cmp.Or(p.Type, "about:blank"), cmp.Or(p.Title, textOf(p.Status)), p.Status, p.Detail, p.Instance})
	if err != nil || len(p.Members) == 0 {
		return body, err
	}
	more := maps.Clone(p.Members)
	for _, name := range []string{"type", "title", "status", "detail", "instance"} {
		delete(more, name)
	}
	members, err := json.Marshal(more)
	if err != nil || len(more) == 0 {
		return body, err
	}
	return append(append(body[:len(body)-1], ','), members[1:]...), nil
}

// problemOf returns what an error tells a client, or nil.
func (e *entry) problemOf(err error) *Problem {
	var p *Problem
	if find(err, &p) && p != nil {
		return p
	}
	var missing *ParamError
	if e.problems && find(err, &missing) && missing != nil {
		return &Problem{Status: http.StatusBadRequest, Detail: "The parameter " + strconv.Quote(missing.Key) + " is missing."}
	}
	return nil
}
