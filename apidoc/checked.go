package apidoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file checks an operation and makes the schemas of its Go types, once for each operation.

// checked is a checked operation. It is immutable.
type checked struct {
	op    *Operation          // a copy
	frame *frame              // of the API that defined it, or nil
	doc   openapi.Operation   // without a method and path
	types *gotype.Definitions // the definitions to which its schemas refer
}

// frame is what an API describes beside its operations.
type frame struct {
	isWhole bool // it has a description of its own

	mu       sync.Mutex // guards what follows
	tags     []Tag
	webhooks []*checked
}

// isOther reports whether f is the frame of another API than own, with a description of its own.
func (f *frame) isOther(own *frame) bool { return f != nil && own != nil && f != own && f.isWhole }

// add adds a tag with a name, or a webhook.
func (f *frame) add(tag Tag, webhook *checked) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if webhook != nil {
		f.webhooks = append(slices.Clip(f.webhooks), webhook)
	} else {
		f.tags = append(slices.Clip(f.tags), tag)
	}
}

// content returns the tags and webhooks.
func (f *frame) content() ([]Tag, []*checked) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tags, f.webhooks
}

// newChecked checks an operation, which must not be changed afterwards.
func newChecked(op *Operation) (*checked, error) {
	d := &checked{op: op, types: gotype.NewDefinitions()}
	if op.ID == "" {
		return nil, errors.New("the operation has no ID: write one word, such as findBySlug")
	}
	if strings.ContainsFunc(op.ID, unicode.IsSpace) {
		return nil, fmt.Errorf("operation ID %q: write one word, without white space", op.ID)
	}
	if err := d.read(); err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.ID, err)
	}
	return d, nil
}

func (d *checked) read() error {
	op := d.op
	d.doc = openapi.Operation{
		ID: op.ID, Summary: op.Summary, Description: op.Description, Tags: op.Tags,
		Deprecated: op.Deprecated, Docs: op.ExternalDocs.orNil(), Extensions: op.Extensions, ClosedForm: op.closedForm,
	}
	for i, tag := range op.Tags {
		if tag == "" || slices.Contains(op.Tags[:i], tag) {
			return fmt.Errorf("tag %q: tags must not be empty or occur twice", tag)
		}
	}
	err := checkExtensions(op.Extensions)
	if err == nil {
		err = d.readParameters()
	}
	if err == nil {
		err = d.readResponses()
	}
	if err != nil {
		return err
	}
	if op.Security, err = joined(op.Security); err != nil {
		return err
	}
	for _, s := range op.Security {
		var ways []openapi.Way
		for _, w := range s.ways {
			if !isName(w.Name) {
				return fmt.Errorf("security scheme %q: %s", w.Name, nameRule)
			}
			ways = append(ways, openapi.Way{Scheme: &w.Scheme, Scopes: w.scopes})
		}
		d.doc.Security = append(d.doc.Security, ways)
	}
	for _, c := range op.callbacks {
		sent, err := newChecked(c.op)
		if err != nil {
			return err
		}
		d.doc.Callbacks = append(d.doc.Callbacks, openapi.Callback{Name: c.name, Expression: c.expression, Operation: &sent.doc})
		d.types.List = append(d.types.List, sent.types.List...)
	}
	return nil
}

// isWithin reports whether a name in a query is that of a member of an object.
func isWithin(object, name string) bool {
	return strings.HasPrefix(name, object+"[") && strings.HasSuffix(name, "]")
}

// nameRule says which names OpenAPI allows in references.
const nameRule = "write letters, digits, dots, hyphens and underscores"

func isName(name string) bool {
	rest := strings.NewReplacer(".", "", "-", "").Replace(name)
	return name != "" && gotype.PlainName(rest) == rest
}

func (d *checked) readParameters() error {
	var bodies, forms int
	for i, p := range d.op.Parameters {
		switch {
		case p.Name == "":
			return fmt.Errorf("%s parameter without a name: write its key", p.In)
		case slices.ContainsFunc(d.op.Parameters[:i], func(other Parameter) bool { return other.Name == p.Name && other.In == p.In }):
			return fmt.Errorf("%s parameter %q is described twice", p.In, p.Name)
		}
		switch p.In {
		case InPath, InQuery, InHeader, InCookie:
		case InForm:
			forms++
		case InBody:
			bodies++
		default:
			return fmt.Errorf("parameter %q is in place %q: write apidoc.InPath, InQuery, InHeader, InCookie, InForm or InBody",
				p.Name, p.In)
		}
		w, err := p.check(d.types)
		if err != nil {
			return fmt.Errorf("%s parameter %q: %w", p.In, p.Name, err)
		}
		d.doc.Parameters = append(d.doc.Parameters, w)
	}
	for _, object := range d.doc.Parameters {
		isMember := func(p Parameter) bool { return p.In == InQuery && isWithin(object.Name, p.Name) }
		if i := slices.IndexFunc(d.op.Parameters, isMember); i >= 0 && object.In == "query" && object.Schema.Resolve().Kind == "object" {
			return fmt.Errorf("query parameter %q has the name of a member of the object %q: give it another name", d.op.Parameters[i].Name, object.Name)
		}
	}
	needs, err := needsOf(d.op.Parameters)
	if err != nil {
		return err
	}
	for _, n := range needs {
		p, with := &d.doc.Parameters[n.missing], d.op.Parameters[n.with].Name
		p.NeededBy = append(p.NeededBy, with)
		p.Description = strings.TrimSpace(p.Description + "\n\nRequired with " + with + ".")
	}
	if bodies > 1 || bodies > 0 && forms > 0 {
		return errors.New("a request has only one body: describe one parameter in apidoc.InBody, or parameters in apidoc.InForm")
	}
	return nil
}

