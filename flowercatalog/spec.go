package flowercatalog

import (
	"encoding/json"
	"fmt"
	"regexp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file serves spec.json, the description in the format of the contract. It is Swagger 2.0 with
// the member spec in place of swagger, four further members, and fewer details. All members that
// the contract lists are always there: what is not known is empty.

const specPath = "/api-docs/spec.json"

// descriptions are the paths of the description, which pages of other origins may read.
var descriptions = []string{specPath, "/api-docs/swagger.json", "/api-docs/openapi.json", "/api-docs/openapi-3.0.json", "/api-docs/openapi-3.2.json"}

// The contract has the second text, to the letter.
const (
	findSummary     = "Find a flower by its slug"
	findSpecSummary = "Find by a flower by its slug"
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
	Spec                string                              `json:"spec"`
	Info                specInfo                            `json:"info"`
	Paths               map[string]map[string]specOperation `json:"paths"`
	Definitions         map[string]json.RawMessage          `json:"definitions"`
	SecurityDefinitions map[string]json.RawMessage          `json:"securityDefinitions"`
}

type specInfo struct {
	Title          string      `json:"title"`
	Version        string      `json:"version"`
	Description    string      `json:"description"`
	TermsOfService string      `json:"termsOfService"`
	Contact        specContact `json:"contact"`
	License        specLicense `json:"license"`
}

type specContact struct {
	Name  string `json:"name"`
	URL   string `json:"url,omitempty"`
	Email string `json:"email,omitempty"`
}

type specLicense struct {
	Name string `json:"name"`
	URL  string `json:"url"`
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

type specParameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Type        string `json:"type,omitempty"` // a body has a schema in its place
	specRules
}

// specRules are the rules for a parameter's value.
type specRules struct {
	Format           json.RawMessage `json:"format,omitempty"`
	Minimum          json.RawMessage `json:"minimum,omitempty"`
	ExclusiveMinimum json.RawMessage `json:"exclusiveMinimum,omitempty"`
	Maximum          json.RawMessage `json:"maximum,omitempty"`
	ExclusiveMaximum json.RawMessage `json:"exclusiveMaximum,omitempty"`
	MultipleOf       json.RawMessage `json:"multipleOf,omitempty"`
	Items            json.RawMessage `json:"items,omitempty"`
	MinItems         json.RawMessage `json:"minItems,omitempty"`
	MaxItems         json.RawMessage `json:"maxItems,omitempty"`
	MinLength        json.RawMessage `json:"minLength,omitempty"`
	MaxLength        json.RawMessage `json:"maxLength,omitempty"`
	Pattern          json.RawMessage `json:"pattern,omitempty"`
	Enum             json.RawMessage `json:"enum,omitempty"`
	UniqueItems      json.RawMessage `json:"uniqueItems,omitempty"`
	Default          json.RawMessage `json:"default,omitempty"`
	CollectionFormat json.RawMessage `json:"collectionFormat,omitempty"`
	Schema           json.RawMessage `json:"schema,omitempty"`
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
	if d.Info.License == (specLicense{}) {
		d.Info.License = specLicense{placeholders.License.Name, placeholders.License.URL}
	}
	for _, methods := range d.Paths {
		for method, op := range methods {
			methods[method] = op.complete()
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

// complete returns an operation whose lists are not null, and whose failures have only a
// description.
func (op specOperation) complete() specOperation {
	if op.Summary == findSummary {
		op.Summary = findSpecSummary
	}
	op.Tags, op.Parameters = append([]string{}, op.Tags...), append([]specParameter{}, op.Parameters...)
	for status, r := range op.Responses {
		if status[0] == '4' || status[0] == '5' {
			op.Responses[status] = specResponse{Description: r.Description}
		}
	}
	return op
}

var reference = regexp.MustCompile(`"\$ref":\s*"#/definitions/([^"]+)"`)

// addUsed adds the definitions to which a JSON text refers, also through others.
func (d *specDocument) addUsed(used map[string]json.RawMessage, text []byte) {
	for _, match := range reference.FindAllSubmatch(text, -1) {
		if name := string(match[1]); used[name] == nil {
			used[name] = d.Definitions[name]
			d.addUsed(used, used[name])
		}
	}
}
