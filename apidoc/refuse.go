package apidoc

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file has the problems of invalid requests.

// The problems of invalid requests.
var (
	badRequest      = refuse(http.StatusBadRequest, "bad_request", "The request cannot be read")
	tooLarge        = refuse(http.StatusRequestEntityTooLarge, "request_entity_too_large", "The request is too large")
	unsupportedType = refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "The request has another media type than described")
	invalidInput    = refuse(http.StatusUnprocessableEntity, "unprocessable_entity", "The request is not as described")
)

// invalid returns the problem of a request with errors, or nil if there are none.
func invalid(errs []InputError) error {
	if len(errs) == 0 {
		return nil
	}
	p := invalidInput.With("")
	p.Detail, p.Errors = summary(errs), errs
	return p
}

// summary returns a sentence for each of the first errors.
func summary(errs []InputError) string {
	const most = 3
	var room [256]byte // usually enough
	b := room[:0]
	for i, e := range errs {
		if i == most {
			b = fmt.Appendf(b, "; and %d more", len(errs)-most)
			break
		}
		if i > 0 {
			b = append(b, "; "...)
		}
		b = append(b, e.In...)
		if e.Name != "" {
			b = strconv.AppendQuote(append(b, ' '), e.Name)
		}
		if e.Line > 0 {
			b = strconv.AppendInt(append(b, " line "...), int64(e.Line), 10)
		}
		if e.Pointer != "" {
			b = append(append(b, ' '), e.Pointer...)
		}
		b = append(append(b, ' '), e.Detail...)
	}
	return string(b)
}

// refusal returns the problem for an error of reading a request, and other errors unchanged.
func refusal(err error) error {
	var limit *http.MaxBytesError
	var refused *routing.RequestError
	switch {
	case errors.As(err, &limit):
		return longerThan(limit.Limit)
	case errors.As(err, &refused) && refused.Status == http.StatusRequestEntityTooLarge:
		return tooLarge
	case errors.As(err, &refused):
		return badRequest
	}
	return err
}

// unreadable returns the problem for an error of reading a body; detail is the default text.
func unreadable(err error, detail string) error {
	if p := (*Problem)(nil); errors.As(refusal(err), &p) {
		return p
	}
	return badRequest.With("%s", detail)
}

func longerThan(limit int64) *Problem {
	return tooLarge.With("The body is larger than %d bytes", limit)
}

// overfull is the answer to a form with too many fields. A multipart one has fewer parts.
var overfull = tooLarge.With("The form has more than %d fields", urlencoded.MostFields)

// checkMedia refuses a body with another media type.
func checkMedia(r *http.Request, media []string) error {
	header := r.Header.Get("Content-Type")
	if header == media[0] || message.Accepts(media, header) || header == "" && slices.Contains(media, message.Bytes) {
		return nil
	}
	return unsupportedType.With("Send the body with the content type %s", strings.Join(media, " or "))
}