// need is a parameter that must be sent if another one is. Both are indexes.
type need struct{ missing, with int }

// needsOf returns what parameters require of each other.
func needsOf(parameters []Parameter) (needs []need, err error) {
	for i, p := range parameters {
		for _, name := range gotype.Needed(p.Rules) {
			j := slices.IndexFunc(parameters, func(other Parameter) bool { return other.In == p.In && other.Name == p.beside(name) })
			switch {
			case p.In != InQuery && p.In != InForm:
				return nil, fmt.Errorf("%s parameter %q: dependentRequired is for members of JSON objects, and for fields of forms and queries", p.In, p.Name)
			case j < 0 || j == i:
				return nil, fmt.Errorf("%s parameter %q: tag dependentRequired: %q is not another one: write names, with commas between them", p.In, p.Name, name)
			case !parameters[j].Required:
				needs = append(needs, need{j, i})
			}
		}
	}
	return needs, nil
}

// beside returns the name of a parameter that stands beside p, within the same object of the query.
func (p Parameter) beside(name string) string {
	if p.object != "" {
		return p.object + "[" + name + "]"
	}
	return name
}

func (d *checked) readResponses() error {
	if len(d.op.Responses) == 0 {
		return errors.New("no response: describe at least one")
	}
	for i, r := range d.op.Responses {
		switch {
		case r.Status != 0 && (r.Status < 100 || r.Status > 599):
			return fmt.Errorf("response %d: write a status of 100 to 599, or 0 for all others", r.Status)
		case r.Description == "":
			return fmt.Errorf("response %d: write a description", r.Status)
		case slices.ContainsFunc(d.op.Responses[:i], func(other Response) bool { return other.Status == r.Status }):
			return fmt.Errorf("response %d is described twice", r.Status)
		}
		w, err := r.check(d.types)
		if err != nil {
			return fmt.Errorf("response %d: %w", r.Status, err)
		}
		d.doc.Responses = append(d.doc.Responses, w)
	}
	return nil
}

// check checks the parameter and returns it for the description.
func (p Parameter) check(types *gotype.Definitions) (openapi.Parameter, error) {
	s, err := p.schema(types)
	if err == nil {
		err = p.checkType(s)
	}
	if err == nil {
		p.Example, err = checkExample(p.Type, s, p.Example, value.Lenient)
	}
	w := openapi.Parameter{
		Name: p.Name, In: string(p.In), Description: p.Description, Required: p.Required,
		Schema: s, Media: p.media, AreLines: p.areLines, Commas: p.commas, Example: p.Example,
	}
	if accept := p.Rules.Get("accept"); accept != "" {
		if w.Accept = message.Split(accept); err == nil && !p.Type.isFile() {
			err = errors.New("tag accept: this is for a File: write the media types of a body in its tag body")
		}
	}
	return w, err
}

// check checks the response and returns it for the description.
func (r Response) check(definitions *gotype.Definitions) (openapi.Response, error) {
	w := openapi.Response{Status: r.Status, Description: r.Description, AreLines: r.areLines, Example: r.Example}
	var types []string
	var err error
	if w.Sent, types, err = message.Types(r.ContentType); err != nil {
		return w, err
	}
	for i, media := range w.Sent {
		if message.IsJSON(types[i]) { // parameters of this media type have no meaning (RFC 8259, 11)
			media = types[i]
		}
		w.Media = append(w.Media, media)
	}
	if !r.Body.none() {
		media := w.Media
		if r.areLines {
			media = []string{message.JSON}
		}
		if w.Body, err = contentSchema(r.Body, media, definitions); err == nil {
			w.Body, err = Parameter{In: InBody, Rules: r.rules}.addRules(w.Body)
		}
		if err == nil {
			w.Example, err = checkExample(r.Body, w.Body, r.Example, value.Response)
		}
	}
	if err == nil && !r.events.none() {
		w.Events, err = r.events.schema(definitions)
	}
	if err == nil && !r.problems.none() {
		w.Problems, err = r.problems.schema(definitions)
	}
	if err != nil {
		return w, err
	}
	for _, h := range r.Headers {
		h.In = InHeader
		header, err := h.check(definitions)
		if err != nil {
			return w, fmt.Errorf("header %s: %w", h.Name, err)
		}
		w.Headers = append(w.Headers, header)
	}
	return w, nil
}

