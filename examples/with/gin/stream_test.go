package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gin-gonic/gin"

	"example.com/flowercafe/routing"
)

// A gin service that is mounted in an app can stream: gin's c.Stream asks the writer for
// http.CloseNotifier, and panics without it.
func TestStreamBehindMount(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	service := gin.New()
	ended := make(chan struct{}, 1)
	service.GET("/service/three", func(c *gin.Context) {
		n := 0
		c.Stream(func(w io.Writer) bool {
			n++
			fmt.Fprintln(w, n)
			return n < 3
		})
	})
	service.GET("/service/endless", func(c *gin.Context) {
		c.Stream(func(w io.Writer) bool {
			fmt.Fprintln(w, "more")
			return true
		})
		ended <- struct{}{}
	})
	app := routing.New()
	app.Mount("/service", service)
	outer := routing.New()
	outer.Mount("/", app)
	for name, handler := range map[string]http.Handler{"mounted": app, "mounted twice": outer} {
		server := httptest.NewServer(handler)
		response, err := http.Get(server.URL + "/service/three")
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(response.Body); string(body) != "1\n2\n3\n" || err != nil {
			t.Errorf("%s: got %d %q, %v", name, response.StatusCode, body, err)
		}
		response.Body.Close()
		response, err = http.Get(server.URL + "/service/endless")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		<-ended // the client has gone
		server.Close()
	}
}

// A response that breaks off does not look complete, though gin's Recovery recovers from
// http.ErrAbortHandler.
func TestBrokenBehindRecovery(t *testing.T) {
	app := routing.New(routing.WithBasePath("/shop"), routing.WithLogger(slog.New(slog.DiscardHandler)))
	app.Get("/broken", func(routing.Context) (routing.Result, error) {
		return routing.Stream("text/plain", io.MultiReader(strings.NewReader("a part"), iotest.ErrReader(errors.New("broken")))), nil
	})
	gin.DefaultErrorWriter = io.Discard
	server := httptest.NewServer(newRouter(app, log.New(io.Discard, "", 0)))
	defer server.Close()
	response, err := http.Get(server.URL + "/shop/broken")
	if err != nil {
		return // the part was not sent either
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("got %d %q as if it were all", response.StatusCode, body)
	}
}
