package apidoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file describes an operation while its plan is made: its parameters, bodies and examples.

// parameter is a value of a request, or its body, or a header of a response. Its GoType is nil for
// text, and in a body for any JSON.
type parameter struct {
	openapi.Parameter                   // without its Schema and Accept until they are read
	Rules             reflect.StructTag // from options and the field's tag
	media             []string          // of a body
}

// newParameter returns an optional parameter, with the rules of a field's tag.
func newParameter(in routing.Location, name string, t reflect.Type, rules reflect.StructTag) parameter {
	return parameter{openapi.Parameter{Name: name, In: string(in), Description: rules.Get("doc"), GoType: t}, rules, nil}
}

// inputError returns the error for a fault of the parameter.
func (p parameter) inputError(f *schema.Fault) InputError {
	return inputError(routing.Location(p.In), p.Name, f)
}

// inputError returns the error for a fault of a value in a request.
func inputError(in routing.Location, name string, f *schema.Fault) InputError {
	return InputError{In: in, Name: name, Detail: f.Detail, Code: f.Code, Limit: f.Limit}
}

// describe reads the schema of a parameter, or of the body, and adds it. It checks the names here,
// because only the definition has all names of a request.
func (d *definition) describe(p *parameter) error {
	for _, other := range d.doc.Parameters {
		switch {
		case other.In != p.In:
		case other.Name == p.Name, p.In == "header" && strings.EqualFold(other.Name, p.Name):
			return fmt.Errorf("%s parameter %q is described twice", p.In, p.Name)
		}
	}
	if err := p.readSchema(d.types); err != nil {
		return err
	}
	d.doc.Parameters = append(d.doc.Parameters, p.described())
	switch isPart := p.isFile() || p.Schema.Resolve().Kind == "object"; {
	case p.In == "body":
		d.doc.Consumes = p.media
	case p.In == "form" && isPart:
		d.doc.Consumes = []string{message.Multipart}
	case p.In == "form" && d.doc.Consumes == nil:
		d.doc.Consumes = []string{message.Form}
	}
	return nil
}

// takeRules removes and returns the rules that options add to a parameter. Rules that are left are
// for a parameter that the input lacks.
func (d *definition) takeRules(p parameter) reflect.StructTag {
	name := parameterName{routing.Location(p.In), p.Name}
	rules := d.rules[name]
	delete(d.rules, name)
	return rules
}

// require describes that a parameter must be sent if another one is.
func (d *definition) require(missing parameter, with string) {
	for i := range d.doc.Parameters {
		if p := &d.doc.Parameters[i]; p.Name == missing.Name && p.In == missing.In {
			p.NeededBy = append(p.NeededBy, with)
			p.Description = strings.TrimSpace(p.Description + "\n\nRequired with " + with + ".")
		}
	}
}

// addResponse adds a response; see withResponse.
func (d *definition) addResponse(status int, description string, r openapi.Response) {
	r.Status, r.Description = status, description
	d.doc.Responses = withResponse(d.doc.Responses, r)
}

// operation returns the operation as described so far, or an error if it is invalid.
func (d *definition) operation() (*Operation, error) {
	doc := &d.doc
	if err := checkExtensions(doc.Extensions); err != nil {
		return nil, err
	}
	switch {
	case doc.ID == "":
		return nil, errors.New("the operation has no ID: write one word, such as findBySlug")
	case strings.ContainsFunc(doc.ID, unicode.IsSpace):
		return nil, fmt.Errorf("operation ID %q: write one word, without white space", doc.ID)
	}
	for i, tag := range doc.Tags {
		if tag == "" || slices.Contains(doc.Tags[:i], tag) {
			return nil, fmt.Errorf("tag %q: tags must not be empty or occur twice", tag)
		}
	}
	for of := range d.rules {
		return nil, fmt.Errorf("Rules for the %s parameter %q: the input has none: write the name in its tag", of.in, of.name)
	}
	if err := d.addExamples(); err != nil {
		return nil, err
	}
	if d.isHidden && d.replaces {
		return nil, errors.New("Hidden and Replaces: write one of the two")
	}
	for _, s := range d.security {
		var requirements []openapi.Requirement
		for _, alt := range s.alternatives {
			if !isName(alt.Name) {
				return nil, fmt.Errorf("security scheme %q: %s", alt.Name, nameAdvice)
			}
			requirements = append(requirements, alt.Requirement)
		}
		doc.Security = append(doc.Security, requirements)
	}
	for i, c := range doc.Callbacks {
		if slices.ContainsFunc(doc.Callbacks[:i], func(other openapi.Callback) bool { return other.Name == c.Name }) {
			return nil, fmt.Errorf("two callbacks have the name %q: give them different names", c.Name)
		}
	}
	op := d.Operation
	op.defined = append(op.defined, d.types.List...)
	return &op, nil
}

// addExamples adds the examples to the bodies.
func (d *definition) addExamples() (err error) {
	for i, example := range d.examples {
		status, v, of := example.status, example.value, fmt.Sprintf("%d response", example.status)
		if slices.ContainsFunc(d.examples[:i], func(other bodyExample) bool { return other.status == status }) {
			return fmt.Errorf("two examples of one body, status %d: write one RequestExample, and one ResponseExample for each status", status)
		}
		body := slices.IndexFunc(d.doc.Parameters, func(p openapi.Parameter) bool { return p.In == "body" })
		response := slices.IndexFunc(d.doc.Responses, func(r openapi.Response) bool { return r.Status == status && r.Body != nil && r.Events == nil })
		switch {
		case status == 0 && body >= 0:
			of = "request"
			p := &d.doc.Parameters[body]
			p.Example, err = checkExample(p.GoType, p.Schema, v, schema.InRequests)
		case status != 0 && response >= 0:
			r := &d.doc.Responses[response]
			r.Example, err = checkExample(r.GoType, r.Body, v, schema.InResponses)
		case status == 0:
			return errors.New("RequestExample: the request has no body, or a form: leave it out, or write the tag example on the form's fields")
		default:
			return fmt.Errorf("example of %d: there is no such body: write the status of a described response that has a body, other than events", status)
		}
		if err != nil {
			return fmt.Errorf("the %s's %w", of, err)
		}
	}
	return nil
}

