package respond_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// upload returns a form with the field title and a file of size bytes.
func upload(title string, size int) (body []byte, contentType string) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	form.WriteField("title", title)
	part, _ := form.CreateFormFile("photo", "rose.png")
	io.CopyN(part, rand.Reader, int64(size))
	form.Close()
	return b.Bytes(), form.FormDataContentType()
}

func ExampleMultipart() {
	app := routing.New()
	app.Before(respond.Multipart(1<<20), routing.On("/photos"))
	app.Post("/photos", func(c routing.Context) (routing.Result, error) {
		title, err := c.Params().Require("title")
		if err != nil {
			return routing.Result{}, err
		}
		_, photo, err := c.Request().FormFile("photo")
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(fmt.Sprint(title, ": ", photo.Filename, ", ", photo.Size, " bytes")), nil
	})

	for _, size := range []int{2000, 2 << 20} {
		body, contentType := upload("A rose", size)
		r := httptest.NewRequest("POST", "/photos", bytes.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 A rose: rose.png, 2000 bytes
	// 413 Request Entity Too Large
}

// hidden hides the length of a body, so that its request has none.
type hidden struct{ io.Reader }

// TestMultipart is the table of the bodies that Multipart accepts and refuses.
func TestMultipart(t *testing.T) {
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	app.Before(respond.Multipart(1000))
	app.Route(routing.Any, routing.Pattern{}, func(c routing.Context) (routing.Result, error) {
		raw, err := io.ReadAll(c.Request().Body)
		return routing.Text(fmt.Sprint(c.Params().Keys(), c.Params().Values("title"), " ", len(raw))), err
	})
	good, contentType := upload("Rose", 500)
	large, largeType := upload("Rose", 1000)
	for _, test := range []struct {
		name, method, target, contentType string
		body                              []byte
		status                            int
		want                              string
	}{
		{"a form", "POST", "/", contentType, good, 200, "[title] [Rose] 0"},
		{"a form of a PUT", "PUT", "/", contentType, good, 200, "[title] [Rose] 0"},
		{"with a query", "POST", "/?title=Oak", contentType, good, 200, "[title] [Oak Rose] 0"},
		{"with a malformed query", "POST", "/?a;b", contentType, good, 200, "[a;b title] [Rose] 0"},
		{"another letter case", "POST", "/", strings.Replace(contentType, "multipart/form-data", "Multipart/Form-Data ", 1), good, 200, "[title] [Rose] 0"},
		{"over the limit", "POST", "/", largeType, large, 413, ""},
		{"over the limit in the header of a part", "POST", "/", "multipart/form-data; boundary=b",
			[]byte("--b\r\nContent-Disposition: form-data; name=\"" + strings.Repeat("x", 2000)), 413, ""},
		{"a text after the end", "POST", "/", contentType, append(bytes.Clone(good), "\r\nthe end"...), 200, "[title] [Rose] 0"},
		{"incomplete", "POST", "/", contentType, good[:len(good)-9], 400, ""},
		{"an empty part", "POST", "/", contentType, []byte("--"), 400, ""},
		{"a malformed type", "POST", "/", contentType + "; boundary=other", good, 400, ""},
		{"another boundary", "POST", "/", "multipart/form-data; boundary=other", good, 400, ""},
		{"no boundary", "POST", "/", "multipart/form-data", good, 400, ""},
		{"another type", "POST", "/", "multipart/mixed; boundary=b", good, 200, fmt.Sprint("[] [] ", len(good))},
		{"a text", "POST", "/", "text/plain", large, 200, fmt.Sprint("[] [] ", len(large))},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = bytes.NewReader(test.body)
			if chunked {
				body = hidden{body}
			}
			r := httptest.NewRequest(test.method, test.target, body)
			r.Header.Set("Content-Type", test.contentType)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != test.status || w.Code == 200 && w.Body.String() != test.want {
				t.Errorf("%s, chunked %t: got %d %s, want %d %s", test.name, chunked, w.Code, w.Body, test.status, test.want)
			}
		}
	}
}

// What follows the end of a form counts for the limit, with and without a Content-Length.
func TestMultipartLimitAfterTheEnd(t *testing.T) {
	app := routing.New()
	app.Before(respond.Multipart(10_000))
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("title", "")), nil
	})
	form, contentType := upload("Rose", 500)
	for size, want := range map[int]int{0: 200, 5000: 200, 10_000: 413} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = bytes.NewReader(append(bytes.Clone(form), make([]byte, size)...))
			if chunked {
				body = hidden{body}
			}
			r := httptest.NewRequest("POST", "/", body)
			r.Header.Set("Content-Type", contentType)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%d bytes, chunked %t: got %d %s, want %d", size, chunked, w.Code, w.Body, want)
			}
		}
	}
}

// A request without a body has no form to parse.
func TestMultipartWithoutBody(t *testing.T) {
	app := routing.New()
	app.Before(respond.Multipart(1000))
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Params().Keys())), nil
	})
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if w.Code != 200 || w.Body.String() != "[]" {
		t.Errorf("got %d %s, want 200 []", w.Code, w.Body)
	}
}

// A form that middleware has parsed stays as it is.
func TestMultipartAfterMiddleware(t *testing.T) {
	app := routing.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := r.ParseMultipartForm(1 << 20); err != nil {
				t.Error(err)
			}
			next.ServeHTTP(w, r)
		})
	})
	app.Before(respond.Multipart(10))
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("title", "")), nil
	})
	body, contentType := upload("Rose", 500)
	r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if w.Code != 200 || w.Body.String() != "Rose" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// Files that cannot be stored are not the client's mistake: a 500, and the cause is logged.
func TestMultipartThatCannotBeStored(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	var log bytes.Buffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	app.Before(respond.Multipart(32 << 20))
	body, contentType := upload("Rose", 8<<20+100<<10)
	r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if w.Code != 500 || strings.Contains(w.Body.String(), "missing") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "missing") {
		t.Errorf("logged %q, want an error with the cause", &log)
	}
}

func TestMultipartLimit(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); got != "respond: Multipart(0): write a limit of at least 1" {
			t.Errorf("panicked with %q", got)
		}
	}()
	respond.Multipart(0)
}

// A form with more than 1,000 parts or 18 MiB of text is a 413, however large the limit.
func TestMultipartParts(t *testing.T) {
	app := routing.New()
	app.Before(respond.Multipart(32 << 20))
	app.Post("/", func(routing.Context) (routing.Result, error) { return routing.Text("ok"), nil })
	for _, test := range []struct{ parts, size, want int }{{1000, 1, 200}, {1001, 1, 413}, {1, 18<<20 - 1000, 200}, {1, 18<<20 + 1, 413}} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for range test.parts {
			form.WriteField("a", strings.Repeat("b", test.size))
		}
		form.Close()
		r := httptest.NewRequest("POST", "/", &body)
		r.Header.Set("Content-Type", form.FormDataContentType())
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%d parts of %d bytes: got %d, want %d", test.parts, test.size, w.Code, test.want)
		}
	}
}
