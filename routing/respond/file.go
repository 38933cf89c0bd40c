package respond

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/internal/precondition"
	"example.com/flowercafe/routing"
)

// File responds with a file of fsys as [http.ServeContent] does, including its status, and with an
// ETag. The error is [routing.Pass] if there is no such regular file. [os.DirFS] follows symbolic
// links to anywhere; with [os.Root.FS], those that leave the root are errors.
//
// The ETag is made from the modification time and the size. For a file without a time, as in
// package embed, it is made from the content, on every request; [Files] keeps it.
func File(fsys fs.FS, name string) (routing.Result, error) {
	info, err := stat(fsys, name)
	return fileResult(fsys, name, info, err, new(sync.Map))
}

// Files returns an action that responds with the files of fsys, including hidden ones, as [File]
// does. The name of the file is the route's last parameter "splat", which unnamed wildcards have:
//
//	app.Get("/assets/*", respond.Files(assets)) // in the syntax of Rails "/assets/*splat"
//
// For a directory it sends index.html, after a redirect to the path with a trailing slash if
// needed. Directories are never listed. Files without a modification time are assumed never to
// change.
func Files(fsys fs.FS) routing.Action {
	if fsys == nil {
		panic("respond: Files: pass a file system, not nil")
	}
	tags := new(sync.Map)
	return func(c routing.Context) (routing.Result, error) {
		if _, ok := c.Params().Path("splat"); !ok {
			c.Logger().Warn("respond: Files: the route has no splat, so no file is found: write a star without a name, or *splat in the syntax of Rails",
				"route", c.Request().Pattern)
			return routing.Result{}, routing.Pass
		}
		splats := c.Params().Values("splat")
		last := splats[len(splats)-1]
		if format, ok := c.Params().Path("format"); ok && endsInFormat(c.Request().URL.Path, last, format) {
			last += "." + format
		}
		name, isFolder := strings.CutSuffix(last, "/")
		switch {
		case name == ".":
			return routing.Result{}, routing.Pass
		case last == "":
			name = "."
		}
		sent := cmp.Or(c.Request().URL.Path, "/") // with a slash at its end that the app ignores
		info, err := stat(fsys, name)
		switch {
		case err == nil && info.IsDir():
			name = path.Join(name, "index.html")
			if info, err = stat(fsys, name); err == nil && !strings.HasSuffix(sent, "/") {
				return routing.Result{}, redirectWithSlash(c.Request().URL)
			}
		case err == nil && isFolder:
			return routing.Result{}, routing.Pass
		}
		return fileResult(fsys, name, info, err, tags)
	}
}

// Static returns middleware that serves the files of fsys below prefix as [Files] does, for GET and
// HEAD. All other requests go to next. With [routing.App.Use] it runs before the filters of the
// app, so they do not protect the files:
//
//	app.Use(respond.Static("", public))
//
// An empty prefix means the whole site. Any other begins with the app's base path and the prefixes
// at which it is mounted.
func Static(prefix string, fsys fs.FS) func(next http.Handler) http.Handler {
	files := routing.New(routing.WithBasePath(prefix))
	files.Get("/*", Files(fsys))
	return func(next http.Handler) http.Handler {
		if nilvalue.In(next) {
			panic("respond: Static: pass a handler, not nil")
		}
		// The function hides an app. Routing refuses one that has loose slashes or formats behind
		// one that has not, since the filters in front would miss paths, but here are none.
		return files.Middleware(http.HandlerFunc(next.ServeHTTP))
	}
}

// endsInFormat reports whether a path ends in a splat and a format that [routing.WithFormatSuffix]
// has cut off, and not in the splat alone.
func endsInFormat(path, splat, format string) bool {
	file := splat[strings.LastIndexByte(splat, '/')+1:]
	return strings.HasSuffix(strings.TrimRight(path, "/"), "/"+file+"."+format) // an app may ignore slashes
}

// absent are the errors for names that are no file, of all systems and of this one.
var absent = append([]error{
	fs.ErrNotExist, fs.ErrInvalid, syscall.ENOTDIR, syscall.ENAMETOOLONG,
	syscall.EINVAL, // for a NUL
}, absentHere...)

// stat returns Pass if there is no such file. Clients may send names that no file can have.
func stat(fsys fs.FS, name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, routing.Pass
	}
	info, err := fs.Stat(fsys, name)
	if err == nil {
		return info, nil
	}
	if slices.ContainsFunc(absent, func(cause error) bool { return errors.Is(err, cause) }) {
		return nil, routing.Pass
	}
	return nil, fmt.Errorf("respond: file: %w", err)
}

// redirectWithSlash redirects to the path with a slash at its end.
func redirectWithSlash(u *url.URL) error {
	target := basepath.Below(u, "")
	if u.RawQuery != "" {
		target += "?" + u.RawQuery
	}
	return &routing.HaltError{
		Status: http.StatusMovedPermanently, Header: http.Header{"Location": {target}},
	}
}

// fileResult returns the result for a file, or the error of stat.
func fileResult(fsys fs.FS, name string, info fs.FileInfo, err error, tags *sync.Map) (routing.Result, error) {
	switch {
	case err != nil:
		return routing.Result{}, err
	case !info.Mode().IsRegular(): // opening a pipe would block
		return routing.Result{}, routing.Pass
	}
	return routing.Handler(&fileHandler{fsys, name, info, tags})(routing.Context{})
}

// fileHandler sends a file.
type fileHandler struct {
	fsys fs.FS
	name string
	info fs.FileInfo
	tags *sync.Map
}

// NoPathValues tells the router that ServeHTTP reads no path values.
func (*fileHandler) NoPathValues() {}

func (file *fileHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := file.serve(w, r); err != nil {
		panic(fmt.Errorf("respond: file: %w", err)) // the router logs it and sends a 500
	}
}

// serve sends the file. It returns an error only if nothing was sent. If the file was replaced
// after stat, the ETag is still the old one, so that caches revalidate.
func (file *fileHandler) serve(w http.ResponseWriter, r *http.Request) error {
	f, err := file.fsys.Open(file.name)
	if err != nil {
		return err
	}
	defer f.Close()
	content, canSeek := f.(io.ReadSeeker)
	if !canSeek {
		all, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		content = bytes.NewReader(all)
	}
	if header := w.Header(); header.Get("Etag") == "" {
		tag, err := file.tag(content)
		if err != nil {
			return err
		}
		header["Etag"] = []string{tag}
	}
	http.ServeContent(w, precondition.ForContent(r), file.name, file.info.ModTime(), content)
	return nil
}

// tag returns the ETag of the file. It keeps hashes of contents in tags, by name.
func (file *fileHandler) tag(content io.ReadSeeker) (string, error) {
	if modified := file.info.ModTime(); !modified.IsZero() && !modified.Equal(time.Unix(0, 0)) {
		tag := strconv.AppendInt(append(make([]byte, 0, 36), '"'), modified.UnixNano(), 16)
		tag = strconv.AppendInt(append(tag, '-'), file.info.Size(), 16)
		return string(append(tag, '"')), nil
	}
	if tag, ok := file.tags.Load(file.name); ok {
		return tag.(string), nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, content); err != nil {
		return "", err
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	tag := fmt.Sprintf(`"%x"`, hash.Sum(nil)[:16])
	file.tags.Store(file.name, tag)
	return tag, nil
}
