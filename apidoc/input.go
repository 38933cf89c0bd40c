package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file plans, once for each operation, how its input is read from a request.

// inputPlan is the plan to read a value of a type from a request.
type inputPlan struct {
	fields         []*fieldPlan // parameters and fields of the form
	body           fieldPart    // without a part if there is no body, or a form
	form           *formBody    // nil without a form
	parts          []fieldPart  // read in this order
	contextual     []fieldPart  // the parts that are contextual
	isStreamed     bool         // the operation reads the body while it runs
	validatorPaths [][]int      // index paths of the structs with request tags that implement Validator
}

// part is a part of a request.
type part interface {
	// read decodes the part into v, and returns its input errors. The error is a [Problem] if the
	// part cannot be read, or comes from a [Validator].
	read(from incoming, v reflect.Value) ([]InputError, error)
}

// contextual is a part that depends on the Context of the operation. Interceptors may replace the
// Context.
type contextual interface {
	part
	enter(c routing.Context, v reflect.Value)
}

// contextField is a field of type [routing.Context].
type contextField struct{}

func (contextField) enter(c routing.Context, v reflect.Value) { v.Set(reflect.ValueOf(c)) }

func (f contextField) read(from incoming, v reflect.Value) ([]InputError, error) {
	f.enter(from.Context, v)
	return nil, nil
}

// fieldPart is a part with the index of its field. The field of a [rule] is the one to which its
// errors belong. The index is nil if there is no field, and for an input that is the body.
type fieldPart struct {
	part
	index []int
}

// rule is a part that checks several values together. It sets no field.
type rule func(from incoming) []InputError

func (r rule) read(from incoming, _ reflect.Value) ([]InputError, error) { return r(from), nil }

// inputTags are the tags that bind a field to the request.
var inputTags = []string{"path", "query", "header", "cookie", "form", "body"}

// planInput plans an input type, and describes it in d.
func planInput(t reflect.Type, d *definition) (*inputPlan, error) {
	p := new(inputPlan)
	d.types.Input = true
	defer func() { d.types.Input = false }()
	plan := func(f reflect.StructField) (bool, error) { return p.planField(t, f, d) }
	tagged, err := eachField(t, inputTags, plan, gotype.Unmarshaler, gotype.TextUnmarshaler)
	if err == nil && !tagged {
		err = p.addBody(t, nil, "", d)
	}
	switch {
	case err != nil:
		return nil, err
	case p.form != nil && p.body.part != nil:
		return nil, errors.New("a request has only one body: write form tags, or one body tag")
	}
	for _, f := range p.fields {
		p.parts = append(p.parts, fieldPart{f.part(), f.index})
	}
	if d.doc.ClosedForm {
		p.refuseUnknown(InQuery, "parameter", keysOf(d.security), d)
		p.refuseUnknown(InForm, "field", []string{"_method"}, d) // of method overrides
	}
	if p.body.part != nil {
		p.parts = append(p.parts, p.body)
	}
	if err := p.addDependentRequired(d); err != nil {
		return nil, err
	}
	for _, f := range p.parts {
		if _, ok := f.part.(contextual); ok {
			p.contextual = append(p.contextual, f)
		}
	}
	if tagged {
		if p.validatorPaths, err = validatorPathsOf(t); err != nil {
			return nil, err
		}
	}
	return p, d.conditions.check(t, d)
}

// checkFormOrJSON returns an error for an input with a field that has both a form tag and a json
// tag: the author may expect JSON, but it would be read as a form. A [FormReader] always reads a
// form, so it does not call checkFormOrJSON.
func checkFormOrJSON(t reflect.Type) error {
	if !hasTag(t, inputTags) {
		return nil
	}
	for _, f := range fieldsOf(t, inputTags) {
		_, isForm := f.Tag.Lookup("form")
		if name, isJSON := f.Tag.Lookup("json"); isForm && isJSON && name != "-" {
			return fmt.Errorf("field %s: it has tags for json and form: for a form, leave json out; "+
				`for JSON, write the struct without form tags, or in a field with the tag body:""`, f.Name)
		}
	}
	return nil
}

// refuseUnknown adds a rule that refuses unknown names in the query or the form, except for others.
// It adds nothing if the operation has no parameters there.
func (p *inputPlan) refuseUnknown(in routing.Location, kind string, others []string, d *definition) {
	if !slices.ContainsFunc(d.doc.Parameters, func(p openapi.Parameter) bool { return p.In == string(in) }) {
		return
	}
	isKnown := func(name string) bool {
		return slices.Contains(others, name) ||
			slices.ContainsFunc(p.fields, func(f *fieldPlan) bool { return f.In == string(in) && f.Name == name })
	}
	refused := func(from incoming) []InputError {
		keys, _ := keysOfRoutes.From(from.request.Context())
		allowed := func(name string) bool { return isKnown(name) || in == InQuery && slices.Contains(keys, name) }
		return unknown(in, kind, from.names(in), allowed)
	}
	p.parts = append(p.parts, fieldPart{part: rule(refused)})
}

