package reliability_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

// Responses break off in the middle. A client must not take the part for the whole, even if outer
// middleware recovers from http.ErrAbortHandler, as gin's Recovery does: then the server
// would end the response as if it were complete.

var errBroken = errors.New("broken")

// brokenStore yields many flowers and then fails.
type brokenStore struct{ *flowercatalog.Memory }

func (s brokenStore) List(_ context.Context, _ flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	for range 1000 {
		if err := each(flowercatalog.Flower{Slug: "a", Name: strings.Repeat("a", 100)}); err != nil {
			return err
		}
	}
	return errBroken
}

func TestBrokenResponses(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	app := routing.New(routing.WithLogger(quiet))
	part := strings.Repeat("a part\n", 10_000)
	app.Get("/stream", func(routing.Context) (routing.Result, error) {
		return routing.Stream("text/plain", io.MultiReader(strings.NewReader(part), iotest.ErrReader(errBroken))), nil
	})
	panics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, part)
		panic(errBroken)
	})
	app.Handle("GET", "/handler", panics)
	app.Get("/middleware", func(routing.Context) (routing.Result, error) { return routing.Result{}, nil },
		routing.Use(func(http.Handler) http.Handler { return panics }))
	inner := routing.New()
	inner.Handle("GET", "/handler", panics)
	app.Mount("/mounted", inner)
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Broken", Version: "1"})
	type lines struct {
		Body iter.Seq2[string, error] `body:"application/jsonl"`
	}
	apidoc.Get(api, "/lines", "Lines", func(context.Context, struct{}) (lines, error) {
		return lines{func(yield func(string, error) bool) {
			_ = yield(part, nil) && yield("", errBroken)
		}}, nil
	})
	memory, err := flowercatalog.NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := flowercatalog.New(flowercatalog.WithStore(brokenStore{memory}), flowercatalog.WithLogger(quiet))
	if err != nil {
		t.Fatal(err)
	}
	defer catalog.Close()
	app.Mount("/catalog", http.StripPrefix("/catalog", catalog))

	recovered := make(chan any, 1)
	for _, test := range []struct {
		protocol string
		handler  http.Handler
	}{
		{"HTTP/1.1", app},
		{"HTTP/2.0", app},
		{"HTTP/1.1", serving.SendTimeout(hang)(app)}, // which sets deadlines too
	} {
		protocol := test.protocol
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() { recovered <- recover() }()
			test.handler.ServeHTTP(w, r)
		}))
		server.EnableHTTP2 = protocol == "HTTP/2.0"
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		for _, path := range []string{"/stream", "/handler", "/middleware", "/mounted/handler", "/lines", "/catalog/flowers/"} {
			response, err := server.Client().Get(server.URL + path)
			body := 0
			if err == nil { // the header may not have been sent either
				var content []byte
				content, err = io.ReadAll(response.Body)
				body = len(content)
				response.Body.Close()
				if response.Proto != protocol || response.StatusCode != http.StatusOK {
					t.Errorf("%s: got %s %d, want %s 200", path, response.Proto, response.StatusCode, protocol)
				}
			}
			if got := <-recovered; got != http.ErrAbortHandler {
				t.Errorf("%s: got the panic %v, want http.ErrAbortHandler", path, got)
			}
			if err == nil {
				t.Errorf("%s, %s: got %d bytes as if they were all", protocol, path, body)
			}
		}
	}
}
