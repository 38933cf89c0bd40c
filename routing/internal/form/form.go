package form

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"example.com/flowercafe/internal/urlencoded"
)

// This file reads the fields of a form, or JSON, from a Body.

// JSON returns the body as text if it is JSON, or the empty text. A nil Body is empty.
func (b *Body) JSON(r *http.Request, l Limits) (string, *Error) {
	if b == nil || b.kind != jsonBody {
		return "", nil
	}
	return b.load(r, l.Body)
}

// Form returns the fields of a form. If the form was parsed before, they are taken from there. A
// nil Body has none.
func (b *Body) Form(r *http.Request, l Limits) (urlencoded.Fields, *Error) {
	switch {
	case b == nil:
	case b.kind == urlencodedBody:
		if values, isParsed := urlencoded.Form(r); isParsed {
			if b.spent || b.kept && len(values) == 0 && b.ended == io.EOF && b.taken < b.length {
				return urlencoded.Fields{}, &Error{http.StatusInternalServerError, errBodyWasRead}
			}
			if len(values) == 0 && r.ContentLength > 0 { // by middleware that has dropped the error
				return urlencoded.Fields{}, unparsed
			}
			return urlencoded.Parsed(values), nil
		}
		text, err := b.load(r, l.Body)
		if err == nil && urlencoded.IsOverfull(text) {
			return urlencoded.Fields{}, overfull
		}
		return b.index.Fields(text), err
	case b.kind == multipartBody:
		return b.multipart(r, l)
	}
	return urlencoded.Fields{}, nil
}

// load returns the whole body, which may have at most limit bytes, and leaves it in r for others. A
// body that is longer or breaks off is an error on every call.
func (b *Body) load(r *http.Request, limit int64) (string, *Error) {
	if b.ended == nil && b.taken == int64(len(b.text)) && b.taken <= limit {
		most := limit + 1 - b.taken // one byte more, to detect a longer body
		more, err := io.ReadAll(io.LimitReader(b.rest, most))
		if err == nil && int64(len(more)) < most {
			err = io.EOF
		}
		b.text, b.taken, b.ended = b.text+string(more), b.taken+int64(len(more)), err
		r.Body = b
	}
	if int64(len(b.text)) > limit {
		return "", tooLarge("body larger than %d bytes", limit)
	}
	if err := b.incomplete(); err != nil {
		return "", err
	}
	return b.text, nil
}

// incomplete returns the error of a body that was not read to its end, or nil.
func (b *Body) incomplete() *Error {
	var limited *http.MaxBytesError // of middleware
	switch {
	case errors.As(b.ended, &limited):
		return &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("body: %w", b.ended)}
	case b.taken > int64(len(b.text)), b.ended == io.EOF && b.taken < b.length: // others have read a part
		return &Error{http.StatusInternalServerError, errBodyWasRead}
	case b.ended != io.EOF:
		return &Error{http.StatusBadRequest, fmt.Errorf("body: %w", b.ended)}
	}
	return nil
}

func tooLarge(format string, limit int64) *Error {
	return &Error{http.StatusRequestEntityTooLarge, fmt.Errorf(format, limit)}
}

// These are the errors of a form with too many fields, and of one of which net/http has read none.
var (
	overfull = tooLarge("a form with more than %d fields", urlencoded.MostFields)
	unparsed = &Error{http.StatusBadRequest, errors.New("a form that Request.ParseForm could not read, such as one with too many fields")}
)

var errBodyWasRead = errors.New("the body was read before: read parameters first, or parse the form with Request.ParseForm")

// mostPeeked is how much of a multipart form is read to find one field.
const mostPeeked = 64 << 10

// Field returns the first value of a field, or the empty text. Of a multipart form it reads only
// the beginning, up to the first file, and puts it in front of the rest, since a filter may refuse
// the upload, or its action have another limit. It does not invite a client that waits to send the
// body (RFC 9110, 10.1.1), as browsers never do.
func (b *Body) Field(r *http.Request, key string, l Limits) (value string) {
	switch {
	case b.kind != multipartBody || r.MultipartForm != nil:
		if fields, err := b.Form(r, l); err == nil {
			fields.Each(key, func(first string) bool {
				value = first
				return false
			})
		}
	case r.Form == nil && b.taken == 0 && r.Header["Expect"] == nil:
		value = b.peek(r, key)
	}
	return value
}

func (b *Body) peek(r *http.Request, key string) string {
	_, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // of kindOf
	var read strings.Builder
	defer func() {
		b.text, b.taken, r.Body = read.String(), int64(read.Len()), b
	}()
	parts := multipart.NewReader(io.TeeReader(io.LimitReader(b.rest, mostPeeked), &read), parameters["boundary"])
	for {
		part, err := parts.NextPart()
		if err != nil || part.FileName() != "" {
			return ""
		}
		if part.FormName() == key {
			value, err := io.ReadAll(part)
			if err != nil { // it was cut off
				return ""
			}
			return string(value)
		}
	}
}

// uploadMemory is how much of the files of a form is kept in memory. The rest is in temporary files
// until the request ends.
const uploadMemory = 8 << 20

// multipart returns the text fields of a multipart form, and sets r.MultipartForm.
func (b *Body) multipart(r *http.Request, l Limits) (urlencoded.Fields, *Error) {
	if b.failed == nil {
		b.failed = b.parse(r, l.total())
	}
	if b.failed != nil {
		return urlencoded.Fields{}, b.failed
	}
	var text, files int64
	for key, values := range r.MultipartForm.Value {
		for _, value := range values {
			text += int64(len(key) + len(value))
		}
	}
	for _, list := range r.MultipartForm.File {
		for _, file := range list {
			files += file.Size
		}
	}
	switch {
	case text > l.Body:
		return urlencoded.Fields{}, tooLarge("text fields larger than %d bytes", l.Body)
	case files > l.Upload:
		return urlencoded.Fields{}, tooLarge("files larger than %d bytes", l.Upload)
	}
	return urlencoded.Parsed(r.MultipartForm.Value), nil
}

// parse parses a multipart form whose body may have limit bytes, unless somebody has done so.
func (b *Body) parse(r *http.Request, limit int64) *Error {
	if r.MultipartForm == nil && b.taken > int64(len(b.text)) {
		return b.incomplete()
	}
	before := r.MultipartForm
	b.rest, r.Body = http.MaxBytesReader(nil, b.given, limit-b.taken), b
	err := r.ParseMultipartForm(uploadMemory)
	if err == nil || r.MultipartForm != before {
		return nil // the error of a query that package url refuses is none here
	}
	var limited *http.MaxBytesError
	var storing *fs.PathError
	status := http.StatusBadRequest
	switch {
	case errors.As(err, &limited), errors.Is(err, multipart.ErrMessageTooLarge):
		status = http.StatusRequestEntityTooLarge
	case before != nil, b.ended == io.EOF && b.taken < b.length: // read by Request.MultipartReader, or otherwise
		status = http.StatusInternalServerError
	case b.ended != nil && b.ended != io.EOF: // the client's connection
	case errors.As(err, &storing): // a full disk, or too many open files
		status = http.StatusInternalServerError
	}
	return &Error{status, fmt.Errorf("multipart form: %w", err)}
}
