package apidoc

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file plans, once per operation, how the input of a typed operation is read, and reads it.

// inputPlan tells how a value of one type is read from a request.
type inputPlan struct {
	context [][]int // fields of type routing.Context
	fields  []fieldPlan
	body    body // nil if the operation reads none
}

// fieldPlan is a field that is read from a parameter.
type fieldPlan struct {
	Parameter
	index  []int
	schema *schema.Schema // of one value
	list   *schema.Schema // of all values, if the field is a slice
	absent []string       // the values of the default
}

// body reads the body of a request into the value of an operation's input.
type body interface {
	read(c routing.Context, v reflect.Value) (problem *Problem, errs []InputError, err error)
	release(c routing.Context)
}

// places are the tags that place a field in a request.
var places = [...]struct {
	tag string
	in  Place
}{{"path", InPath}, {"query", InQuery}, {"header", InHeader}, {"cookie", InCookie}, {"form", InForm}}

// planInput reads an input type, and describes what it reads in d.
func planInput(t reflect.Type, d *definition) (*inputPlan, error) {
	p := &inputPlan{}
	if t.Kind() != reflect.Struct || gotype.Implements(t, gotype.Unmarshaler) || gotype.Implements(t, gotype.TextUnmarshaler) {
		return p, p.planBody(t, nil, "", d)
	}
	var forms []fieldPlan
	placed := t.NumField() == 0
	for _, f := range reflect.VisibleFields(t) {
		if f.Type == reflect.TypeFor[routing.Context]() && f.IsExported() {
			p.context = append(p.context, f.Index)
			placed = true
			continue
		}
		place, name, media, err := placeOf(f)
		if err != nil {
			return nil, err
		}
		switch {
		case place == "":
			d.op.closedForm = d.op.closedForm || f.Name == "_" && f.Tag.Get("additionalProperties") == "false"
			continue
		case !f.IsExported() || throughPointer(t, f.Index):
			return nil, fmt.Errorf("field %s: write its name with a capital letter, outside of an embedded pointer", f.Name)
		case place == InBody:
			err = p.planBody(f.Type, f.Index, media, d)
		default:
			var field fieldPlan
			if field, err = planField(f, place, name, d); place == InForm {
				forms = append(forms, field)
			} else {
				p.fields = append(p.fields, field)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		placed = true
	}
	if forms != nil {
		if p.body != nil {
			return nil, errors.New("a request has one body: write form tags, or one body tag")
		}
		p.body = planForm(forms, d)
	}
	if !placed {
		return p, p.planBody(t, nil, "", d)
	}
	return p, nil
}

// throughPointer reports whether an embedded pointer leads to the field at index.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// placeOf returns the place of a field by its tags, empty for none.
func placeOf(f reflect.StructField) (place Place, name, media string, err error) {
	for _, p := range places {
		if tag, ok := f.Tag.Lookup(p.tag); ok {
			if place != "" {
				return "", "", "", fmt.Errorf("field %s: it has tags for %s and %s: write one", f.Name, place, p.in)
			}
			place, name = p.in, tag
		}
	}
	if tag, ok := f.Tag.Lookup("body"); ok {
		if place != "" {
			return "", "", "", fmt.Errorf("field %s: it has tags for %s and a body: write one", f.Name, place)
		}
		place, media = InBody, tag
	}
	return place, name, media, nil
}

// planField plans the field of a parameter.
func planField(f reflect.StructField, place Place, tag string, d *definition) (p fieldPlan, err error) {
	name, options, _ := strings.Cut(tag, ",")
	if name == "" || options != "" && options != "required" {
		return p, fmt.Errorf(`tag %s:%q: write a name, and ",required" behind it if it must be there`, place, tag)
	}
	p.index = f.Index
	p.Parameter = Parameter{
		Name: name, In: place, Required: place == InPath || options == "required",
		Description: f.Tag.Get("doc"), Type: Type{goType: f.Type}, Rules: f.Tag,
	}
	s, err := p.Parameter.schema(gotype.NewDefinitions())
	if err != nil {
		return p, err
	}
	if s.Default != nil && p.Required {
		return p, errors.New("it has a default and is required: write one of the two")
	}
	if s.Default != nil {
		p.absent = []string{f.Tag.Get("default")}
	}
	t := f.Type
	s = s.Resolve()
	p.schema = s
	if s.Kind == "array" && t.Kind() == reflect.Slice && place != InPath && place != InCookie {
		p.list, p.schema, t = s, s.Items.Resolve(), t.Elem()
	}
	if t == reflect.TypeFor[File]() {
		if place != InForm {
			return p, errors.New("a File is a part of a form: write the tag form")
		}
	} else if !value.Settable(t) {
		return p, fmt.Errorf("type %s: parameters are text, numbers, booleans, times, types with UnmarshalText, and slices of these", t)
	}
	if p.list != nil && p.absent != nil {
		p.absent = strings.Split(p.absent[0], ",")
	}
	d.op.Parameters = append(d.op.Parameters, p.Parameter)
	return p, nil
}

// refusals returns the problems that a request may be refused with.
func (p *inputPlan) refusals() []*Problem {
	var list []*Problem
	if p.body != nil {
		list = append(list, badRequest, tooLarge, unsupportedType, invalidInput)
	} else if slices.ContainsFunc(p.fields, fieldPlan.canBeWrong) {
		list = append(list, invalidInput)
	}
	return list
}

// canBeWrong reports whether there are texts or requests that the field refuses.
func (p fieldPlan) canBeWrong() bool {
	free := schema.Schema{Kind: "string"}
	free.Doc, free.Example, free.Deprecated = p.schema.Doc, p.schema.Example, p.schema.Deprecated
	return p.list != nil || p.Required && p.In != InPath || !reflect.DeepEqual(*p.schema, free)
}

// read fills in v. A problem is the response to a request that is refused.
func (p *inputPlan) read(c routing.Context, v reflect.Value) (*Problem, error) {
	for _, index := range p.context {
		v.FieldByIndex(index).Set(reflect.ValueOf(c))
	}
	var errs []InputError
	for i := range p.fields {
		f := &p.fields[i]
		if detail := f.read(c, v.FieldByIndex(f.index)); detail != "" {
			errs = append(errs, InputError{In: f.In, Name: f.Name, Detail: detail})
		}
	}
	if p.body != nil {
		problem, more, err := p.body.read(c, v)
		if problem != nil || err != nil {
			return problem, err
		}
		errs = append(errs, more...)
	}
	if len(errs) > 0 {
		return invalid(errs), nil
	}
	return nil, nil
}

// read sets v to the parameter's value, and returns what is wrong with it, or nothing.
func (f *fieldPlan) read(c routing.Context, v reflect.Value) string {
	if f.list == nil {
		text, ok := f.first(c)
		if !ok {
			return f.fill(v, nil)
		}
		return f.fillOne(v, text)
	}
	return f.fill(v, f.all(c))
}

// first returns the first value of the parameter.
func (f *fieldPlan) first(c routing.Context) (string, bool) {
	if f.In == InPath {
		return c.Params().Get(f.Name)
	}
	return f.firstIn(c.Request())
}

func (f *fieldPlan) firstIn(r *http.Request) (string, bool) {
	switch f.In {
	case InQuery:
		return firstOf(r.URL.RawQuery, f.Name)
	case InHeader:
		values := r.Header.Values(f.Name)
		if len(values) == 0 {
			return "", false
		}
		return values[0], true
	}
	return cookieOf(r, f.Name)
}

// cookieOf returns the value of a cookie. One that is not written by the rules (RFC 6265, 4.1.1) is
// returned as it is, to be checked: net/http takes it as one that is not there.
func cookieOf(r *http.Request, name string) (string, bool) {
	if cookie, err := r.Cookie(name); err == nil {
		return cookie.Value, true
	}
	for _, line := range r.Header["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			if n, value, ok := strings.Cut(strings.Trim(pair, " \t"), "="); ok && n == name {
				return value, true
			}
		}
	}
	return "", false
}

