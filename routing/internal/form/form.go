package form

import (
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"

	"example.com/flowercafe/internal/urlencoded"
)

// This file reads the fields of a form from a Body.

// Form returns the fields of a form. If the form was parsed before, they are taken from there.
func (in *Body) Form(r *http.Request, l *Limits) (urlencoded.Fields, *Error) {
	switch in.kind {
	case urlencodedBody:
		return in.URLEncoded(r, l.Body)
	case multipartBody:
		return in.multipart(r, l)
	}
	return urlencoded.Fields{}, nil
}

// URLEncoded returns the fields of an urlencoded form.
func (in *Body) URLEncoded(r *http.Request, limit int64) (urlencoded.Fields, *Error) {
	if values, isParsed := urlencoded.Form(r); isParsed {
		return urlencoded.Parsed(values), nil
	}
	body, err := in.Load(limit)
	return in.index.Fields(body), err
}

// uploadMemory is how much of a multipart form is kept in memory: half of it raw, to be read
// again, and half of it parsed. The rest is in temporary files until the request ends.
const uploadMemory = 8 << 20

// multipart returns the text fields of a multipart form, and sets r.MultipartForm.
func (in *Body) multipart(r *http.Request, l *Limits) (urlencoded.Fields, *Error) {
	if r.MultipartForm == nil {
		if err := in.parseMultipart(r, l.Total()); err != nil {
			return urlencoded.Fields{}, err
		}
	}
	form := r.MultipartForm
	fields := urlencoded.Parsed(form.Value)
	text, files := int64(0), int64(0)
	for key, values := range form.Value {
		for _, value := range values {
			text += int64(len(key) + len(value))
		}
	}
	for _, list := range form.File {
		for _, file := range list {
			files += file.Size
		}
	}
	switch {
	case text > l.Body:
		return urlencoded.Fields{}, &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("text fields larger than %d bytes", l.Body)}
	case files > l.Upload:
		return urlencoded.Fields{}, &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("files larger than %d bytes", l.Upload)}
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