// keysOf returns the names of API keys in the query.
func keysOf(all []*Security) (keys []string) {
	for _, s := range all {
		for _, alt := range s.alternatives {
			if alt.In == string(InQuery) {
				keys = append(keys, alt.Key)
			}
		}
	}
	return keys
}

// addDependentRequired adds the rules of dependentRequired tags.
func (p *inputPlan) addDependentRequired(d *definition) error {
	for _, with := range p.fields {
		for _, name := range gotype.Needed(with.Rules) {
			i := slices.IndexFunc(p.fields, func(f *fieldPlan) bool { return f.In == with.In && f.Name == name })
			if i < 0 || p.fields[i] == with {
				return fmt.Errorf("%s parameter %q: tag dependentRequired: no other parameter has the name %q: write names separated by commas", with.In, with.Name, name)
			}
			needed := p.fields[i]
			if needed.Required {
				continue
			}
			d.require(needed.parameter, with.Name)
			missing := func(from incoming) []InputError {
				if !with.isSent(from) || needed.isSent(from) {
					return nil
				}
				return []InputError{needed.inputError(schema.MissingWith(with.Name))}
			}
			p.parts = append(p.parts, fieldPart{rule(missing), needed.index})
		}
	}
	return nil
}

// planField plans a field, and reports whether it is a part of the request.
func (p *inputPlan) planField(t reflect.Type, f reflect.StructField, d *definition) (bool, error) {
	if isContext(f) {
		p.parts = append(p.parts, fieldPart{contextField{}, f.Index})
		return true, nil
	}
	if f.IsExported() && f.Tag.Get("json") != "-" && (f.Type == reflect.TypeFor[*http.Request]() || f.Type == reflect.TypeFor[http.ResponseWriter]()) {
		return false, fmt.Errorf("type %s: write a field of type routing.Context", f.Type)
	}
	in, err := locationOf(f)
	if err != nil {
		return false, err
	}
	if in == "" {
		isClosed, err := gotype.IsClosed(f)
		d.doc.ClosedForm = d.doc.ClosedForm || isClosed
		return false, err
	}
	if err := checkReachable(t, f); err != nil {
		return false, err
	}
	if in == InBody {
		return true, p.addBody(f.Type, f.Index, f.Tag, d)
	}
	described, err := parameterOf(f, in)
	if err != nil {
		return false, err
	}
	described.Rules = d.takeRules(described) + described.Rules
	described.Description = described.Rules.Get("doc")
	if err := d.describe(&described); err != nil {
		return false, err
	}
	field, err := planValue(described, d.types)
	if err != nil {
		return false, err
	}
	field.index = f.Index
	p.fields = append(p.fields, field)
	if in == InForm { // every form may be sent as multipart
		p.form = &formBody{limit: d.limit, media: slices.Compact([]string{d.doc.Consumes[0], message.Multipart})}
	}
	return true, nil
}

// addBody plans the body, of a field or of the whole input.
func (p *inputPlan) addBody(t reflect.Type, index []int, tag reflect.StructTag, d *definition) (err error) {
	if p.body.part != nil {
		return errors.New("a request has only one body: write one body tag")
	}
	p.body.index = index
	body := newParameter(InBody, "body", t, tag)
	if list := tag.Get("body"); list != "" {
		if _, body.media, err = message.Types(list); err != nil {
			return err
		}
	}
	lines, _ := elementOf(t)
	p.isStreamed = lines != nil || t == readerType
	switch {
	case lines != nil:
		p.body.part, err = planLines(body, d)
	case p.isStreamed:
		p.body.part, err = planStream(body, d)
	default:
		p.body.part, err = planBody(body, d)
	}
	return err
}

// locationOf returns the location of a field in the request, by its tags, or "" without such a tag.
func locationOf(f reflect.StructField) (in routing.Location, err error) {
	for _, p := range inputTags {
		if _, ok := f.Tag.Lookup(p); ok {
			if in != "" {
				return "", fmt.Errorf("it has tags for %s and %s: write one", in, p)
			}
			in = routing.Location(p)
		}
	}
	return in, nil
}

