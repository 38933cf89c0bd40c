package apidoc

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file reads the bytes of bodies, and makes the problems of bodies that cannot be read.

// checkMedia refuses a body with another media type.
func checkMedia(r *http.Request, media []string, areListed bool) error {
	header := r.Header.Get("Content-Type")
	rest, isFirst := strings.CutPrefix(header, media[0])
	switch {
	case isFirst && (rest == "" || rest == "; charset=utf-8"): // as nearly all clients write it
		return nil
	case message.Has(media, areListed, header):
		return nil
	case header == "" && slices.Contains(media, message.Bytes):
		return nil
	}
	return unsupportedType.Detailf("Send the body with the content type %s", strings.Join(media, " or "))
}

// isUTF8 reports whether the text of a request is in UTF-8, by its Content-Type.
func isUTF8(r *http.Request) bool {
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	return charset == "" || charset == "utf-8" || charset == "utf8" || charset == "us-ascii"
}

// hasBody reports whether a request may have a body.
func hasBody(r *http.Request) bool {
	return r.Body != nil && r.ContentLength != 0
}

// readBody reads the body. The error is an [http.MaxBytesError] if the body is longer than limit.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	switch {
	case !hasBody(r):
		return nil, nil
	case r.ContentLength > limit:
		return nil, &http.MaxBytesError{Limit: limit}
	}
	const maxBuffer = 64 << 10 // the client may announce a length that it does not send
	size := int64(bytes.MinRead)
	if r.ContentLength > 0 {
		size = min(r.ContentLength, maxBuffer) + 1 // so that the end is read too
	}
	content := make([]byte, 0, size)
	body := unreadBody{r.Body, r.ContentLength <= 0} // newUnreadBody would allocate
	for {
		n, err := body.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		switch {
		case int64(len(content)) > limit:
			return content, &http.MaxBytesError{Limit: limit}
		case err == io.EOF:
			return content, nil
		case err != nil:
			return content, err
		}
		content = slices.Grow(content, 1)
	}
}

// newUnreadBody returns a reader of the body. If the body was read before, Read returns an error,
// since the body would look empty.
func newUnreadBody(r *http.Request, body io.Reader) io.ReadCloser {
	return io.NopCloser(&unreadBody{body, r.ContentLength <= 0})
}

// unreadBody is a body that nothing has read yet.
type unreadBody struct {
	io.Reader
	mayBeEmpty bool // there is no Content-Length, or bytes were read
}

func (b *unreadBody) Read(p []byte) (n int, err error) {
	n, err = b.Reader.Read(p)
	if b.mayBeEmpty = b.mayBeEmpty || n > 0; !b.mayBeEmpty && err == io.EOF {
		err = errReadBefore
	}
	return n, err
}

// consumedBody is a body that was read as a multipart form. Its files may be on disk, so it cannot
// be read again.
type consumedBody struct{ io.Closer }

func (consumedBody) Read([]byte) (int, error) { return 0, readAsForm }

var readAsForm = unsupportedType.Detailf("The form was read before: send the body with another content type")

var errReadBefore = errors.New("apidoc: the body was read before: a filter or middleware that reads it must set Request.Body anew, or parse the form")

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

// unreadable returns the problem for an error of reading a body; detail is the default text. If the
// body was read before, which is a mistake of the program, it returns errReadBefore.
func unreadable(err error, detail string) error {
	var p *Problem
	switch {
	case errors.As(refusal(err), &p):
		return p
	case errors.Is(err, errReadBefore):
		return errReadBefore // without what wraps it, such as the error of a form that breaks off
	}
	return badRequest.Detailf("%s", detail)
}

func longerThan(limit int64) *Problem {
	return tooLarge.Detailf("The body is larger than %d bytes", limit)
}

// tooManyFields is the response to an urlencoded form with too many fields. Package multipart
// limits the parts of other forms.
var tooManyFields = tooLarge.Detailf("The form has more than %d fields", urlencoded.MaxFields)
