package routing_test

import (
	"bufio"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// A client that sends a long body and reads only then gets the 413, and the end of the connection
// in place of a reset: net/http keeps the connection half open if it finds its own body in its
// request.
func TestTooLargeIsNoReset(t *testing.T) {
	const limit = 100
	read := func(c routing.Context) (routing.Result, error) {
		c.Params().Get("title")
		c.Params().Get("")
		return routing.Text("read"), nil
	}
	limited := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, limit)
			next.ServeHTTP(w, r)
		})
	}
	handler := limited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		}
	}))
	app := routing.New(quiet(), routing.WithBodyLimit(limit), routing.WithMethodOverride())
	inner, byDefault := routing.New(quiet()), routing.New(quiet())
	app.Post("/read", read)
	app.Post("/used", read, routing.Use(limited))
	app.Handle("POST", "/handler", handler)
	app.Handle("POST", "/handler/:x", handler)
	app.Mount("/mount", handler)
	app.Before(respond.Multipart(limit), routing.On("/upload"))
	app.Post("/upload", read)
	inner.Post("/read", read)
	byDefault.Post("/read", read)
	app.Mount("/inner", inner)
	around := routing.New(quiet(), routing.WithBodyLimit(limit))
	around.Use(identity)
	around.Post("/read", read)
	var upload strings.Builder
	w := multipart.NewWriter(&upload)
	part, _ := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="title"`}})
	io.WriteString(part, strings.Repeat("x", 2<<20))
	w.Close()
	for _, test := range []struct {
		name, path string
		app        *routing.App
	}{
		{"the app's limit", "/read", app}, {"the default limit", "/read", byDefault}, {"a mounted app", "/inner/read", app},
		{"middleware of the app", "/read", around}, {"middleware of the route", "/used", app}, {"a handler", "/handler", app},
		{"a handler with a parameter", "/handler/1", app}, {"a mounted handler", "/mount", app}, {"an upload", "/upload", app},
	} {
		address := httptest.NewServer(test.app)
		for _, contentType := range []string{urlencoded, "application/json", w.FormDataContentType()} {
			isUpload := strings.HasPrefix(contentType, "multipart")
			if isUpload != (test.path == "/upload") {
				continue
			}
			body := strings.Repeat("x", 2<<20)
			if isUpload {
				body = upload.String()
			}
			for _, chunked := range []bool{false, true} {
				got := sendAll(t, address.Listener.Addr().String(), test.path, contentType, body, chunked)
				if !strings.HasPrefix(got, "HTTP/1.1 413 ") || !strings.HasSuffix(got, "EOF") {
					t.Errorf("%s, %s, chunked %t: got %q", test.name, contentType, chunked, got)
				}
			}
		}
		address.Close()
	}
}

// sendAll sends a request until the connection takes no more, and returns the response and the
// error of reading at its end.
func sendAll(t *testing.T, address, path, contentType, body string, chunked bool) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second)) // a hang guard
	framing := fmt.Sprintf("Content-Length: %d\r\n\r\n", 20<<20)
	if chunked {
		framing = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", len(body))
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\n%s", path, contentType, framing)
	// The client sends more than the server reads, and waits for the response with the rest: what
	// the server has not read would otherwise cause a reset.
	sent := make(chan struct{})
	go func() { defer close(sent); io.WriteString(conn, body) }()
	text, err := io.ReadAll(bufio.NewReader(conn))
	if err == nil {
		err = io.EOF
	}
	conn.Close()
	<-sent
	return string(text) + err.Error()
}
