package apidoc

import (
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/internal/urlencoded"
)

// This file reads forms: urlencoded and multipart/form-data, which may have files.

// formBody is the plan to parse a form.
type formBody struct {
	media []string // only multipart if it has a file or a part with JSON
	limit int64
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
	if err := checkMedia(r, b.media, true); err != nil {
		return nil, err
	}
	if isParsed {
		if r.ContentLength > b.limit || formSize(form) > b.limit {
			return nil, tooLarge
		}
		return form, nil
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
		r.Body = &bufferedBody{rest: content}          // for a route that reads the body, after a pass
		form.Value = r.PostForm
		return form, nil
	}
	if r.ContentLength > b.limit { // the client is not invited to send it (RFC 9110, 10.1.1)
		return nil, longerThan(b.limit)
	}
	body := http.MaxBytesReader(nil, newUnreadBody(r, r.Body), b.limit)
	form, err := multipart.NewReader(body, params["boundary"]).ReadForm(inMemory)
	if err == nil {
		if _, err = io.Copy(io.Discard, body); err != nil { // what follows the form counts for the limit
			_ = form.RemoveAll()
		}
	}
	switch {
	case errors.Is(err, multipart.ErrMessageTooLarge):
		return nil, tooLarge
	case err != nil:
		if _, cause := body.Read(make([]byte, 1)); errors.Is(refusal(cause), tooLarge) {
			err = cause // the limit was reached in a part's header; multipart hides the cause
		}
		return nil, unreadable(err, "The body is not valid multipart/form-data")
	}
	r.MultipartForm, r.PostForm, r.Body = form, maps.Clone(form.Value), consumedBody{r.Body}
	return form, nil
}

// formSize returns the size of a form's names, values and files, which is less than its body had.
func formSize(form *multipart.Form) (size int64) {
	for name, values := range form.Value {
		for _, text := range values {
			size += int64(len(name) + len(text))
		}
	}
	for _, files := range form.File {
		for _, file := range files {
			size += file.Size
		}
	}
	return size
}
