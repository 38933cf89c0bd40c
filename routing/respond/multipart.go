package respond

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"strings"

	"example.com/flowercafe/routing"
)

// uploadMemory is the number of bytes of a form's files that are kept in memory.
const uploadMemory = 8 << 20

// Multipart returns a before filter that parses multipart/form-data bodies of at most limit bytes.
// Afterwards [routing.Params] has the text fields, and [http.Request.FormFile] the files. Files
// beyond 8 MiB are on disk, and are removed when the app has served the request.
//
//	app.Before(respond.Multipart(32<<20), routing.On("/photos"))
//
// A larger body is a 413, and so is a form with more than 18 MiB in memory or 1,000 parts. A
// malformed form is a 400.
func Multipart(limit int64) routing.Filter {
	if limit < 1 {
		panic(fmt.Sprintf("respond: Multipart(%d): write a limit of at least 1", limit))
	}
	return func(c routing.Context) error {
		r := c.Request()
		mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		isForm := strings.EqualFold(strings.TrimSpace(mediaType), "multipart/form-data")
		if !isForm || r.MultipartForm != nil || r.ContentLength == 0 {
			return nil
		}
		if r.ContentLength > limit { // without inviting the client to send the body (RFC 9110, 10.1.1)
			return &routing.RequestError{Status: http.StatusRequestEntityTooLarge, Err: fmt.Errorf("multipart form larger than %d bytes", limit)}
		}
		r.Body = http.MaxBytesReader(nil, r.Body, limit)
		err := r.ParseMultipartForm(uploadMemory)
		if r.MultipartForm != nil { // then only the query may be malformed
			_, err = io.Copy(io.Discard, r.Body) // what follows the form counts for the limit
		}
		if err == nil {
			return nil
		}
		status := http.StatusBadRequest
		_, readErr := r.Body.Read(nil) // the error of the limit, which err may not wrap
		var tooLarge *http.MaxBytesError
		var pathErr *fs.PathError // a full disk, or too many open files
		switch {
		case errors.As(readErr, &tooLarge), errors.Is(err, multipart.ErrMessageTooLarge):
			status = http.StatusRequestEntityTooLarge
		case errors.As(err, &pathErr):
			status = http.StatusInternalServerError
		}
		return &routing.RequestError{Status: status, Err: fmt.Errorf("parse multipart form: %w", err)}
	}
}
