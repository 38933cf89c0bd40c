package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file tries features: it sends the same requests to each library, and reads its description.

// feature is a row of the table: a small API in each library, and what its users try.
type feature struct {
	key, name    string // the key is that of the API in features.py
	apidoc, huma func() http.Handler
	probes       []probe
	outside      bool   // apidoc leaves it to others on purpose
	document     string // the path of FastAPI's description, /openapi.json if empty
}

// probe is one thing that should work. It returns what was seen instead, or "".
type probe func(service) string

// service is an API that runs.
type service struct {
	origin   string // with the base path
	document string // the path of its description
}

// outcome is what was seen of a feature in one library.
type outcome struct {
	worked []bool   // by probe
	seen   []string // of those that did not work
}

// String returns "works", "partly" or "not", and why.
func (o outcome) String() string {
	count := 0
	for _, ok := range o.worked {
		if ok {
			count++
		}
	}
	word := "not"
	switch {
	case count == len(o.worked):
		return fmt.Sprintf("works (%d)", count)
	case count > 0:
		word = fmt.Sprintf("partly (%d of %d)", count, len(o.worked))
	}
	seen := o.seen
	if len(seen) > 2 {
		seen = append(slices.Clone(seen[:2]), "…")
	}
	return word + ": " + strings.Join(seen, "; ")
}

// try tries all probes on a service.
func (f *feature) try(s service) (o outcome) {
	for _, p := range f.probes {
		seen := p(s)
		if o.worked = append(o.worked, seen == ""); seen != "" && !slices.Contains(o.seen, seen) {
			o.seen = append(o.seen, seen)
		}
	}
	return o
}

// tryGo builds an API of a Go library, and tries the feature on it. An API that cannot be built
// serves nothing.
func (f *feature) tryGo(build func() http.Handler, document string) outcome {
	handler, refusal := built(build)
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // panics of handlers show as no response
	server.Start()
	defer server.Close()
	o := f.try(service{server.URL, document})
	switch {
	case build == nil:
		o.seen = []string{"its documentation has nothing for it"}
	case refusal != "":
		o.seen = []string{refusal}
	}
	return o
}

func built(build func() http.Handler) (handler http.Handler, refusal string) {
	defer func() {
		if v := recover(); v != nil {
			handler, refusal = http.NotFoundHandler(), fmt.Sprint("it cannot be defined: ", v)
		}
	}()
	if build == nil {
		return http.NotFoundHandler(), ""
	}
	return build(), ""
}

