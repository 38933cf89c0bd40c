package apidoc

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/value"
)

// This file writes the queries of URLs, and the header Link with the next page.

// query returns the query of an input, after a question mark.
func (p *inputPlan) query(v reflect.Value) (string, error) {
	var pairs []string
	add := func(name string, texts []string, commas bool) {
		var escaped []string
		for _, text := range texts {
			escaped = append(escaped, url.QueryEscape(text))
		}
		if commas && texts != nil {
			escaped = []string{strings.Join(escaped, ",")}
		}
		for _, text := range escaped {
			pairs = append(pairs, url.QueryEscape(name)+"="+text)
		}
	}
	for _, f := range p.all {
		if f.In != InQuery || p.isWithout(f.object, v) {
			continue
		}
		texts, err := f.texts(v)
		if err != nil {
			return "", err
		}
		add(f.Name, texts, f.commas)
	}
	for _, o := range p.objects {
		if err := o.texts(v, add); err != nil {
			return "", err
		}
	}
	return "?" + strings.Join(pairs, "&"), nil
}

// isWithout reports whether an object of the query in v is what reading none of its members gives,
// so that it requires none.
func (p *inputPlan) isWithout(object string, v reflect.Value) bool {
	i := slices.IndexFunc(p.objects, func(o *queryObject) bool { return o.Name == object })
	if i < 0 || p.objects[i].Required || v.FieldByIndex(p.objects[i].index).Kind() == reflect.Pointer {
		return false
	}
	return !slices.ContainsFunc(p.objects[i].fields, func(f *fieldPlan) bool {
		optional := *f
		optional.Required = false
		texts, err := optional.texts(v)
		return texts != nil || err != nil
	})
}

// texts returns the values of a parameter of an input. A zero value has none if reading none gives
// it too, or if the rules refuse it.
func (f *fieldPlan) texts(input reflect.Value) ([]string, error) {
	v, ok := f.in(input)
	if !ok {
		return nil, nil
	}
	return f.textsOf(v)
}

func (f *fieldPlan) textsOf(v reflect.Value) ([]string, error) {
	texts, err := shownTexts(f.whole, v)
	isZero := texts == nil && f.list == nil && v.Kind() != reflect.Pointer
	if err == nil && isZero && (f.Required || f.absent != nil) {
		texts, err = value.Texts(f.whole, v)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %q: %w", f.In, f.Name, err)
	case !f.Required && (len(texts) == 0 || isZero && slices.Equal(texts, f.absent)):
		return nil, nil
	}
	wrong := f.fill(reflect.Value{}, texts)
	switch {
	case wrong != nil && isZero && !f.Required:
		return nil, nil
	case wrong != nil:
		return nil, fmt.Errorf("%s %q %s", f.In, f.Name, wrong.Detail)
	}
	return texts, nil
}

// texts calls add with the name and the values of each element of a map in an input.
func (o *queryObject) texts(input reflect.Value, add func(name string, texts []string, commas bool)) error {
	v := reflect.Indirect(input.FieldByIndex(o.index))
	if o.element == nil || !v.IsValid() || v.Len() == 0 {
		return nil
	}
	if wrong := o.schema.RefuseLength(v.Len()); wrong != nil {
		return fmt.Errorf("%s %q %s", o.In, o.Name, wrong.Detail)
	}
	all := make(map[string][]string)
	for each := v.MapRange(); each.Next(); {
		name, err := value.Texts(o.schema.Keys, addressable(each.Key()))
		if err != nil {
			return fmt.Errorf("%s %q: %w", o.In, o.Name, err)
		}
		f := *o.element
		f.Name, f.Required = o.Name+"["+name[0]+"]", true
		if all[f.Name], err = f.textsOf(addressable(each.Value())); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		add(name, all[name], false)
	}
	return nil
}

// NextPage is the type of an output's field with the tag header:"Link": the URL of the operation's
// next page (RFC 8288). The zero value, for the last page, is not sent. Make one with [Next]. The
// URL is only a query, which clients resolve against that of the request, so it is right behind any
// proxy.
type NextPage[I any] struct{ input *I }

// Next returns the next page, for an input of the operation. Its path parameters are ignored.
func Next[I any](input I) NextPage[I] { return NextPage[I]{&input} }

// nextPage is a NextPage of any type.
type nextPage interface {
	next() (t reflect.Type, input reflect.Value)
}

func (n NextPage[I]) next() (reflect.Type, reflect.Value) {
	return reflect.TypeFor[I](), reflect.ValueOf(n.input).Elem()
}

// checkNext returns an error if a field cannot be the next page of an operation with the input.
func checkNext(f reflect.StructField, key string, in *inputPlan) error {
	page, _ := reflect.Zero(f.Type).Interface().(nextPage)
	t, _ := page.next()
	switch {
	case key != "Link":
		return errors.New(`a NextPage is the header Link: write the tag header:"Link"`)
	case in == nil:
		return errors.New("a NextPage is a part of an output")
	case t != in.goType:
		return fmt.Errorf("the next page has the input %s, but that of the operation is %s", t, in.goType)
	}
	return nil
}

// nextLink returns the header for a NextPage.
func (p *inputPlan) nextLink(v reflect.Value) ([]string, error) {
	if v.IsZero() {
		return nil, nil
	}
	_, input := v.Interface().(nextPage).next()
	query, err := p.query(input)
	return []string{"<" + query + `>; rel="next"`}, err
}
