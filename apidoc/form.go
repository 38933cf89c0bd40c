package apidoc

import (
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file reads forms, urlencoded ones and those of multipart/form-data, which may hold files.

// File is an uploaded file, a field with the tag form. Its tag accept lists the media types that
// are taken, maxLength limits its bytes. It can be opened until the operation returns.
type File struct {
	Name        string // as the client calls it: no path to be trusted
	ContentType string // as the client calls it; what the content looks like if that is application/octet-stream
	Size        int64
	open        func() (multipart.File, error)
}

// Open opens the file for reading. The error of a zero File, one that was not uploaded, is
// [http.ErrMissingFile].
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

// formBody reads the fields of a form.
type formBody struct {
	fields []fieldPlan
	media  []string
	limit  int64
	closed bool // other fields are refused
}

const typeMultipart = "multipart/form-data"

// planForm plans a form. One with a file is multipart, others may be either.
func planForm(fields []fieldPlan, d *definition) *formBody {
	b := &formBody{fields: fields, media: []string{typeForm, typeMultipart}, limit: d.limit, closed: d.op.closedForm}
	for _, f := range fields {
		if f.Type.isFile() {
			b.media = []string{typeMultipart}
		}
	}
	return b
}

// inMemory is how many bytes of a form's files are kept in memory, the rest on disk.
const inMemory = 8 << 20

func (b *formBody) read(c routing.Context, v reflect.Value) (*Problem, []InputError, error) {
	r := c.Request()
	form, problem := b.parse(r)
	if problem != nil {
		return problem, nil, nil
	}
	var errs []InputError
	for i := range b.fields {
		f := &b.fields[i]
		var detail string
		if !f.Type.isFile() {
			detail = f.fill(v.FieldByIndex(f.index), f.apart(form.Value[f.Name]))
		} else if len(form.Value[f.Name]) > 0 {
			detail = "must be a file, with a file name"
		} else {
			detail = f.fillFiles(v.FieldByIndex(f.index), form.File[f.Name])
		}
		if detail != "" {
			errs = append(errs, InputError{In: InForm, Name: f.Name, Detail: detail})
		}
	}
	if b.closed {
		errs = append(errs, b.others(form)...)
	}
	return nil, errs, nil
}

// others refuses the fields that are not described.
func (b *formBody) others(form *multipart.Form) (errs []InputError) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(form.Value)), maps.Keys(form.File))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if !b.describes(name) {
			errs = append(errs, InputError{In: InForm, Name: name, Detail: "is not a field that is described"})
		}
	}
	return errs
}

// other returns the name of the first field in an urlencoded form that is not described.
func (b *formBody) other(form string) string {
	for pair := range strings.SplitSeq(form, "&") {
		if key, _, _ := strings.Cut(pair, "="); !b.describes(decoded(key)) {
			return decoded(key)
		}
	}
	return ""
}

func (b *formBody) describes(name string) bool {
	return slices.ContainsFunc(b.fields, func(f fieldPlan) bool { return f.Name == name })
}

// parse returns the form of a request. No body is an empty form.
func (b *formBody) parse(r *http.Request) (*multipart.Form, *Problem) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return &multipart.Form{}, nil
	}
	if problem := checkMedia(r, b.media); problem != nil {
		return nil, problem
	}
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media == typeForm {
		content, problem := readBody(r, b.limit)
		form := &multipart.Form{Value: make(map[string][]string)}
		for i := range b.fields {
			name := b.fields[i].Name
			form.Value[name] = allOf(string(content), name)
		}
		if name := b.other(string(content)); b.closed && name != "" {
			form.Value[name] = nil
		}
		return form, problem
	}
	if r.MultipartForm != nil {
		return r.MultipartForm, nil // a filter has parsed it
	}
	body := &limited{r.Body, b.limit, b.limit}
	form, err := multipart.NewReader(body, params["boundary"]).ReadForm(inMemory)
	var large *Problem
	switch {
	case err == nil:
		r.MultipartForm = form
		return form, nil
	case errors.As(err, &large):
		return nil, large
	case errors.Is(err, multipart.ErrMessageTooLarge):
		return nil, tooLarge
	}
	if p := readProblem(err); p != nil {
		return nil, p
	}
	return nil, badRequest.With("The body is no form of multipart/form-data")
}

// release removes the files that were kept on disk.
func (b *formBody) release(c routing.Context) {
	if form := c.Request().MultipartForm; form != nil {
		form.RemoveAll() // a file that cannot be removed is the system's to clean up
	}
}

// fillFiles sets v, a File or a slice of them, to the files of its name.
func (f *fieldPlan) fillFiles(v reflect.Value, headers []*multipart.FileHeader) string {
	if len(headers) == 0 {
		if f.Required {
			return "is required, as a file"
		}
		return ""
	}
	var files []File
	for _, h := range headers {
		file := File{h.Filename, contentType(h), h.Size, h.Open}
		if accept := f.Rules.Get("accept"); accept != "" && !accepts(splitMedia(accept), file.ContentType) {
			return "must be of the type " + accept
		}
		if limit := f.schema.MaxLength; limit != nil && file.Size > int64(*limit) {
			return f.schema.RefuseLength(int(min(file.Size, 1<<31-1)), "byte")
		}
		files = append(files, file)
	}
	if f.list == nil {
		v.Set(reflect.ValueOf(files[0]))
		return ""
	}
	v.Set(reflect.ValueOf(files))
	return f.list.RefuseLength(len(files), "item")
}

// contentType returns the media type that a client names, and for one that names none in particular
// what the content looks like. Many clients call all files application/octet-stream.
func contentType(h *multipart.FileHeader) string {
	named := h.Header.Get("Content-Type")
	if named != "" && named != typeBytes {
		return named
	}
	file, err := h.Open()
	if err != nil {
		return named
	}
	defer file.Close()
	start := make([]byte, 512) // as many as DetectContentType reads
	n, err := io.ReadFull(file, start)
	if err != nil && err != io.ErrUnexpectedEOF {
		return named
	}
	return http.DetectContentType(start[:n])
}

// apart returns the values of a list. Generated clients send numbers with commas between them, as one
// value; of text a comma may be a part.
func (f *fieldPlan) apart(values []string) []string {
	if f.list == nil || f.schema.Kind == "string" || len(values) != 1 {
		return values
	}
	return strings.Split(values[0], ",")
}

func accepts(media []string, contentType string) bool {
	got, _, err := mime.ParseMediaType(contentType)
	for _, m := range media {
		if err == nil && matchesMedia(m, got) {
			return true
		}
	}
	return false
}