// nameAdvice describes the names that OpenAPI allows in references, as isName checks them.
const nameAdvice = "write letters, digits, dots, hyphens and underscores"

func isName(name string) bool {
	rest := strings.NewReplacer(".", "", "-", "").Replace(name)
	return name != "" && gotype.PlainName(rest) == rest
}

// described returns the parameter for the description. Only a required body can be null.
func (p parameter) described() openapi.Parameter {
	present := *p.Schema
	present.Doc, present.Nullable = "", present.Nullable && p.Required
	p.Schema = &present
	return p.Parameter
}

// isFile reports whether the parameter is an uploaded file, a pointer to one, or several.
func (p *parameter) isFile() bool {
	t := p.GoType
	return p.In == "form" && (t == reflect.TypeFor[File]() || t == reflect.TypeFor[*File]() || t == reflect.TypeFor[[]File]())
}

// responseMedia returns the media types of a response for the description. It removes the
// parameters of JSON types, which have no meaning (RFC 8259, 11).
func responseMedia(written, types []string) (media []string) {
	for i, m := range written {
		if message.IsJSON(types[i]) {
			m = types[i]
		}
		media = append(media, m)
	}
	return media
}

// ruleOfText returns the first rule in a tag that is for text, or "".
func ruleOfText(rules reflect.StructTag) string {
	for _, tag := range []string{"pattern", "enum", "format", "unique", "default"} {
		if _, ok := rules.Lookup(tag); ok {
			return tag
		}
	}
	return ""
}

// checkExample returns an example as JSON, and an error if it does not match its schema. An example
// of the described type is encoded like a response; encoding/json encodes other types.
func checkExample(t reflect.Type, s *schema.Schema, example any, direction schema.Direction) (any, error) {
	var text []byte
	var err error
	if example != nil && reflect.TypeOf(example) == t {
		text, err = value.Encode(nil, s, addressable(reflect.ValueOf(example)), direction)
	} else if text, err = json.Marshal(example); err == nil {
		text = value.Amended(s, text, direction)
	}
	if err != nil {
		return nil, fmt.Errorf("example: %w", err)
	}
	if problems := value.Check(s, string(text), direction); len(problems) > 0 {
		return nil, fmt.Errorf("example: %s", summary(problems))
	}
	return json.RawMessage(text), nil
}

// readSchema sets the schema of the parameter's type with its rules, and the media types of a file.
// The nil Type means text, or any JSON value in a body.
func (p *parameter) readSchema(types *gotype.Definitions) (err error) {
	if list := p.Rules.Get("accept"); list != "" {
		p.Accept = message.Split(list)
	}
	var s *schema.Schema
	switch {
	case p.AreLines:
		s, err = schemaOf(p.GoType, types)
	case p.isFile():
		s = binary()
		if p.GoType.Kind() == reflect.Slice {
			s = &schema.Schema{Kind: "array", Items: s}
		}
	case p.In == "body":
		s, err = schemaOf(p.GoType, types, p.media...)
	case p.GoType == nil:
		s = &schema.Schema{Kind: "string"}
	default:
		s, err = types.ReadText(p.GoType)
	}
	if err != nil {
		return err
	}
	format, hasFormat := p.Rules.Lookup("format")
	switch {
	case p.In == "header" && format == schema.HTTPDate && s.Resolve().Kind == "array":
		return errors.New(`a list in a header has commas between its items, and an HTTP date has one: leave format:"http-date" out`)
	case p.In == "header" && s.Duration && !hasFormat:
		return errors.New(`a time.Duration in a header would be nanoseconds: write an int of seconds, or the tag format:"duration"`)
	}
	if p.In == "header" && s.Codec == schema.Time {
		date := *s
		date.Format, date.Codec = schema.HTTPDate, s.Codec.Formats[schema.HTTPDate]
		s = &date
	}
	p.Schema, err = p.addRules(s)
	return err
}

// addRules returns a schema with the rules of the parameter.
func (p parameter) addRules(s *schema.Schema) (*schema.Schema, error) {
	_, hasDefault := p.Rules.Lookup("default")
	s, err := gotype.Ruled(s, p.Rules)
	switch {
	case err != nil:
		return nil, err
	case p.isFile() && ruleOfText(p.Rules) != "":
		return nil, fmt.Errorf("tag %s: a File is not text: write accept, minLength or maxLength", ruleOfText(p.Rules))
	case p.Rules.Get("accept") != "" && !p.isFile():
		return nil, errors.New("tag accept: this is for a File: write the media types of a body in its tag body")
	case p.In != "query" && p.In != "form" && len(gotype.Needed(p.Rules)) > 0:
		return nil, fmt.Errorf("%s parameter %q: dependentRequired is for members of JSON objects, and for fields of forms and queries", p.In, p.Name)
	case s.NotIn != 0:
		return nil, errors.New("readOnly and writeOnly are for members of JSON objects: leave them out")
	case p.In == "body" && hasDefault:
		return nil, errors.New("a whole body has no default: make it a pointer, which is nil without a body")
	}
	s.Nullable = s.Nullable && p.In == "body"
	return s, nil
}
