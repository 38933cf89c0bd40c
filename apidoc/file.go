package apidoc

import (
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"example.com/flowercafe/apidoc/internal/message"
)

// File is an uploaded file, a field with the tag form. It can be opened until the response is sent.
// Without an upload it is zero, and a *File nil. A []File has all files with the field's name.
//
// The tag accept recognizes PNG, GIF, JPEG, WebP and PDF by their first bytes, and other types by
// ContentType. What looks like HTML is text/html, unless ContentType is other text.
// Application/octet-stream alone accepts all.
type File struct {
	Name        string // the client's name for it; do not trust it as a path
	ContentType string // from the client, or detected if that is missing or application/octet-stream
	Size        int64
	open        func() (multipart.File, error)
	detected    string // the media type detected from the first bytes
}

// Open opens the file. The error of a zero File is [http.ErrMissingFile].
func (f File) Open() (multipart.File, error) {
	if f.open == nil {
		return nil, http.ErrMissingFile
	}
	return f.open()
}

// Bytes reads the file.
func (f File) Bytes() ([]byte, error) {
	file, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// newFile returns the file of a part of a form. It replaces the type application/octet-stream by
// the detected type, since many clients send all files with it.
func newFile(h *multipart.FileHeader) File {
	f := File{Name: h.Filename, ContentType: h.Header.Get("Content-Type"), Size: h.Size, open: h.Open, detected: message.Bytes}
	if file, err := h.Open(); err == nil {
		defer file.Close()
		start := make([]byte, 512) // the number of bytes that DetectContentType reads
		n, _ := io.ReadFull(file, start)
		f.detected = http.DetectContentType(start[:n])
	}
	if media, _, _ := mime.ParseMediaType(f.ContentType); f.ContentType == "" || media == message.Bytes {
		f.ContentType = f.detected
	}
	return f
}

// withSignature are media types of files that begin with known bytes. A BMP is not among them: it
// begins with the letters BM, as a text may.
var withSignature = []string{"image/png", "image/gif", "image/jpeg", "image/webp", "application/pdf"}

// isOf reports whether the file is of one of the types. A file that looks like HTML may be other
// text, such as Markdown.
func (f *File) isOf(accepted []string) bool {
	isHTML := message.Accepts([]string{"text/html"}, f.detected)
	if message.Accepts(withSignature, f.detected) || isHTML && !strings.HasPrefix(strings.ToLower(f.ContentType), "text/") {
		return message.Accepts(accepted, f.detected)
	}
	return message.Accepts(accepted, f.ContentType) && !message.Accepts(withSignature, f.ContentType)
}
