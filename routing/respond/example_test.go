package respond_test

import (
	"bufio"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"testing/fstest"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

func ExampleTemplate() {
	pages := template.Must(template.New("hello.html").Parse("<p>Hello {{.}}</p>"))
	app := routing.New()
	app.Get("/hello/:name", func(c routing.Context) (routing.Result, error) {
		return respond.Template(pages, "hello.html", c.Params().GetOr("name", ""))
	})

	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/hello/<Ann>", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"), w.Body)
	// Output: 200 text/html; charset=utf-8 <p>Hello &lt;Ann&gt;</p>
}

func ExampleFile() {
	invoices := fstest.MapFS{"7.txt": {Data: []byte("two roses"), ModTime: time.Unix(1e9, 0)}}
	app := routing.New()
	app.Get("/invoices/:number", func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Content-Disposition", "attachment")
		return respond.File(invoices, c.Params().GetOr("number", "")+".txt")
	})

	for _, path := range []string{"/invoices/7", "/invoices/8"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Range", "bytes=4-")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("Content-Range"), w.Header().Get("ETag"))
	}
	// Output:
	// 206 bytes 4-8/9 "de0b6b3a7640000-9"
	// 404
}

func ExampleFiles() {
	assets := fstest.MapFS{"css/main.css": {Data: []byte("body{}")}, "index.html": {Data: []byte("<p>hello")}}
	app := routing.New()
	app.Get("/assets/*", respond.Files(assets))
	app.After(func(c routing.Context) error {
		c.Header().Set("Cache-Control", "max-age=3600")
		return nil
	}, routing.On("/assets/*"))

	for _, path := range []string{"/assets/css/main.css", "/assets/", "/assets/none.css"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Header().Get("Content-Type"), w.Header().Get("Cache-Control"))
	}
	// Output:
	// 200 text/css; charset=utf-8 max-age=3600
	// 200 text/html; charset=utf-8 max-age=3600
	// 404 text/html; charset=utf-8 max-age=3600
}

// When a client reconnects, the header Last-Event-ID has the ID of the last event that it received.
func ExampleEvents() {
	app := routing.New()
	app.Get("/countdown", func(c routing.Context) (routing.Result, error) {
		return respond.Events(func(ctx context.Context, send func(respond.Event) error) error {
			for i := range 2 {
				id := fmt.Sprint(i + 1)
				if err := send(respond.Event{ID: id, Name: "tick", Data: "one line\nand another"}); err != nil {
					return err
				}
			}
			return nil
		}, respond.Heartbeat(30*time.Second)), nil
	})

	server := httptest.NewServer(app)
	defer server.Close()
	response, err := http.Get(server.URL + "/countdown")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	fmt.Println(response.Header.Get("Content-Type"))
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		fmt.Println(lines.Text())
	}
	// Output:
	// text/event-stream
	// :
	//
	// id: 1
	// event: tick
	// data: one line
	// data: and another
	//
	// id: 2
	// event: tick
	// data: one line
	// data: and another
}

func ExampleCacheControl() {
	app := routing.New()
	app.Get("/menu", func(c routing.Context) (routing.Result, error) {
		respond.CacheControl(c, time.Hour, "public")
		return routing.Text("espresso"), nil
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/menu", nil))
	fmt.Println(w.Header().Get("Cache-Control"))
	// Output: public, max-age=3600
}

// A weak ETag is for pages that are the same for readers, but not byte by byte.
func ExampleWeakETag() {
	app := routing.New()
	app.Get("/news", func(c routing.Context) (routing.Result, error) {
		return routing.Text("news"), respond.WeakETag(c, "monday")
	})
	r := httptest.NewRequest("GET", "/news", nil)
	r.Header.Set("If-None-Match", `W/"monday"`)
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("ETag"))
	// Output: 304 W/"monday"
}