// gaps returns the probes that work in another library but not in apidoc.
func gaps(own outcome, others ...outcome) (numbers []int) {
	for i, ok := range own.worked {
		works := func(o outcome) bool { return len(o.worked) > i && o.worked[i] }
		if !ok && slices.ContainsFunc(others, works) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// client is for all requests. The limit only guards against hanging.
var client = &http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// leave sends a request, and goes after a while. It returns the status of a response that came
// before, or 0.
func (s service) leave(request string, after time.Duration) (status int) {
	ctx, cancel := context.WithTimeout(context.Background(), after)
	defer cancel()
	r, err := s.request(request)
	if err != nil {
		return 0
	}
	response, err := client.Do(r.WithContext(ctx))
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

// request makes a request of a text: the method and the target in the first line, then headers, an
// empty line and the body. The default media type is JSON.
func (s service) request(text string) (*http.Request, error) {
	head, body, hasBody := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	method, target, _ := strings.Cut(lines[0], " ")
	r, err := http.NewRequest(method, s.origin+target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if hasBody {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	return r, nil
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request; see the method request.
func (s service) send(text string) (answer, error) {
	r, err := s.request(text)
	if err != nil {
		return answer{}, err
	}
	response, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	var compact bytes.Buffer
	if json.Compact(&compact, body) == nil {
		body = compact.Bytes()
	}
	return answer{response.StatusCode, response.Header, string(body)}, err
}

// Libraries choose statuses differently, with reasons: these stand for any of 200 to 299, and for
// any of 400 to 499 but 404 and 405, which are also those of an operation that does not exist.
const (
	good    = 2
	refused = 4
)

func isOf(status, wanted int) bool {
	switch wanted {
	case good:
		return status/100 == 2
	case refused:
		return status/100 == 4 && status != http.StatusNotFound && status != http.StatusMethodNotAllowed
	}
	return status == wanted
}

// answers is a probe that sends a request and wants a status, and texts in the body or, as "Name:
// text", in a header. JSON is compared without spaces.
func answers(text string, status int, parts ...string) probe {
	line := name(text)
	return func(s service) string {
		a, err := s.send(text)
		switch {
		case err != nil:
			return fmt.Sprintf("%s: no response", line)
		case !isOf(a.status, status):
			return fmt.Sprintf("%s: %d", line, a.status)
		}
		for _, part := range parts {
			name, value, _ := strings.Cut(part, ": ")
			inHeader := value != "" && strings.Contains(strings.Join(a.header.Values(name), ", "), value)
			if !inHeader && !strings.Contains(a.body, part) {
				return fmt.Sprintf("%s: %d without `%s`", line, a.status, part)
			}
		}
		return ""
	}
}

// name returns the first words of a request, for people.
func name(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if all := []rune(text); len(all) > 70 {
		text = string(all[:70]) + "…"
	}
	return "`" + text + "`"
}

// lacks is a probe for a response without a text.
func lacks(text string, part string) probe {
	line := name(text)
	return func(s service) string {
		a, err := s.send(text)
		if err != nil || a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed {
			return fmt.Sprintf("%s: %d", line, a.status)
		}
		if strings.Contains(a.body, part) {
			return fmt.Sprintf("%s: %d with `%s`", line, a.status, part)
		}
		return ""
	}
}

// describes is a probe for a place in the description that contains a text. The place is a path
// through the members of the document: a number or name=value finds an item of a list, * is the
// first member, body and response stand for the schemas of JSON, and references and alternatives
// are followed.
func describes(place, want string) probe {
	return func(s service) string {
		document, err := s.read()
		if err != nil {
			return "no description"
		}
		steps := strings.Fields(place)
		expanded := make([]string, 0, len(steps))
		for _, step := range steps {
			switch step {
			case "body":
				expanded = append(expanded, "requestBody", "content", "*", "schema", "properties")
			case "response":
				expanded = append(expanded, "content", "*", "schema", "properties")
			default:
				expanded = append(expanded, step)
			}
		}
		for _, found := range walk(document, document, expanded) {
			if text, _ := json.Marshal(found); strings.Contains(string(text), want) {
				return ""
			}
		}
		return fmt.Sprintf("not described: %s %s", place, want)
	}
}

func (s service) read() (document any, err error) {
	a, err := s.send("GET " + s.document)
	if err == nil {
		err = json.Unmarshal([]byte(a.body), &document)
	}
	return document, err
}

// walk returns what is at the end of a path through a document, by any of its alternatives.
func walk(document, at any, steps []string) []any {
	object, isObject := at.(map[string]any)
	if reference, ok := object["$ref"].(string); ok {
		path := strings.Split(strings.TrimPrefix(reference, "#/"), "/")
		for _, target := range walk(document, document, path) {
			return walk(document, target, steps)
		}
	}
	if len(steps) == 0 {
		return []any{at}
	}
	step, rest := steps[0], steps[1:]
	list, _ := at.([]any)
	var found []any
	if index, err := strconv.Atoi(step); err == nil && index < len(list) {
		return walk(document, list[index], rest)
	}
	for _, item := range list {
		name, value, _ := strings.Cut(step, "=")
		if member, ok := item.(map[string]any); ok && member[name] == value {
			found = append(found, walk(document, item, rest)...)
		}
	}
	if !isObject {
		return found
	}
	if value, ok := object[step]; ok {
		return walk(document, value, rest)
	}
	for name, value := range object {
		if step == "*" {
			found = append(found, walk(document, value, rest)...)
		}
		if alternatives, ok := value.([]any); ok && (name == "anyOf" || name == "oneOf" || name == "allOf") {
			for _, one := range alternatives {
				found = append(found, walk(document, one, steps)...)
			}
		}
	}
	return found
}
