package form

import (
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
)

// This file reads the fields of a form from a Body.

// Form returns the fields of a form. If the form was parsed before, they are taken from there.
func (in *Body) Form(r *http.Request, l *Limits) (Fields, *Error) {
	switch in.kind {
	case urlencodedBody:
		f, err := in.URLEncoded(r, l.Body)
		if err == nil && Query(r.URL.RawQuery).Count()+f.Count() > l.Params {
			err = TooMany(l.Params)
		}
		return f, err
	case multipartBody:
		return in.multipart(r, l)
	}
	return Fields{}, nil
}

// URLEncoded returns the fields of an urlencoded form.
func (in *Body) URLEncoded(r *http.Request, limit int64) (Fields, *Error) {
	if values, parsed := parsedForm(r); parsed {
		return Fields{parsed: values}, nil
	}
	body, err := in.Load(limit)
	return Fields{text: body}, err
}

// parsedForm returns the form that was parsed before, without the parameters of the query.
func parsedForm(r *http.Request) (url.Values, bool) {
	values := r.PostForm
	switch {
	case values != nil:
	case r.MultipartForm != nil:
		values = r.MultipartForm.Value
	case r.Form == nil:
		return nil, false
	default: // Form has the values of the query after those of the body.
		query := r.URL.Query()
		values = make(url.Values)
		for key, all := range r.Form {
			if own := len(all) - len(query[key]); own > 0 {
				values[key] = all[:own]
			}
		}
	}
	// Of a DELETE, to which the method may have been overridden, ParseForm does not read the body.
	return values, len(values) > 0 || takesForm(r.Method)
}

// uploadMemory is how much of a multipart form is kept in memory: half of it raw, to be read
// again, and half of it parsed. The rest is in temporary files until the request ends.
const uploadMemory = 8 << 20

// multipart returns the text fields of a multipart form, and sets r.MultipartForm.
func (in *Body) multipart(r *http.Request, l *Limits) (Fields, *Error) {
	if r.MultipartForm == nil {
		if err := in.parseMultipart(r, l.Total()); err != nil {
			return Fields{}, err
		}
	}
	form := r.MultipartForm
	fields := Fields{parsed: form.Value}
	count, text, files := Query(r.URL.RawQuery).Count()+fields.Count(), int64(0), int64(0)
	for key, values := range form.Value {
		for _, value := range values {
			text += int64(len(key) + len(value))
		}
	}
	for _, list := range form.File {
		count += len(list)
		for _, file := range list {
			files += file.Size
		}
	}
	switch {
	case count > l.Params:
		return Fields{}, TooMany(l.Params)
	case text > l.Body:
		return Fields{}, &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("text fields larger than %d bytes", l.Body)}
	case files > l.Upload:
		return Fields{}, &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("files larger than %d bytes", l.Upload)}
	}
	return fields, nil
}

// parseMultipart stores the body and parses it.
func (in *Body) parseMultipart(r *http.Request, limit int64) *Error {
	if err := in.store(limit); err != nil {
		return err
	}
	err := r.ParseMultipartForm(uploadMemory / 2)
	in.rewind()
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLarge) || errors.Is(err, multipart.ErrMessageTooLarge):
		return &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("multipart form: %w", err)}
	}
	return &Error{http.StatusBadRequest, fmt.Errorf("multipart form: %w", err)}
}

// TooMany returns the error for too many parameters.
func TooMany(limit int) *Error {
	return &Error{http.StatusBadRequest, fmt.Errorf("more than %d parameters", limit)}
}
