package routing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
)

// bodyKind tells what a body is to the parameters.
type bodyKind uint8

const (
	otherBody bodyKind = iota
	urlencodedBody
	multipartBody
	jsonBody
)

// input is what the engine reads of a request's body. It stands in for the body, so that what was read for parameters or the
// method override is there again for the action, and for the next handler. It is not used for another request.
type input struct {
	kind     bodyKind
	boundary string // of a multipart body
	method   string // as the request was received
	refused  *RequestError

	mu      sync.Mutex // an action may read parameters while a copy of its request is read elsewhere
	body    io.ReadCloser
	read    []byte // what was read for parameters
	given   int    // how much of read was given back
	ended   error  // what ended the reading: io.EOF if read is all
	parsed  bool
	fields  fields
	invalid *RequestError
}

// newInput puts an input in place of r's body, if parameters may be read from that; else it returns nil.
func newInput(r *http.Request, s *settings) *input {
	contentType := r.Header.Get("Content-Type")
	if contentType == "" {
		return nil
	}
	method := r.Method
	if outer, ok := r.Body.(*input); ok {
		method = outer.method // before it was overridden
	}
	kind, boundary := kindOf(method, contentType, s.multipart)
	if kind == otherBody {
		return nil
	}
	in := &input{kind: kind, boundary: boundary, method: method, body: r.Body}
	r.Body = in
	return in
}

// kindOf tells what a body of that type is in a request received with method.
func kindOf(method, contentType string, multipart bool) (kind bodyKind, boundary string) {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	isForm := method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
	switch {
	case mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"):
		return jsonBody, ""
	case mediaType == "application/x-www-form-urlencoded" && isForm:
		return urlencodedBody, ""
	case mediaType == "multipart/form-data" && isForm && multipart:
		_, params, err := mime.ParseMediaType(contentType)
		if err != nil {
			return otherBody, ""
		}
		return multipartBody, params["boundary"]
	}
	return otherBody, ""
}

// Read gives back what was read before, and then goes on with the body.
func (in *input) Read(p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.given < len(in.read) {
		n := copy(p, in.read[in.given:])
		in.given += n
		return n, nil
	}
	if in.ended != nil {
		return 0, in.ended
	}
	return in.body.Read(p)
}

// Close closes the body.
func (in *input) Close() error { return in.body.Close() }

// load reads the body, at most limit bytes, and returns it. A body that is longer or breaks off is an error, also the next time.
func (in *input) load(limit int64) (string, *RequestError) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.loadLocked(limit)
}

func (in *input) loadLocked(limit int64) (string, *RequestError) {
	if in.ended == nil && int64(len(in.read)) <= limit {
		// One byte more than the limit tells a body that is too long.
		more, err := io.ReadAll(io.LimitReader(in.body, limit+1-int64(len(in.read))))
		in.read = append(in.read, more...)
		switch {
		case err != nil:
			in.ended = err
		case int64(len(in.read)) <= limit:
			in.ended = io.EOF
		}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case int64(len(in.read)) > limit:
		return "", &RequestError{http.StatusRequestEntityTooLarge, fmt.Errorf("body larger than %d bytes", limit)}
	case in.ended == io.EOF:
		return string(in.read), nil
	case errors.As(in.ended, &tooLarge):
		return "", &RequestError{http.StatusRequestEntityTooLarge, fmt.Errorf("body: %w", in.ended)}
	default:
		return "", &RequestError{http.StatusBadRequest, fmt.Errorf("body: %w", in.ended)}
	}
}

// form returns the fields of a form, of a request that has that many parameters already.
func (in *input) form(s settings, already int) (fields, *RequestError) {
	if in.kind != urlencodedBody && in.kind != multipartBody {
		return fields{}, nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.parsed {
		return in.fields, in.invalid
	}
	in.parsed = true
	body, err := in.loadLocked(s.bodyLimit)
	if err != nil {
		in.invalid = err
		return fields{}, err
	}
	if in.kind == urlencodedBody {
		in.fields.pairs = pairs(body)
		if already+in.fields.pairs.count() > s.paramLimit {
			in.invalid = tooManyParams(s.paramLimit)
		}
	} else {
		in.fields.list, in.invalid = textFields(body, in.boundary, s.paramLimit-already, s.paramLimit)
	}
	if in.invalid != nil {
		in.fields = fields{}
	}
	return in.fields, in.invalid
}

// textFields returns the fields of a multipart form that are not files. All parts count, so that there is a limit to the work.
func textFields(body, boundary string, most, limit int) ([]field, *RequestError) {
	var list []field
	reader := multipart.NewReader(strings.NewReader(body), boundary)
	for count := 1; ; count++ {
		part, err := reader.NextPart()
		switch {
		case err == io.EOF:
			return list, nil
		case err != nil:
			return nil, &RequestError{http.StatusBadRequest, fmt.Errorf("multipart form: %w", err)}
		case count > most:
			return nil, tooManyParams(limit)
		case part.FileName() != "" || part.FormName() == "":
			continue
		}
		var value bytes.Buffer
		if _, err := value.ReadFrom(part); err != nil {
			return nil, &RequestError{http.StatusBadRequest, fmt.Errorf("multipart form: %w", err)}
		}
		list = append(list, field{part.FormName(), value.String()})
	}
}

func tooManyParams(limit int) *RequestError {
	return &RequestError{http.StatusBadRequest, fmt.Errorf("more than %d parameters", limit)}
}