// all returns all values of the parameter. Those of a header have commas between them.
func (f *fieldPlan) all(c routing.Context) (values []string) {
	r := c.Request()
	if f.In == InQuery {
		return allOf(r.URL.RawQuery, f.Name)
	}
	for _, line := range r.Header.Values(f.Name) {
		for _, value := range strings.Split(line, ",") {
			values = append(values, strings.Trim(value, " \t"))
		}
	}
	return values
}

// fill sets v to values, or to the default if there are none.
func (f *fieldPlan) fill(v reflect.Value, values []string) string {
	if len(values) == 0 {
		if f.Required {
			return "is required"
		}
		if values = f.absent; values == nil {
			return ""
		}
	}
	if f.list == nil {
		return f.fillOne(v, values[0])
	}
	if detail := f.list.RefuseLength(len(values), "item"); detail != "" {
		return detail
	}
	list := reflect.MakeSlice(v.Type(), len(values), len(values))
	seen := make(map[string]bool)
	for i, text := range values {
		if f.list.Unique && seen[text] {
			return "must not have a value twice"
		}
		seen[text] = true
		if detail := f.fillOne(list.Index(i), text); detail != "" {
			return detail
		}
	}
	v.Set(list)
	return ""
}

func (f *fieldPlan) fillOne(v reflect.Value, text string) string {
	return value.Set(f.schema, v, text)
}
