package apidoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file reads single values of requests: from paths, queries, headers, cookies and forms.

// fieldPlan is the plan to check the values of a parameter and to set its field.
type fieldPlan struct {
	parameter
	index         []int
	fieldSchema   *schema.Schema // of the field
	valueSchema   *schema.Schema // of the field, or of an item if the field is a list
	schema        *schema.Schema // valueSchema, resolved
	list          *schema.Schema // of all values; nil if only the first counts
	part          *schema.Schema // of a part with JSON in a form; else nil
	accepted      []string       // the media types of a file; nil for all
	hasValidators bool           // the value or a nested value implements Validator
	defaults      []string       // the values of the default
	blank         bool           // an empty value counts as missing
	commasEncoded bool           // a browser has encoded the commas that a user has typed
}

func newFieldPlan(p parameter, s *schema.Schema) *fieldPlan {
	f := &fieldPlan{parameter: p, fieldSchema: s, valueSchema: s, schema: s.Resolve()}
	if f.schema.Kind == "array" {
		f.list, f.valueSchema = f.schema, f.schema.Items
		f.schema = f.valueSchema.Resolve()
	}
	return f
}

// parameterOf returns the parameter that a field describes, by its tag for the location.
func parameterOf(f reflect.StructField, in routing.Location) (p parameter, err error) {
	tag := f.Tag.Get(string(in))
	name, options, _ := strings.Cut(tag, ",")
	p = newParameter(in, name, f.Type, f.Tag)
	p.Required = in == InPath
	isUnknown := name == ""
	element := f.Type
	if element.Kind() == reflect.Slice {
		element = element.Elem()
	}
	for _, o := range strings.Split(options, ",") {
		switch o {
		case "required":
			p.Required = true
		case "commas":
			p.Commas = true
		default:
			isUnknown = isUnknown || options != ""
		}
	}
	switch {
	case slices.Contains(strings.Split(options, ","), "deepObject"):
		err = fmt.Errorf("tag %s:%q: %s", in, tag, flatAdvice)
	case slices.Contains(strings.Split(options, ","), "explode"):
		err = fmt.Errorf("tag %s:%q: leave explode out: lists are ?%s=1&%[3]s=2, and ?%[3]s=1,2 with commas", in, tag, name)
	case in == InForm && (element.Implements(readerType) || element == reflect.TypeFor[multipart.FileHeader]() || element == reflect.TypeFor[*multipart.FileHeader]()):
		err = fmt.Errorf("type %s: write a File", element)
	case p.Commas && in != InQuery:
		err = fmt.Errorf("tag %s:%q: commas is for lists in a query", in, tag)
	case isUnknown:
		err = fmt.Errorf(`tag %s:%q: write a name, followed by ",required" if it is required`, in, tag)
	case (in == InHeader || in == InCookie) && !method.IsToken(name):
		err = fmt.Errorf("tag %s:%q: write letters, digits and hyphens", in, tag)
	}
	return p, err
}

// flatAdvice is the advice for a query with an object.
const flatAdvice = "a query has no objects: embed a struct whose fields have tags such as query:\"size[min]\", or define a QUERY, whose body is JSON"

// planValue plans to read a parameter into a field of its type.
func planValue(described parameter, s *schema.Schema, types *gotype.Definitions) (*fieldPlan, error) {
	p := newFieldPlan(described, s)
	p.hasValidators = types.HasValidators
	in, t := routing.Location(p.In), p.GoType
	isValue := p.schema.Scalar() && p.schema.Codec != nil && (p.list == nil || t.Kind() == reflect.Slice && p.valueSchema.Wrapper == nil)
	if p.list != nil && t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	p.defaults = defaultTexts(p.fieldSchema, p.list != nil)
	switch isFile := p.isFile(); {
	case in == InForm && p.list == nil && p.schema.Kind == "object":
		return p, p.planPart(s)
	case in == InQuery && p.schema.Kind == "object":
		return p, fmt.Errorf("type %s: %s", t, flatAdvice)
	case !isFile && !isValue:
		return p, fmt.Errorf("type %s: parameters are text, numbers, booleans, times, types with UnmarshalText, and slices of these", t)
	case p.list != nil && (in == InPath || in == InCookie):
		return p, fmt.Errorf("its type is %s: a %s has one value: write %s", p.GoType, in, t)
	case p.Commas && p.list == nil:
		return p, fmt.Errorf("type %s: commas is for lists: write a slice, or leave it out", t)
	case p.defaults != nil && p.Required:
		return p, errors.New("it has a default and is required: write one of the two")
	case p.defaults == nil && isFile:
		p.blank, p.accepted = true, p.accept() // browsers send an empty text for no file
		return p, nil
	}
	// A browser sends all fields of a form, even empty ones.
	p.blank = (in == InForm || in == InQuery) && value.Set(p.valueSchema, reflect.New(t).Elem(), "") != nil
	return p, nil
}

