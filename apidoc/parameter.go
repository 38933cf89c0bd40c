package apidoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
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
	valueSchema   *schema.Schema // of the field, or of an item if the field is a list
	schema        *schema.Schema // valueSchema, resolved
	list          *schema.Schema // of all values; nil if only the first counts
	isPart        bool           // a part with JSON in a form
	hasValidators bool           // the value may implement Validator
	defaults      []string       // the values of the default
	blank         bool           // an empty value counts as missing
	commasEncoded bool           // a browser has encoded the commas that a user has typed
}

func newFieldPlan(p parameter) *fieldPlan {
	f := &fieldPlan{parameter: p, valueSchema: p.Schema, schema: p.Schema.Resolve()}
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
	default:
		err = checkName(in, name)
	}
	return p, err
}

// checkName returns an error for a name that a header or cookie cannot have.
func checkName(in routing.Location, name string) error {
	switch {
	case in == InHeader && strings.EqualFold(name, "Host"):
		return errors.New("net/http removes the header Host: use Request().Host of a routing.Context")
	case (in == InHeader || in == InCookie) && !method.IsToken(name):
		return fmt.Errorf("%s %q: write a name of letters, digits and hyphens", in, name)
	}
	return nil
}

// flatAdvice is the advice for a query with an object.
const flatAdvice = "a query has no objects: embed a struct whose fields have tags such as query:\"size[min]\", or define a QUERY, whose body is JSON"

// planValue plans to read a parameter into a field of its type.
func planValue(described parameter, types *gotype.Definitions) (*fieldPlan, error) {
	p := newFieldPlan(described)
	p.hasValidators = types.HasValidators
	in, t := routing.Location(p.In), p.GoType
	isValue := p.schema.Scalar() && p.schema.Codec != nil && (p.list == nil || t.Kind() == reflect.Slice && p.valueSchema.Wrapper == nil)
	if p.list != nil && t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	p.defaults = defaultTexts(p.Schema, p.list != nil)
	switch isFile := p.isFile(); {
	case in == InForm && p.list == nil && p.schema.Kind == "object":
		return p, p.planPart()
	case in == InQuery && p.schema.Kind == "object":
		return p, fmt.Errorf("type %s: %s", t, flatAdvice)
	case !isFile && !isValue:
		return p, fmt.Errorf("type %s: parameters are text, numbers, booleans, times, types with UnmarshalText, and slices of these", t)
	case in == InPath && p.Schema.Wrapper != nil && p.Schema.Wrapper.IsOptional:
		return p, fmt.Errorf("type %s: a parameter of the path is always present: write the type of its value", t)
	case p.list != nil && (in == InPath || in == InCookie):
		return p, fmt.Errorf("its type is %s: a %s has one value: write %s", p.GoType, in, t)
	case p.Commas && p.list == nil:
		return p, fmt.Errorf("type %s: commas is for lists: write a slice, or leave it out", t)
	case string(p.Schema.Default) == "null":
		return p, errors.New("tag default: a parameter is not null: leave the tag out")
	case p.defaults != nil && p.Required:
		return p, errors.New("it has a default and is required: write one of the two")
	case p.defaults == nil && isFile:
		p.blank = true // browsers send an empty text for no file
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
		texts = append(texts, schema.ContentOf(item))
	}
	return texts
}

