package apidoc

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file plans, once for each operation, how the input of a typed operation is read, and reads
// it.

// inputPlan is the plan to read a value of one type from a request.
type inputPlan struct {
	goType   reflect.Type
	contexts [][]int         // fields of type routing.Context
	fields   []*fieldPlan    // parameters and fields of the form
	objects  []*queryObject  // in the query
	body     bodyPlan        // nil if there is no body, or a form
	form     *formBody       // nil if there is none
	all      []*fieldPlan    // the fields, and those of objects
	needs    []need          // among the fields
	closed   []routing.Place // where other names are refused
	keys     []string        // names in the query by which requests are authorized
	isSlow   bool            // the operation reads the body while it runs
	checks   [][]int         // the structs with places that check themselves
}

// inputTags name the places of fields.
var inputTags = []string{"path", "query", "header", "cookie", "form", "body"}

// planInput plans an input type, and describes it in d.
func planInput(t reflect.Type, d *definition) (*inputPlan, error) {
	p := &inputPlan{goType: t}
	d.types.Input = true
	defer func() { d.types.Input = false }()
	plan := func(f reflect.StructField) (bool, error) { return p.planField(t, f, d) }
	placed, err := eachField(t, inputTags, plan, gotype.Unmarshaler, gotype.TextUnmarshaler)
	if err == nil && !placed {
		err = p.addBody(t, nil, "", d)
	}
	switch {
	case err != nil:
		return nil, err
	case p.form != nil && p.body != nil:
		return nil, errors.New("a request has only one body: write form tags, or one body tag")
	}
	p.all = slices.Clone(p.fields)
	for _, o := range p.objects {
		p.all = append(p.all, o.fields...)
	}
	if p.needs, err = needsOf(p.fields); err != nil {
		return nil, err
	}
	for _, n := range p.needs {
		d.require(n.missing.parameter, n.with.Name)
	}
	for _, in := range []routing.Place{InQuery, InForm} {
		if d.doc.ClosedForm && slices.ContainsFunc(d.doc.Parameters, func(p openapi.Parameter) bool { return p.In == string(in) }) {
			p.closed = append(p.closed, in)
		}
	}
	for _, s := range d.security {
		if s == nil {
			break // which is refused later
		}
		for _, w := range s.ways {
			if w.In == string(InQuery) {
				p.keys = append(p.keys, w.Key)
			}
		}
	}
	if placed {
		if p.checks, err = planChecks(t); err != nil {
			return nil, err
		}
	}
	return p, d.conditions.check(t, d)
}

// need is a field that must be sent if another one is.
type need struct{ missing, with *fieldPlan }

// needsOf returns what fields require of each other. Those of objects are checked as JSON.
func needsOf(fields []*fieldPlan) (needs []need, err error) {
	for _, f := range fields {
		for _, name := range gotype.Needed(f.Rules) {
			j := slices.IndexFunc(fields, func(other *fieldPlan) bool { return other.In == f.In && other.Name == name })
			switch {
			case j < 0 || fields[j] == f:
				return nil, fmt.Errorf("%s parameter %q: tag dependentRequired: %q is not another one: write names, with commas between them", f.In, f.Name, name)
			case !fields[j].Required:
				needs = append(needs, need{fields[j], f})
			}
		}
	}
	return needs, nil
}

// planField plans a field, and reports whether it is a part of the request.
func (p *inputPlan) planField(t reflect.Type, f reflect.StructField, d *definition) (bool, error) {
	if f.Type == reflect.TypeFor[routing.Context]() && f.IsExported() {
		p.contexts = append(p.contexts, f.Index)
		return true, nil
	}
	place, err := placeOf(f)
	if err != nil {
		return false, err
	}
	if place == "" {
		d.doc.ClosedForm = d.doc.ClosedForm || f.Name == "_" && f.Tag.Get("additionalProperties") == "false"
		return false, nil
	}
	if err := checkReachable(t, f); err != nil {
		return false, err
	}
	if place == InBody {
		return true, p.addBody(f.Type, f.Index, f.Tag, d)
	}
	described, isDeep, err := parameterOf(f, place)
	if err != nil {
		return false, err
	}
	described.Rules = d.rulesOf(described) + described.Rules
	s, err := d.describe(described)
	if err != nil {
		return false, err
	}
	if isDeep {
		object, err := planQueryObject(described, s, f.Index, d.types)
		p.objects = append(p.objects, object)
		return true, err
	}
	field, err := planValue(described, s, d.types)
	if err != nil {
		return false, err
	}
	field.index = f.Index
	p.fields = append(p.fields, field)
	if place == InForm && p.form == nil {
		p.form = &formBody{limit: d.limit, media: []string{message.Form, message.Multipart}}
	}
	if field.part != nil || isFile(field.Type) {
		p.form.media = []string{message.Multipart}
	}
	return true, nil
}

// addBody plans the body, of a field or of the whole input.
func (p *inputPlan) addBody(t reflect.Type, index []int, tag reflect.StructTag, d *definition) (err error) {
	if p.body != nil {
		return errors.New("a request has only one body: write one body tag")
	}
	body := parameter{Name: "body", In: InBody, Description: tag.Get("doc"), Type: t, Rules: tag}
	if list := tag.Get("body"); list != "" {
		if _, body.media, err = message.Types(list); err != nil {
			return err
		}
	}
	if element, _ := elementOf(t); element != nil {
		p.isSlow = true
		p.body, err = planLines(body, index, d)
	} else {
		p.isSlow = t == readerType
		p.body, err = planBody(body, index, d)
	}
	return err
}