// defaultTexts returns the default of a schema as texts of a request: one, or several for a list.
func defaultTexts(s *schema.Schema, isList bool) (texts []string) {
	var items []json.RawMessage
	switch {
	case s.Default == nil:
		return nil
	case isList:
		_ = json.Unmarshal(s.Default, &items) // its rules have been checked
	default:
		items = append(items, s.Default)
	}
	texts = []string{}
	for _, item := range items {
		text := string(item)
		_ = json.Unmarshal(item, &text) // a string; other JSON stays as it is
		texts = append(texts, text)
	}
	return texts
}

// planPart plans a part with JSON, which is an object.
func (f *fieldPlan) planPart(s *schema.Schema) error {
	switch _, hasDefault := f.Rules.Lookup("default"); {
	case f.GoType.Kind() == reflect.Struct && !f.Required:
		return errors.New(`a part with JSON that may be missing is a pointer: write one, or ",required" behind the name`)
	case hasDefault:
		return errors.New("a part with JSON has no default: write it on its members")
	}
	f.blank, f.part = true, s
	return nil
}

// sent appends the parameter's values in a request to values. It leaves out the empty values of a
// query or form that count as missing. The text "on" of a form is a boolean's true: browsers
// send it for a checkbox without the attribute value.
func (f *fieldPlan) sent(from incoming, values []string) []string {
	switch in := routing.Location(f.In); in {
	case InPath:
		if text, ok := from.Params().Path(f.Name); ok {
			values = append(values, text)
		}
		return values
	case InForm:
		values = append(values, from.form.Value[f.Name]...)
	default:
		if values = sentIn(from.request, in, f.Name, from.query, f.list != nil, values); in != InQuery {
			return values
		}
	}
	if f.Commas && len(values) > 0 {
		if f.commasEncoded {
			values = strings.Split(strings.Join(values, ","), ",")
		} else {
			values = urlencoded.Of(from.request.URL.RawQuery).AppendLists(values[:0], f.Name)
		}
	}
	values = f.filled(values)
	for i, text := range values {
		if text == "on" && f.schema.Kind == "boolean" {
			values[i] = "true"
		}
	}
	return values
}

// filled returns values without empty ones, if these count as missing.
func (f *fieldPlan) filled(values []string) []string {
	if !f.blank {
		return values
	}
	return slices.DeleteFunc(values, func(text string) bool { return text == "" })
}

// fill sets v to values, or to the default if there are no values, unless they have a fault. With
// the zero reflect.Value it only checks.
func (f *fieldPlan) fill(v reflect.Value, values []string) *schema.Fault {
	// Generated clients send numbers in a form as a single value with commas. Texts may contain
	// commas.
	if f.list != nil && f.In == "form" && f.schema.Kind != "string" && len(values) == 1 {
		values = f.filled(strings.Split(values[0], ","))
	}
	if len(values) == 0 {
		if f.Required {
			return schema.Required
		}
		if values = f.defaults; values == nil {
			return nil
		}
	}
	for _, text := range values {
		if !isText(text) {
			return notText
		}
	}
	if f.list == nil {
		return value.Set(f.valueSchema, v, values[0])
	}
	if fault := f.list.RefuseLength(len(values)); fault != nil {
		return fault
	}
	if v.IsValid() {
		v.Set(reflect.MakeSlice(v.Type(), len(values), len(values)))
	}
	var seen value.Seen
	for i, text := range values {
		item := v
		if v.IsValid() {
			item = v.Index(i)
		}
		if fault := value.Set(f.valueSchema, item, text); fault != nil {
			return fault
		}
		if !f.list.Unique {
			continue
		}
		if f.schema.Kind == "integer" || f.schema.Kind == "number" {
			text = schema.Canonical(text)
		}
		if seen.Add(text) {
			return &schema.Fault{Code: schema.SameItem.Code, Detail: "must not have a value twice"}
		}
	}
	return nil
}

var notText = &schema.Fault{Code: "encoding", Detail: "must be text in UTF-8, without NUL"}

// isText reports whether a parameter may have this text.
func isText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// unknown returns an error for each unknown name, sorted, up to the maximum number of errors.
func unknown(in routing.Location, kind string, names []string, isKnown func(string) bool) (errs []InputError) {
	names = slices.DeleteFunc(names, isKnown)
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names[:min(len(names), value.MaxProblems)] {
		errs = append(errs, newParameter(in, name, nil, "").inputError(&schema.Fault{Code: schema.Unknown.Code, Detail: "is not a described " + kind}))
	}
	return errs
}

