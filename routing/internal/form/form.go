package form

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"example.com/flowercafe/internal/urlencoded"
)

// This file reads the fields of a form, or JSON, from a Body.

// JSON returns the body as text if it is JSON, or the empty string. A nil Body is empty.
func (b *Body) JSON(r *http.Request, limit int64) (string, *Error) {
	if b == nil || b.kind != jsonBody {
		return "", nil
	}
	return b.load(r, limit)
}

// Form returns the fields of a form. If net/http has parsed the form, they are taken from the
// request.
func (b *Body) Form(r *http.Request, limit int64) (urlencoded.Fields, *Error) {
	switch {
	case r.MultipartForm != nil:
		return urlencoded.Parsed(r.MultipartForm.Value), nil
	case b != nil && b.kind == urlencodedBody:
		if values, isParsed := urlencoded.Form(r); isParsed {
			if len(values) == 0 && (r.ContentLength > 0 || b.readBytes > 0) { // middleware has ignored the error of ParseForm
				return urlencoded.Fields{}, errUnparsed
			}
			return urlencoded.Parsed(values), nil
		}
		text, err := b.load(r, limit)
		if err == nil && urlencoded.IsOverfull(text) {
			return urlencoded.Fields{}, errTooManyFields
		}
		return b.index.Fields(text), err
	}
	return urlencoded.Fields{}, nil
}

// load returns the whole body. A body that is longer than limit or incomplete is an error. A later
// call with a higher limit continues to read a longer body.
func (b *Body) load(r *http.Request, limit int64) (string, *Error) {
	if b.readErr == nil && b.readBytes == int64(len(b.text)) && b.readBytes <= limit {
		most := limit + 1 - b.readBytes // one byte more, to detect a longer body
		more, err := io.ReadAll(io.LimitReader(b.original, most))
		if err == nil && int64(len(more)) < most {
			err = io.EOF
		}
		b.text, b.readBytes, b.readErr = b.text+string(more), b.readBytes+int64(len(more)), err
	}
	if int64(len(b.text)) > limit {
		return "", tooLarge("body larger than %d bytes", limit)
	}
	if err := b.incomplete(r); err != nil {
		return "", err
	}
	return b.text, nil
}

// incomplete returns the error of a body that was not read from its beginning to its end, or nil.
// Middleware may have decoded the body, so ContentLength only shows that it is not empty.
func (b *Body) incomplete(r *http.Request) *Error {
	var limited *http.MaxBytesError // of middleware
	switch {
	case errors.As(b.readErr, &limited):
		return &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("body: %w", b.readErr)}
	case b.readBytes > int64(len(b.text)), // a part was read by others, or all of it before
		b.readErr == io.EOF && b.readBytes == 0 && r.ContentLength > 0 && r.Header["Content-Encoding"] == nil:
		return &Error{http.StatusInternalServerError, errBodyWasRead}
	case b.readErr != io.EOF:
		return &Error{http.StatusBadRequest, fmt.Errorf("body: %w", b.readErr)}
	}
	return nil
}

func tooLarge(format string, limit int64) *Error {
	return &Error{http.StatusRequestEntityTooLarge, fmt.Errorf(format, limit)}
}

// The errors of a form with too many fields, and of a form in which net/http found no fields.
var (
	errTooManyFields = tooLarge("a form with more than %d fields", urlencoded.MaxFields)
	errUnparsed      = &Error{http.StatusBadRequest, errors.New("a form that Request.ParseForm could not read, such as one with too many fields")}
)

var errBodyWasRead = errors.New("the body was read before: read parameters first, or parse the form with Request.ParseForm")

// Field returns the first value of a field, or the empty string.
func (b *Body) Field(r *http.Request, key string, limit int64) (value string) {
	if fields, err := b.Form(r, limit); err == nil {
		fields.Each(key, func(first string) bool {
			value = first
			return false
		})
	}
	return value
}
