package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"example.com/flowercafe/serving"
)

// A stream of gin, which needs an http.CloseNotifier, works behind the access log and a timeout.
func TestStream(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	events := gin.New()
	events.GET("/events", func(c *gin.Context) {
		left := 2
		c.Stream(func(w io.Writer) bool {
			c.SSEvent("tick", left)
			left--
			return left > 0
		})
	})
	server := httptest.NewServer(serving.LogRequests(serving.SendTimeout(time.Second)(events), slog.DiscardHandler, nil))
	defer server.Close()
	response, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if want := "event:tick\ndata:2\n\nevent:tick\ndata:1\n\n"; err != nil || string(body) != want {
		t.Errorf("got %d %q, %v; want %q", response.StatusCode, body, err, want)
	}
}
