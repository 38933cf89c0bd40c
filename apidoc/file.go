package apidoc

import (
	"io"
	"mime/multipart"
	"net/http"

	"example.com/flowercafe/apidoc/internal/message"
)

// File is an uploaded file, a field with the tag form. Its tag accept lists the allowed media
// types, maxLength limits its size in bytes. It can be opened until the operation returns.
type File struct {
	Name        string // the client's name for it; do not trust it as a path
	ContentType string // from the client, or detected if that is application/octet-stream
	Size        int64
	open        func() (multipart.File, error)
}

// Open opens the file for reading. If no file was uploaded, the error is [http.ErrMissingFile].
func (f File) Open() (multipart.File, error) {
	if f.open == nil {
		return nil, http.ErrMissingFile
	}
	return f.open()
}

// Bytes reads the whole file.
func (f File) Bytes() ([]byte, error) {
	file, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// contentType returns the media type from the client. If that is application/octet-stream, as many
// clients send for all files, it is detected from the content.
func contentType(h *multipart.FileHeader) string {
	named := h.Header.Get("Content-Type")
	if named != "" && named != message.Bytes {
		return named
	}
	file, err := h.Open()
	if err != nil {
		return named
	}
	defer file.Close()
	start := make([]byte, 512) // the number of bytes that DetectContentType reads
	n, err := io.ReadFull(file, start)
	if err != nil && err != io.ErrUnexpectedEOF {
		return named
	}
	return http.DetectContentType(start[:n])
}