// checkExample returns an example as JSON, and an error if it does not match its schema. Nil is
// none. One of the described type is encoded like its values, others as encoding/json has them.
func checkExample(t Type, s *schema.Schema, example any, mode value.Mode) (any, error) {
	if example == nil {
		return nil, nil
	}
	part := value.InResponses
	if mode == value.Lenient {
		part = value.InRequests
	}
	var text []byte
	var err error
	if reflect.TypeOf(example) == t.goType {
		v := reflect.New(t.goType).Elem()
		v.Set(reflect.ValueOf(example))
		text, err = value.Encode(nil, s, v, part)
	} else if text, err = json.Marshal(example); err == nil {
		text = value.Amended(s, text, part)
	}
	if err != nil {
		return nil, fmt.Errorf("example: %w", err)
	}
	if problems := value.Check(s, string(text), mode); len(problems) > 0 {
		return nil, fmt.Errorf("example: %s", summary(problems))
	}
	return json.RawMessage(text), nil
}

// schema returns the schema of the parameter for the description. Only a body can be null.
func (p Parameter) schema(types *gotype.Definitions) (*schema.Schema, error) {
	s, err := p.ruled(types)
	if err != nil {
		return nil, err
	}
	present := *s
	present.Doc, present.Nullable = "", s.Nullable && p.In == InBody && p.Required
	return &present, nil
}

// ruled returns the schema of the parameter's type with its rules. The zero Type is text, and in a
// body any value.
func (p Parameter) ruled(types *gotype.Definitions) (s *schema.Schema, err error) {
	switch {
	case p.In == InBody && !p.areLines && !message.IsJSON(p.media...):
		s, err = contentSchema(p.Type, p.media, types)
	case p.Type.none() && p.In != InBody:
		s = &schema.Schema{Kind: "string"}
	case p.In != InBody && !p.Type.isFile():
		s, err = types.ReadMember(p.Type.goType)
	default:
		s, err = p.Type.schema(types)
	}
	if err != nil {
		return nil, err
	}
	if p.In == InHeader && s.Leaf == schema.Time {
		date := *s
		date.Format, date.Leaf = schema.HTTPDate, s.Leaf.Formats[schema.HTTPDate]
		s = &date
	}
	return p.addRules(s)
}

// addRules returns a schema with the rules of the parameter.
func (p Parameter) addRules(s *schema.Schema) (*schema.Schema, error) {
	_, hasDefault := p.Rules.Lookup("default")
	s, err := gotype.Ruled(s, p.Rules)
	switch {
	case err != nil:
		return nil, err
	case (s.ReadOnly || s.WriteOnly) && p.object == "":
		return nil, errors.New("readOnly and writeOnly are for members of JSON objects: leave them out")
	case p.In == InBody && hasDefault:
		return nil, errors.New("a whole body has no default: make it a pointer, which is nil without a body")
	}
	return s, nil
}

// contentSchema returns the schema of a body. For media types other than JSON, strings and bytes
// are raw.
func contentSchema(t Type, media []string, types *gotype.Definitions) (*schema.Schema, error) {
	switch {
	case message.IsJSON(media...) || t.goType == nil:
	case t.goType.Kind() == reflect.String:
		return &schema.Schema{Kind: "string"}, nil
	case t.goType == reflect.TypeFor[[]byte]() || t.goType.Implements(readerType):
		return &schema.Schema{Kind: "string", Format: "binary"}, nil
	}
	return t.schema(types)
}

// checkType returns an error for types of parameters that cannot be written in a request.
func (p Parameter) checkType(s *schema.Schema) error {
	t := s.Resolve()
	isList := func(s *schema.Schema) bool { return s.Kind == "array" && s.Items.Resolve().Scalar() }
	isNested := func(p schema.Property) bool { s := p.Schema.Resolve(); return !s.Scalar() && !isList(s) }
	switch {
	case p.In == InBody || t.Scalar() || isList(t) && p.In != InPath && p.In != InCookie:
		return nil
	case p.In == InQuery && t.Kind == "object" && !slices.ContainsFunc(t.Properties, isNested) && (t.Values == nil || !isNested(schema.Property{Schema: t.Values})):
		return nil
	case p.In == InForm && t.Kind == "object": // a part with JSON
		return nil
	}
	return fmt.Errorf("its type is %s: write text, a number, a boolean or a time, in a query, form or header also a slice of these, "+
		"in a query also a struct of both, in a form any struct", p.Type)
}
