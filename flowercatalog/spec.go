package flowercatalog

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file serves spec.json: Swagger 2.0 with the member spec in place of swagger, and with fewer
// members. Its clients expect the members of specDocument even if they are empty.

const specPath = "/api-docs/spec.json"

// descriptions are the paths of the description, which pages of other origins may read.
var descriptions = []string{specPath, "/api-docs/swagger.json", "/api-docs/openapi.json", "/api-docs/openapi-3.0.json", "/api-docs/openapi-3.2.json"}

const (
	findSummary     = "Find a flower by its slug"
	findSpecSummary = "Find by a flower by its slug" // with the mistake that clients of spec.json expect
)

// Document returns the description, or an error for operations that cannot be described, such as
// two with the same ID. The paths of the description then respond with 500.
func (a *App) Document() (*apidoc.Document, error) {
	a.mustBeNew()
	return a.api.Document()
}

// Spec returns the description as /api-docs/spec.json has it. Do not change the bytes.
func (a *App) Spec() ([]byte, error) {
	d, err := a.Document()
	if err != nil {
		return nil, err
	}
	if latest := a.spec.Load(); latest != nil && latest.of == d {
		return latest.body, nil
	}
	body, err := writeSpec(d.Swagger(), a.placeholders)
	if err != nil {
		return nil, fmt.Errorf("flowercatalog: make spec.json: %w", err)
	}
	a.spec.Store(&spec{d, body})
	return body, nil
}

// sendSpec responds with spec.json.
func (a *App) sendSpec(c routing.Context) (routing.Result, error) {
	body, err := a.Spec()
	if err != nil {
		return routing.Result{}, err
	}
	return jsonWithETag(c, tagOf(body), body)
}

// spec is the spec.json of a document.
type spec struct {
	of   *apidoc.Document
	body []byte
}

// specDocument has the members of spec.json in their order.
type specDocument struct {
	Spec string `json:"spec"`
	Info struct {
		Title          string `json:"title"`
		Version        string `json:"version"`
		Description    string `json:"description"`
		TermsOfService string `json:"termsOfService"`
		Contact        struct {
			Name  string `json:"name"`
			URL   string `json:"url,omitempty"`
			Email string `json:"email,omitempty"`
		} `json:"contact"`
		License struct {
			Name string `json:"name"`
			URL  string `json:"url"`
		} `json:"license"`
	} `json:"info"`
	Paths               map[string]map[string]*specOperation `json:"paths"`
	Definitions         map[string]json.RawMessage           `json:"definitions"`
	SecurityDefinitions map[string]json.RawMessage           `json:"securityDefinitions"`
}

type specOperation struct {
	OperationID string                  `json:"operationId"`
	Summary     string                  `json:"summary"`
	Tags        []string                `json:"tags"`
	Deprecated  bool                    `json:"deprecated"`
	Parameters  []specParameter         `json:"parameters"`
	Responses   map[string]specResponse `json:"responses"`
	Security    json.RawMessage         `json:"security,omitempty"`
}

// specParameter is a parameter of Swagger 2.0, which has more members than spec.json.
type specParameter map[string]json.RawMessage

// parameterMembers are the members of a parameter in spec.json: first the required ones, then the
// rules for its value.
var parameterMembers = strings.Fields(`name in description required type
	format minimum exclusiveMinimum maximum exclusiveMaximum multipleOf items minItems maxItems
	minLength maxLength pattern enum uniqueItems default collectionFormat schema`)

// MarshalJSON writes the members in their order.
func (p specParameter) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for _, name := range parameterMembers {
		value, ok := p[name]
		if !ok && name == "description" {
			value = json.RawMessage(`""`)
		}
		if value != nil {
			text = fmt.Appendf(text, "%q:%s,", name, value)
		}
	}
	return append(text[:len(text)-1], '}'), nil
}

type specResponse struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// writeSpec makes spec.json from Swagger 2.0.
func writeSpec(swagger []byte, placeholders apidoc.Info) ([]byte, error) {
	d := specDocument{SecurityDefinitions: map[string]json.RawMessage{}}
	if err := json.Unmarshal(swagger, &d); err != nil {
		return nil, err
	}
	d.Spec = "2.0"
	if d.Info.TermsOfService == "" {
		d.Info.TermsOfService = placeholders.TermsOfService
	}
	if d.Info.License.Name == "" {
		d.Info.License.Name, d.Info.License.URL = placeholders.License.Name, placeholders.License.URL
	}
	for _, methods := range d.Paths {
		for _, op := range methods {
			op.complete()
		}
	}
	paths, err := json.Marshal(d.Paths)
	if err != nil {
		return nil, err
	}
	used := make(map[string]json.RawMessage)
	d.addUsed(used, paths)
	d.Definitions = used
	body, err := json.MarshalIndent(d, "", "  ")
	return append(body, '\n'), err
}

// complete adds the required members that an operation lacks, and removes everything but the
// description from its 4xx and 5xx responses.
func (op *specOperation) complete() {
	if op.Summary == findSummary {
		op.Summary = findSpecSummary
	}
	op.Tags, op.Parameters = append([]string{}, op.Tags...), append([]specParameter{}, op.Parameters...)
	for status, r := range op.Responses {
		if status[0] == '4' || status[0] == '5' {
			op.Responses[status] = specResponse{Description: r.Description}
		}
	}
}

var reference = regexp.MustCompile(`"\$ref":\s*"#/definitions/([^"]+)"`)

// addUsed adds the definitions to which a JSON text refers, directly or through others.
func (d *specDocument) addUsed(used map[string]json.RawMessage, text []byte) {
	for _, match := range reference.FindAllSubmatch(text, -1) {
		if name := string(match[1]); used[name] == nil {
			used[name] = d.Definitions[name]
			d.addUsed(used, used[name])
		}
	}
}
