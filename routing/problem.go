package routing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"example.com/flowercafe/routing/internal/response"
)

// Problem is an error that tells the client what went wrong, as problem details (RFC 9457). Return
// it from an action or a filter. Without an [App.OnError] function it becomes the response, in the
// format described at [Problems].
type Problem struct {
	// Type is a URI that identifies the kind of problem, Title describes it. The defaults are
	// "about:blank" and the text of the status.
	Type, Title string

	// Status is the status of the response, 400 to 599. Any other makes it a 500.
	Status int

	// Detail and Instance, a URI, describe this occurrence. They are omitted if empty.
	Detail, Instance string

	// Members are further members of the JSON object. Members named like a standard one are left
	// out. If they cannot be encoded as JSON, the response is a plain 500.
	Members map[string]any
}

// Problems makes the app's own error responses problem details (application/problem+json): if
// nothing was found, if the method is not allowed, and for errors, of which a [Problem] is sent
// with all its fields. Clients that prefer text/html (RFC 9110, 12.5.1) get a short page. Without
// this option, clients that do not ask for JSON get pages and texts.
//
// Actions of [App.NotFound], [App.MethodNotAllowed] and [App.OnError] come first; one that returns
// the error it received gets the default response. The option also applies to mounted apps.
func Problems() Option {
	return option(func(s *settings) { s.problems = true })
}

// Error returns the title, and the detail if there is one.
func (p *Problem) Error() string {
	title := cmp.Or(p.Title, response.Title(p.Status))
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
	body, err := json.Marshal(standard{cmp.Or(p.Type, "about:blank"), cmp.Or(p.Title, response.Title(p.Status)), p.Status, p.Detail, p.Instance})
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

// detailsOf returns the part of an error that the client may see, or nil for none.
func (e *entry) detailsOf(err error, status int) (*response.Details, error) {
	var p *Problem
	if !find(err, &p) || p == nil {
		var missing *ParamError
		if !e.Problems || !find(err, &missing) || missing == nil {
			return nil, nil
		}
		p = &Problem{Detail: "The parameter " + strconv.Quote(missing.Key) + " is missing."}
	}
	whole := *p
	whole.Status = status
	body, err := json.Marshal(&whole)
	if err != nil {
		return nil, fmt.Errorf("encode problem: %w", err)
	}
	return &response.Details{Title: p.Title, Text: p.Detail, Problem: body}, nil
}
