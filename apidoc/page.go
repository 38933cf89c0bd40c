package apidoc

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file reads the forms of HTML pages, by the rules of typed operations.

// FormReader reads the form of a page into a T, which has the tags of an operation's input. Its
// fields have the tag form, or query for a form that is sent with GET. A default for a bool or a
// list panics, since a user could not clear it: use Fill. It is safe for concurrent use.
//
// If the form is not valid, execute the template again, with the status 422; see the example.
type FormReader[T any] struct {
	plan *inputPlan
}

// NewFormReader returns a FormReader.
func NewFormReader[T any](options ...FormOption) *FormReader[T] {
	t := reflect.TypeFor[T]()
	r, err := newFormReader[T](t, options)
	if err != nil {
		panic(fmt.Sprintf("apidoc: NewFormReader[%s]: %v", t, err))
	}
	return r
}

func newFormReader[T any](t reflect.Type, options []FormOption) (*FormReader[T], error) {
	if t.Kind() != reflect.Struct {
		return nil, errors.New("pass a struct whose fields have form tags")
	}
	d := newDefinition(http.MethodPost)
	if err := d.apply(asOptions(options)); err != nil {
		return nil, err
	}
	plan, err := planInput(t, d)
	if err != nil {
		return nil, err
	}
	if plan.body.part != nil {
		return nil, errors.New("a form has no other body: write form tags on the fields, or query for a form that is sent with GET")
	}
	for i, f := range plan.fields {
		f.commasEncoded = true
		if f.isPart {
			return nil, fmt.Errorf("field %q: a page has no parts with JSON: write a field for each member", f.Name)
		}
		if f.defaults != nil && (f.In == "form" || f.In == "query") && (f.list != nil || f.schema.Kind == "boolean") {
			return nil, fmt.Errorf("field %q: a user could not clear its default, since a browser sends nothing for it: "+
				"leave default out, and show the first state with Fill", f.Name)
		}
		if slices.ContainsFunc(plan.fields[:i], func(other *fieldPlan) bool { return other.Name == f.Name }) {
			return nil, fmt.Errorf("two fields are named %q: a page could not tell them apart", f.Name)
		}
	}
	return &FormReader[T]{plan}, nil
}

// Read reads and validates the form of a request. Errors of fields are in the form's Errors. The
// error is a [*Problem] if the body is not a complete form: 415 for another media type, 413 over
// the limit, 400 if it is truncated.
func (r *FormReader[T]) Read(c routing.Context) (*Form[T], error) {
	form := r.empty()
	value := reflect.ValueOf(&form.Value).Elem()
	from, err := r.plan.incoming(c, nil)
	if err == nil {
		err = r.plan.decode(from, value)
	}
	var p *Problem
	switch isProblem := errors.As(err, &p); {
	case isProblem && errors.Is(p, invalidInput):
		form.Errors = p.Errors
	case err != nil:
		return nil, err
	}
	for _, f := range r.plan.fields {
		form.texts[f.Name] = f.sent(from, nil)
	}
	return form, nil
}

// Blank returns a form that shows its fields' defaults.
func (r *FormReader[T]) Blank() *Form[T] {
	form := r.empty()
	for _, f := range r.plan.fields {
		form.texts[f.Name] = f.defaults
	}
	return form
}

// Fill returns a form that shows a value. Zero values are shown as empty; a pointer distinguishes 0
// and false from no value.
func (r *FormReader[T]) Fill(value T) (*Form[T], error) {
	form := r.empty()
	form.Value = value
	v := reflect.ValueOf(&form.Value).Elem()
	for _, f := range r.plan.fields {
		form.texts[f.Name] = nil
		if f.isFile() {
			continue
		}
		texts, err := shownTexts(f.Schema, v.FieldByIndex(f.index))
		if err != nil {
			return nil, fmt.Errorf("apidoc: fill the field %q: %w", f.Name, err)
		}
		form.texts[f.Name] = texts
	}
	return form, nil
}

func (r *FormReader[T]) empty() *Form[T] {
	return &Form[T]{plan: r.plan, texts: make(map[string][]string, len(r.plan.fields))}
}

// Form is a form of a page: its values, its errors, and the user's input. A method panics if T has
// no field with the name.
type Form[T any] struct {
	Value  T            // a field is zero if its tags refuse its input
	Errors []InputError // empty if the form is valid

	plan  *inputPlan
	texts map[string][]string // the user's input, by the names of all fields
}

// Valid reports whether there are no errors.
func (f *Form[T]) Valid() bool { return len(f.Errors) == 0 }

// Refuse adds an error to a field, such as "is taken", or to the whole form if name is empty.
func (f *Form[T]) Refuse(name, detail string) {
	in := InForm
	if name != "" {
		f.input(name)
		in = f.plan.locationNamed(name)
	}
	f.Errors = append(f.Errors, InputError{In: in, Name: name, Detail: detail})
}

// Error returns the text of [Form.First], such as "is required", or "".
func (f *Form[T]) Error(name string) string {
	if e := f.First(name); e != nil {
		return e.Detail
	}
	return ""
}

// First returns the first error of a field, or of no field if name is empty, or nil.
func (f *Form[T]) First(name string) *InputError {
	if name != "" {
		f.input(name)
	}
	for i := range f.Errors {
		of := f.Errors[i].Name
		if _, isField := f.texts[of]; !isField {
			of = ""
		}
		if of == name {
			return &f.Errors[i]
		}
	}
	return nil
}

// Text returns the text to show in a field, such as the user's input, or "". For several values it
// returns the first, or all values of a list with commas.
func (f *Form[T]) Text(name string) string {
	hasCommas := func(field *fieldPlan) bool { return field.Name == name && field.Commas }
	switch texts := f.input(name); {
	case slices.ContainsFunc(f.plan.fields, hasCommas):
		return strings.Join(texts, ",")
	case len(texts) > 0:
		return texts[0]
	}
	return ""
}

// Has reports whether option, a value or its text, is among the texts to show in a field, for the
// attributes checked and selected.
func (f *Form[T]) Has(name string, option any) bool {
	texts, text := f.input(name), fmt.Sprint(option)
	v := reflect.ValueOf(option)
	if v.Kind() == reflect.Pointer && !v.IsNil() && f.Has(name, v.Elem().Interface()) { // as of a field with a pointer
		return true
	}
	for _, field := range f.plan.fields {
		if field.Name != name || !v.IsValid() {
			continue
		}
		if codec := field.schema.Codec; codec != nil && codec.Type == v.Type() {
			if written, err := codec.Append(nil, addressable(v)); err == nil {
				text = string(written)
			}
		}
	}
	return slices.Contains(texts, text)
}

// input returns the user's input in a field.
func (f *Form[T]) input(name string) []string {
	texts, ok := f.texts[name]
	if !ok {
		panic(fmt.Sprintf("apidoc: the form of a %T has no field %q: write the name in a tag of the struct", f.Value, name))
	}
	return texts
}

// shownTexts returns the texts of a field, or nil if it is zero.
func shownTexts(s *schema.Schema, v reflect.Value) ([]string, error) {
	if v.IsZero() {
		return nil, nil
	}
	return value.Texts(s, v)
}
