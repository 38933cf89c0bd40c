package flowercatalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file serves spec.json, the description in the format of the contract. It is Swagger 2.0 with
// the member spec in place of swagger, four further members, and fewer details.

const specPath = "/api-docs/spec.json"

// descriptions are the paths of the description, which pages of other origins may read.
var descriptions = []string{specPath, "/api-docs/swagger.json", "/api-docs/openapi.json", "/api-docs/openapi-3.0.json", "/api-docs/openapi.yaml"}

// The contract has these texts, to the letter.
const (
	findSummary     = "Find a flower by its slug"
	findSpecSummary = "Find by a flower by its slug"
	defaultLicense  = `{"name":"Not chosen yet","url":"https://flowercafe.example/licence"}`
)

// Document returns the description of all routes that have an operation, also those that you added.
// It returns an error for operations that cannot be described, such as two with the same ID; the
// paths of the description then respond with 500. So call Document after adding operations.
func (a *App) Document() (*apidoc.Document, error) {
	a.made()
	return a.api.Document()
}

// Spec returns the description in the format of the contract, as /api-docs/spec.json has it. The
// errors are those of [App.Document]. The bytes must not be changed.
func (a *App) Spec() ([]byte, error) {
	d, err := a.Document()
	if err != nil {
		return nil, err
	}
	return a.spec.of(d)
}

// sendSpec responds with spec.json.
func (a *App) sendSpec(c routing.Context) (routing.Result, error) {
	body, err := a.Spec()
	if err != nil {
		return routing.Result{}, err
	}
	return jsonWithETag(c, tagOf(body), body)
}

// spec is spec.json, made again when the description has changed.
type spec struct {
	license string // if the description names none, as JSON; may be empty

	mu   sync.Mutex // guards what follows
	from *apidoc.Document
	body []byte
}

// of returns spec.json for a description.
func (s *spec) of(d *apidoc.Document) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from != d {
		body, err := s.write(d.Swagger())
		if err != nil {
			return nil, fmt.Errorf("flowercatalog: make spec.json: %w", err)
		}
		s.from, s.body = d, body
	}
	return s.body, nil
}

// write makes spec.json from Swagger 2.0.
func (s *spec) write(swagger []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(swagger))
	decoder.UseNumber()
	whole := readOrdered(decoder).(object)
	info := whole.at("info")
	if s.license != "" && info.at("license") == nil {
		info = append(info, member{"license", json.RawMessage(s.license)})
	}
	paths := whole.at("paths")
	for _, path := range paths {
		for i, method := range path.value.(object) {
			path.value.(object)[i].value = specOperation(method.value.(object))
		}
	}
	definitions := whole.at("definitions")
	used := definitions.referredTo(paths, nil)
	body, err := json.MarshalIndent(object{
		{"spec", "2.0"},
		{"info", info},
		{"paths", paths},
		{"definitions", slices.DeleteFunc(definitions, func(m member) bool { return !slices.Contains(used, m.name) })},
		{"securityDefinitions", whole.at("securityDefinitions")},
	}, "", "  ")
	return append(body, '\n'), err
}

// specOperation returns the members of an operation that the contract has. It has only the
// description of a failure.
func specOperation(op object) object {
	op = op.only("operationId", "summary", "tags", "deprecated", "parameters", "responses", "security")
	for i, m := range op {
		if m.name == "summary" && m.value == findSummary {
			op[i].value = findSpecSummary
		}
	}
	parameters, _ := op.member("parameters").([]any)
	for i, p := range parameters {
		parameters[i] = slices.DeleteFunc(p.(object), func(m member) bool { return m.name == "x-example" })
	}
	responses := op.at("responses")
	for i, r := range responses {
		kept := []string{"description", "schema"}
		if strings.HasPrefix(r.name, "4") || strings.HasPrefix(r.name, "5") {
			kept = kept[:1]
		}
		responses[i].value = r.value.(object).only(kept...)
	}
	return op
}

// object is a JSON object in the order of its text.
type object []member

type member struct {
	name  string
	value any // object, []any, or as encoding/json has it
}

// readOrdered reads a JSON value, which is valid since apidoc has encoded it.
func readOrdered(d *json.Decoder) any {
	token, _ := d.Token()
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, _ := d.Token()
			o = append(o, member{name.(string), readOrdered(d)})
		}
		d.Token()
		return o
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, readOrdered(d))
		}
		d.Token()
		return list
	}
	return token
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

// member returns the value of a member, or nil.
func (o object) member(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// at returns a member that is an object.
func (o object) at(name string) object {
	inner, _ := o.member(name).(object)
	return inner
}

// only returns the members with the names.
func (o object) only(names ...string) object {
	return slices.DeleteFunc(o, func(m member) bool { return !slices.Contains(names, m.name) })
}

// referredTo adds the names of the definitions to which a value refers, also through others.
func (o object) referredTo(value any, names []string) []string {
	switch v := value.(type) {
	case object:
		for _, m := range v {
			names = o.referredTo(m.value, names)
		}
		reference, _ := v.member("$ref").(string)
		name := strings.TrimPrefix(reference, "#/definitions/")
		if name != reference && !slices.Contains(names, name) {
			names = o.referredTo(o.at(name), append(names, name))
		}
	case []any:
		for _, item := range v {
			names = o.referredTo(item, names)
		}
	}
	return names
}
