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

// This file tests features: it sends the same requests to each library's API, and reads the API's
// description.

// feature is a row of the table: a small API in each library, and tests of it.
type feature struct {
	key, name    string // features.py has the same key
	apidoc, huma func() http.Handler
	probes       []probe
	isOmitted    bool   // apidoc leaves it to others on purpose
	document     string // the path of FastAPI's description, /openapi.json if empty
}

// probe is a test of a service. It returns "" for success, or what the service did instead.
type probe func(service) string

// service is an API on a server.
type service struct {
	origin   string // with the base path
	document string // the path of its description
}

// outcome is the result of a feature's probes in one library.
type outcome struct {
	worked []bool   // by probe
	seen   []string // the texts of failed probes
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

// try runs all probes on a service.
func (f *feature) try(s service) (o outcome) {
	for _, p := range f.probes {
		seen := p(s)
		if o.worked = append(o.worked, seen == ""); seen != "" && !slices.Contains(o.seen, seen) {
			o.seen = append(o.seen, seen)
		}
	}
	return o
}

// tryGo builds an API of a Go library, and runs the probes on it. If the API cannot be built, the
// service responds with 404.
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

// abandon sends a request, and cancels it after a duration. It returns the status of the response,
// or 0 if there was none by then.
func (s service) abandon(request string, after time.Duration) (status int) {
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

// request makes a request from a text: the method and the target in the first line, then headers,
// an empty line and the body. The default media type is JSON.
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

// response is a response with its body. JSON is without white space.
type response struct {
	status int
	header http.Header
	body   string
}

// send sends a request; see the method request.
func (s service) send(text string) (response, error) {
	r, err := s.request(text)
	if err != nil {
		return response{}, err
	}
	received, err := client.Do(r)
	if err != nil {
		return response{}, err
	}
	defer received.Body.Close()
	body, err := io.ReadAll(received.Body)
	var compact bytes.Buffer
	if json.Compact(&compact, body) == nil {
		body = compact.Bytes()
	}
	return response{received.StatusCode, received.Header, string(body)}, err
}

// Libraries choose statuses differently. anySuccess is any of 200 to 299. anyRefusal is any of 400
// to 499 except 404 and 405, which an API without the operation would send too.
const (
	anySuccess = 2
	anyRefusal = 4
)

func matches(status, wanted int) bool {
	switch wanted {
	case anySuccess:
		return status/100 == 2
	case anyRefusal:
		return status/100 == 4 && status != http.StatusNotFound && status != http.StatusMethodNotAllowed
	}
	return status == wanted
}

// responds is a probe that sends a request and wants a status and texts in the body. A text such as
// "Name: text" may be in a header instead.
func responds(text string, status int, parts ...string) probe {
	line := name(text)
	return func(s service) string {
		a, err := s.send(text)
		switch {
		case err != nil:
			return fmt.Sprintf("%s: no response", line)
		case !matches(a.status, status):
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

// name returns the beginning of a request, for the table.
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

// describes is a probe that wants a text in a part of the description. The path leads through the
// members of the document: a number or name=value selects an item of a list, * all members, body
// and response the properties of JSON bodies. References and alternatives are followed.
func describes(path, want string) probe {
	return func(s service) string {
		document, err := s.read()
		if err != nil {
			return "no description"
		}
		steps := strings.Fields(path)
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
		return fmt.Sprintf("not described: %s %s", path, want)
	}
}

func (s service) read() (document any, err error) {
	a, err := s.send("GET " + s.document)
	if err == nil {
		err = json.Unmarshal([]byte(a.body), &document)
	}
	return document, err
}

// walk returns the values at the end of a path through a document.
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