// planPart plans a part with JSON, which is an object.
func (f *fieldPlan) planPart() error {
	switch _, hasDefault := f.Rules.Lookup("default"); {
	case f.GoType.Kind() == reflect.Struct && !f.Required:
		return errors.New(`a part with JSON that may be missing is a pointer: write one, or ",required" behind the name`)
	case hasDefault:
		return errors.New("a part with JSON has no default: write it on its members")
	}
	f.blank, f.isPart = true, true
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
		values = sentIn(from.request, in, f.Name, from.query, f.list != nil, values)
		if in != InQuery {
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
	isBool := f.schema.Kind == "boolean"
	hasFlag := isBool && f.In == "query" && slices.Contains(values, "") && urlencoded.HasFlag(from.request.URL.RawQuery, f.Name)
	for i, text := range values {
		if isBool && text == "on" || hasFlag && text == "" { // ?dryRun
			values[i] = "true"
		}
	}
	return f.filled(values)
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
	switch {
	case f.list == nil && f.In == "path" && f.schema.Kind == "integer" && !schema.IsWritten(values[0]):
		return f.schema.WrongType() // a filter or another route sees 07 and 7.0 as other paths than 7
	case f.list == nil:
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
		errs = append(errs, inputError(in, name, &schema.Fault{Code: schema.Unknown.Code, Detail: "is not a described " + kind}))
	}
	return errs
}

// part returns the part that reads the field.
func (f *fieldPlan) part() part {
	switch {
	case f.isPart:
		return jsonPart{f}
	case f.isFile():
		return filePart{f}
	}
	return f
}

// read sets the field of an input, and returns its errors.
func (f *fieldPlan) read(from incoming, v reflect.Value) ([]InputError, error) {
	if f.In == "form" && len(from.form.File[f.Name]) > 0 {
		return f.refused(v, &schema.Fault{Code: "type", Limit: f.Schema.Resolve().Kind, Detail: "must be sent without a file name"}), nil
	}
	var buffer [4]string
	values := f.sent(from, buffer[:0])
	if fault := f.fill(v, values); fault != nil {
		return f.refused(v, fault), nil
	}
	if !f.hasValidators || len(values) == 0 {
		return nil, nil
	}
	found, err := value.Validate(from.request.Context(), f.Schema, v)
	return f.withLocation(found), err
}

// refused returns the error for a fault, and sets v to zero: a list may have valid items before the
// fault.
func (f *fieldPlan) refused(v reflect.Value, fault *schema.Fault) []InputError {
	v.SetZero()
	return []InputError{f.inputError(fault)}
}

// withLocation adds the field to errors in its value.
func (f *fieldPlan) withLocation(errs []InputError) []InputError {
	for i := range errs {
		errs[i].In, errs[i].Name = routing.Location(f.In), f.Name
	}
	return errs
}

// isSent reports whether a request has a value or a file for the field.
func (f *fieldPlan) isSent(from incoming) bool {
	return len(from.form.File[f.Name]) > 0 || len(f.sent(from, nil)) > 0
}

// jsonPart is a field of a form that is a part with JSON.
type jsonPart struct{ *fieldPlan }

// read decodes the part into v. Browsers send it as a file, if it is a Blob.
func (f jsonPart) read(from incoming, v reflect.Value) (errs []InputError, err error) {
	var text string
	switch values, files := f.sent(from, nil), from.form.File[f.Name]; {
	case len(values) > 0:
		text = values[0]
	case len(files) > 0:
		content, err := newFile(files[0]).Bytes()
		if err != nil {
			return []InputError{f.inputError(&schema.Fault{Code: "invalid", Detail: "cannot be read"})}, nil //nolint:nilerr // reported as an input error
		}
		text = string(content)
	case f.Required:
		return []InputError{f.inputError(schema.Required)}, nil
	default:
		return nil, nil
	}
	if fault := notJSON([]byte(text)); fault != "" {
		return []InputError{f.inputError(&schema.Fault{Code: "type", Limit: "object", Detail: fault})}, nil
	}
	errs, err = value.Decode(from.request.Context(), f.Schema, text, v, f.hasValidators)
	return f.withLocation(errs), err
}

// filePart is a field of a form for files.
type filePart struct{ *fieldPlan }

func (f filePart) read(from incoming, v reflect.Value) ([]InputError, error) {
	if fault := f.fill(v, from.form); fault != nil {
		return f.refused(v, fault), nil
	}
	return nil, nil
}

// fill sets v, a File, *File or []File, to the files with the field's name.
func (f filePart) fill(v reflect.Value, form multipart.Form) *schema.Fault {
	headers := form.File[f.Name]
	isText := func(text string) bool { return text != "" } // without a file, a browser sends an empty value
	switch {
	case slices.ContainsFunc(form.Value[f.Name], isText):
		return &schema.Fault{Code: "type", Limit: "file", Detail: "must be a file, with a file name"}
	case len(headers) == 0 && f.Required:
		return &schema.Fault{Code: schema.Required.Code, Detail: "is required, as a file"}
	case len(headers) == 0:
		return nil
	}
	var files []File
	for _, h := range headers {
		file := newFile(h)
		if f.Accept != nil && !file.isOf(f.Accept) {
			return &schema.Fault{Code: "contentMediaType", Limit: f.Accept, Detail: "must be of the type " + f.Rules.Get("accept")}
		}
		if fault := f.schema.RefuseLength(int(min(file.Size, math.MaxInt32))); fault != nil {
			return fault
		}
		files = append(files, file)
	}
	switch v.Kind() {
	case reflect.Struct:
		v.Set(reflect.ValueOf(files[0]))
		return nil
	case reflect.Pointer:
		v.Set(reflect.ValueOf(&files[0]))
		return nil
	}
	v.Set(reflect.ValueOf(files))
	return f.list.RefuseLength(len(files))
}