// problems returns the problems with which requests may be refused.
func (p *inputPlan) problems() []*Problem {
	switch {
	case p.isStreamed:
		return []*Problem{badRequest, tooSlow, tooLarge, unsupportedType, invalidInput}
	case p.body.part != nil || p.form != nil:
		return []*Problem{badRequest, tooLarge, unsupportedType, invalidInput}
	case p.fields != nil || p.validatorPaths != nil:
		return []*Problem{invalidInput}
	}
	return nil
}

// Validator is implemented by an input, or by the type of a value in it, for rules that tags cannot
// express. The Pointer of an [InputError] is relative to the value: "/until" is the member until.
// For an error in a parameter, set its Name, and In if two parameters share it. A non-nil error is
// handled like one of the operation.
//
// Inner values are validated first. Validate is not called for a value that is missing or nil, that
// breaks rules of tags, or that is inside a type with UnmarshalJSON other than Optional. It is not
// called for an input with request tags that has another error.
type Validator interface {
	Validate(ctx context.Context) ([]InputError, error)
}

// validatorPathsOf returns the index paths of the structs with request tags in an input that
// implement [Validator]. The input itself is last.
func validatorPathsOf(t reflect.Type) ([][]int, error) {
	return gotype.ValidatorPaths(t, func(f reflect.StructField) bool {
		return isEntered(f, inputTags) && hasTag(f.Type, inputTags)
	})
}

// read decodes a request into v. The error is a [Problem] if the request is refused. A body that is
// a value is kept in buffered.
func (p *inputPlan) read(c routing.Context, v reflect.Value, buffered *bufferedBody) error {
	from, err := p.incoming(c, buffered)
	if err != nil {
		return err
	}
	return p.decode(from, v)
}

// decode decodes the values of a request into v.
func (p *inputPlan) decode(from incoming, v reflect.Value) (err error) {
	var errs []InputError
	var failed [][]int // the fields with errors
	for _, part := range p.parts {
		invalid, err := part.read(from, part.field(v))
		switch {
		case err != nil:
			return err
		case len(invalid) == 0:
			continue
		case errs == nil: // the common case
			errs = invalid
		default:
			errs = append(errs, invalid...)
		}
		if p.validatorPaths != nil {
			failed = append(failed, part.index)
		}
	}
	if p.validatorPaths != nil {
		if errs, err = p.validate(from.request.Context(), v, failed, errs); err != nil {
			return err
		}
	}
	return Invalid(errs)
}

// field returns the field of an input that the part sets.
func (p fieldPart) field(input reflect.Value) reflect.Value {
	if p.index == nil {
		return input
	}
	return input.FieldByIndex(p.index)
}

// validate calls the Validators in an input, and appends their errors to errs. It skips structs
// with invalid fields: failed has the index paths of these fields.
func (p *inputPlan) validate(ctx context.Context, input reflect.Value, failed [][]int, errs []InputError) ([]InputError, error) {
	for _, path := range p.validatorPaths {
		isWithin := func(index []int) bool { return len(index) >= len(path) && slices.Equal(index[:len(path)], path) }
		if len(path) == 0 && errs != nil || slices.ContainsFunc(failed, isWithin) {
			continue
		}
		more, err := value.PointerTo(input.FieldByIndex(path)).(Validator).Validate(ctx)
		if err != nil {
			return errs, err
		}
		for _, e := range more {
			if e.In == "" {
				e.In = p.locationNamed(e.Name)
			}
			errs = append(errs, e)
		}
	}
	return errs, nil
}

// incoming returns the request with its values. It reads the form, if any.
func (p *inputPlan) incoming(c routing.Context, buffered *bufferedBody) (incoming, error) {
	r := c.Request()
	from := incoming{Context: c, request: r, query: urlencoded.NewIndex(r.URL.RawQuery), buffered: buffered}
	if p.body.part == nil && p.form == nil {
		return from, nil
	}
	if r.Method == method.Query && hasBody(r) && r.Header.Get("Content-Type") == "" { // RFC 10008, 2.1
		return from, unsupportedType.Detailf("Send the content type of the body")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		c.Header().Set("Accept-Encoding", "identity") // RFC 9110, 15.5.16
		return from, unsupportedType.Detailf("Send the body without the header Content-Encoding")
	}
	if p.form == nil {
		return from, nil
	}
	form, err := p.form.parse(r)
	if err == nil {
		from.form = *form
	}
	return from, err
}

// locationNamed returns the location of the parameter with a name, or of the body.
func (p *inputPlan) locationNamed(name string) routing.Location {
	for _, f := range p.fields {
		if f.Name == name {
			return routing.Location(f.In)
		}
	}
	return InBody
}
