package apidoc

import (
	"errors"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file reads forms: urlencoded and multipart/form-data, which may have files.

// formBody is the plan to parse a form.
type formBody struct {
	media []string // only multipart if it has a file or a part with JSON
	limit int64
}

// read sets the field of an input, and returns its errors.
func (f *fieldPlan) read(from incoming, v reflect.Value) ([]InputError, error) {
	var fault *schema.Fault
	var buffer [4]string
	values := buffer[:0]
	switch {
	case f.part != nil:
		return f.fillPart(v, from)
	case f.isFile():
		fault = f.fillFiles(v, from.form)
	default:
		if f.In == "form" && len(from.form.File[f.Name]) > 0 {
			fault = &schema.Fault{Code: "type", Limit: f.fieldSchema.Resolve().Kind, Detail: "must be sent without a file name"}
			break
		}
		values = f.sent(from, values)
		fault = f.fill(v, values)
	}
	if fault != nil {
		v.SetZero() // a list may have valid items before the fault
		return []InputError{f.inputError(fault)}, nil
	}
	if !f.hasValidators || len(values) == 0 && f.defaults == nil {
		return nil, nil
	}
	found, err := value.Validate(from.request.Context(), f.fieldSchema, v)
	return f.withLocation(found), err
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

// inMemory is the number of bytes of a form's files that are kept in memory. The rest is on disk.
const inMemory = 8 << 20

// parse returns the form of a request, which may have been read before. Without a body it is empty.
func (b *formBody) parse(r *http.Request) (*multipart.Form, error) {
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isParsed := r.MultipartForm != nil // by a filter or middleware
	form := r.MultipartForm
	if media == message.Form {
		form = new(multipart.Form)
		form.Value, isParsed = urlencoded.Form(r)
	}
	if !isParsed && !hasBody(r) {
		return new(multipart.Form), nil
	}
	if err := checkMedia(r, b.media); err != nil || isParsed {
		return form, err
	}
	if media == message.Form {
		content, err := readBody(r, b.limit)
		if err != nil {
			return nil, unreadable(err, "The body is incomplete")
		}
		if urlencoded.IsOverfull(string(content)) {
			return nil, tooManyFields
		}
		r.PostForm = urlencoded.Parse(string(content)) // for handlers that read the form again
		form.Value = r.PostForm
		return form, nil
	}
	body := http.MaxBytesReader(nil, newUnreadBody(r, r.Body), b.limit)
	form, err := multipart.NewReader(body, params["boundary"]).ReadForm(inMemory)
	switch {
	case errors.Is(err, multipart.ErrMessageTooLarge):
		return nil, tooLarge
	case err != nil:
		if _, cause := body.Read(make([]byte, 1)); errors.Is(refusal(cause), tooLarge) {
			err = cause // the limit was reached in a part's header; multipart hides the cause
		}
		return nil, unreadable(err, "The body is not valid multipart/form-data")
	}
	r.MultipartForm = form
	return form, nil
}

// fillPart decodes a part with JSON into v. Browsers send it as a file, if it is a Blob.
func (f *fieldPlan) fillPart(v reflect.Value, from incoming) (errs []InputError, err error) {
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
	errs, isJSON, err := readJSON(from.request.Context(), f.part, []byte(text), v, f.hasValidators)
	if !isJSON {
		return []InputError{f.inputError(&schema.Fault{Code: "type", Limit: "object", Detail: "must be JSON"})}, nil
	}
	return f.withLocation(errs), err
}

// fillFiles sets v, a File, *File or []File, to the files with the field's name.
func (f *fieldPlan) fillFiles(v reflect.Value, form multipart.Form) *schema.Fault {
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
		if f.accepted != nil && !file.isOf(f.accepted) {
			return &schema.Fault{Code: "contentMediaType", Limit: f.accepted, Detail: "must be of the type " + f.Rules.Get("accept")}
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