// eachField calls plan with the fields of a struct. It reports false if the whole type is the body:
// if it is not a struct, has one of the methods, or has only fields without tags. If a field has a
// tag, all exported fields must have one.
func eachField(
	t reflect.Type, tags []string, plan func(reflect.StructField) (tagged bool, err error), methods ...gotype.Methods,
) (tagged bool, err error) {
	target := t
	if t.Kind() == reflect.Pointer {
		target = t.Elem()
	}
	isWhole := func(method gotype.Methods) bool { return gotype.Implements(t, method) }
	switch {
	case target != t && hasTag(target, tags):
		return false, errors.New("write the struct, not a pointer to it")
	case target.Kind() != reflect.Struct || slices.ContainsFunc(methods, isWhole):
		return false, nil
	}
	if name := onlyBody(target); name != "" {
		return false, fmt.Errorf(`field %s: write the tag body:"", or its type in place of the struct`, name)
	}
	if target != t {
		return false, nil
	}
	tagged = t.NumField() == 0
	without := "" // the first field without a tag
	for _, f := range fieldsOf(t, tags) {
		found, err := plan(f)
		switch {
		case err != nil:
			return false, fmt.Errorf("field %s: %w", f.Name, err)
		case !found && isPointerToTagged(f, tags):
			return false, fmt.Errorf("field %s: write the struct, not a pointer to it", f.Name)
		case !found && without == "" && f.IsExported() && f.Tag.Get("json") != "-":
			without = f.Name
		}
		tagged = tagged || found
	}
	if tagged && without != "" {
		return false, fmt.Errorf("field %s: it needs a tag, since other fields have one: write one of the tags %s, or json:\"-\"; "+
			"write the members of a body in another struct, in a field with the tag body", without, strings.Join(tags, ", "))
	}
	return tagged, nil
}

// onlyBody returns the name of a struct's body, Body or RawBody, if its exported fields are like
// those of a request or response in the framework huma. As JSON it would be an object with these
// members.
func onlyBody(t reflect.Type) (name string) {
	for f := range t.Fields() {
		switch {
		case f.Tag != "" || f.Anonymous:
			return ""
		case f.Name == "Body" || f.Name == "RawBody":
			name = f.Name
		case f.IsExported() && f.Name != "Status":
			return ""
		}
	}
	return name
}

// isPointerToTagged reports whether a field is a pointer to a struct with tagged fields. A field
// with a json tag is a member of a JSON object instead.
func isPointerToTagged(f reflect.StructField, tags []string) bool {
	if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") != "" {
		return false
	}
	return f.Type.Kind() == reflect.Pointer && hasTag(f.Type.Elem(), tags)
}

// hasTag reports whether a field of a struct has one of the tags.
func hasTag(t reflect.Type, tags []string) bool {
	return t.Kind() == reflect.Struct && slices.ContainsFunc(fieldsOf(t, tags), func(f reflect.StructField) bool { return isTagged(f, tags) })
}

// isTagged reports whether a field has one of the tags.
func isTagged(f reflect.StructField, tags []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { _, ok := f.Tag.Lookup(tag); return ok })
}

// fieldsOf returns the fields of a struct. Embedded structs, and other structs with
// tagged fields, are replaced by their fields. A field of the struct hides the fields of embedded
// structs with the same name.
func fieldsOf(t reflect.Type, tags []string) (fields []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !isEntered(f, tags) {
			fields = append(fields, f)
			continue
		}
		for _, inner := range fieldsOf(f.Type, tags) {
			if outer, ok := t.FieldByName(inner.Name); ok && f.Anonymous && len(outer.Index) == 1 && outer.Index[0] != i {
				continue
			}
			inner.Index = append([]int{i}, inner.Index...)
			fields = append(fields, inner)
		}
	}
	return fields
}

// isEntered reports whether the fields of a field are used in its place.
func isEntered(f reflect.StructField, tags []string) bool {
	isWhole := f.Type.Kind() != reflect.Struct || f.Type == reflect.TypeFor[routing.Context]() || isTagged(f, tags)
	return !isWhole && (f.Anonymous || f.IsExported() && f.Tag.Get("json") != "-" && hasTag(f.Type, tags))
}

// checkReachable returns an error for a field that cannot be set or read.
func checkReachable(t reflect.Type, f reflect.StructField) error {
	reachable := f.IsExported()
	for _, i := range f.Index[:len(f.Index)-1] {
		t = t.Field(i).Type
		reachable = reachable && t.Kind() != reflect.Pointer
	}
	if !reachable {
		return errors.New("write its name with a capital letter, outside of an embedded pointer")
	}
	return nil
}

// shownTexts returns the texts of a field, or nil if it is zero.
func shownTexts(s *schema.Schema, v reflect.Value) ([]string, error) {
	if v.IsZero() {
		return nil, nil
	}
	return value.Texts(s, v)
}