// placeOf returns the place of a field in the request, by its tags. It is empty if there is none.
func placeOf(f reflect.StructField) (place routing.Place, err error) {
	for _, p := range inputTags {
		if _, ok := f.Tag.Lookup(p); ok {
			if place != "" {
				return "", fmt.Errorf("it has tags for %s and %s: write one", place, p)
			}
			place = routing.Place(p)
		}
	}
	return place, nil
}

// refusals returns the problems of invalid requests.
func (p *inputPlan) refusals() []*Problem {
	switch {
	case p.isSlow:
		return []*Problem{badRequest, tooSlow, tooLarge, unsupportedType, invalidInput}
	case p.body != nil || p.form != nil:
		return []*Problem{badRequest, tooLarge, unsupportedType, invalidInput}
	case p.all != nil || p.objects != nil || p.checks != nil:
		return []*Problem{invalidInput}
	}
	return nil
}

// read sets v. The error is a [Problem] if the request is refused.
func (p *inputPlan) read(c routing.Context, v reflect.Value) error {
	for _, index := range p.contexts {
		v.FieldByIndex(index).Set(reflect.ValueOf(c))
	}
	from, err := p.source(c)
	if err != nil {
		return err
	}
	var errs []InputError
	var failed [][]int // the fields with errors
	for _, f := range p.fields {
		before := len(errs)
		if errs, err = f.read(from, v.FieldByIndex(f.index), errs); err != nil {
			return err
		}
		if len(errs) > before {
			failed = append(failed, f.index)
		}
	}
	for _, o := range p.objects {
		more, err := o.read(from, v)
		if err != nil {
			return err
		}
		if len(more) > 0 {
			errs, failed = append(errs, more...), append(failed, o.index)
		}
	}
	for _, in := range p.closed {
		isKnown := func(name string) bool { return p.has(in, name) }
		kind := map[routing.Place]string{InQuery: "parameter", InForm: "field"}[in]
		errs = append(errs, unknown(in, kind, from.names(in), isKnown)...)
	}
	if p.body != nil {
		more, err := p.body.read(c, v)
		switch {
		case err != nil:
			return err
		case errs == nil: // mostly
			errs = more
		default:
			errs = append(errs, more...)
		}
	}
	for _, n := range p.needs {
		if n.with.isSent(from) && !n.missing.isSent(from) {
			errs, failed = append(errs, n.missing.wrong(schema.MissingWith(n.with.Name))), append(failed, n.missing.index)
		}
	}
	if p.checks != nil {
		if errs, err = p.check(c.Request().Context(), v, failed, errs); err != nil {
			return err
		}
	}
	if errs != nil {
		return invalid(errs)
	}
	return nil
}

// planChecks finds the structs with places that check themselves: those in an input, and last
// itself.
func planChecks(t reflect.Type) ([][]int, error) {
	return gotype.Checks(t, func(f reflect.StructField) bool {
		return !isPlaced(f, inputTags) && f.Type.Kind() == reflect.Struct && hasPlaces(f.Type, inputTags)
	})
}

// check returns errs with those that the structs of an input find. Failed are the fields with an
// error.
func (p *inputPlan) check(ctx context.Context, input reflect.Value, failed [][]int, errs []InputError) ([]InputError, error) {
	for _, way := range p.checks {
		isWithin := func(index []int) bool { return len(index) >= len(way) && slices.Equal(index[:len(way)], way) }
		if len(way) == 0 && errs != nil || slices.ContainsFunc(failed, isWithin) {
			continue
		}
		more, err := input.FieldByIndex(way).Addr().Interface().(SelfChecked).CheckInput(ctx)
		if err != nil {
			return errs, err
		}
		for _, e := range more {
			if e.In == "" {
				e.In = p.placeOf(e.Name)
			}
			errs = append(errs, e)
		}
	}
	return errs, nil
}

// source returns where the values of a request are. It reads the form, if there is one.
func (p *inputPlan) source(c routing.Context) (source, error) {
	r := c.Request()
	from := source{Context: c, query: urlencoded.NewIndex(r.URL.RawQuery)}
	if p.body == nil && p.form == nil {
		return from, nil
	}
	if r.Method == method.Query && r.Header.Get("Content-Type") == "" { // RFC 10008, 2.1
		return from, unsupportedType.With("Send the content type of the body")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		c.Header().Set("Accept-Encoding", "identity") // RFC 9110, 15.5.16
		return from, unsupportedType.With("Send the body without the header Content-Encoding")
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

// placeOf returns the place of a parameter, or that of the body.
func (p *inputPlan) placeOf(name string) routing.Place {
	for _, f := range p.all {
		if f.Name == name {
			return f.In
		}
	}
	return InBody
}

// has reports whether a name in the query or form is that of a field, or of a member of an object.
func (p *inputPlan) has(in routing.Place, name string) bool {
	if in == InQuery && slices.Contains(p.keys, name) || in == InForm && name == "_method" { // of method overrides
		return true
	}
	return slices.ContainsFunc(p.fields, func(f *fieldPlan) bool { return f.In == in && f.Name == name }) ||
		in == InQuery && slices.ContainsFunc(p.objects, func(o *queryObject) bool { return o.has(name) })
}

// release removes the files of a form that were kept on disk.
func (p *inputPlan) release(c routing.Context) {
	if form := c.Request().MultipartForm; form != nil {
		form.RemoveAll() // errors are ignored: the system cleans up temporary files
	}
}
