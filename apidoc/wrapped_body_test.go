package apidoc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// closable is a text that cannot be read after it was closed.
type closable struct {
	*bytes.Reader
	closed *int
}

func (c closable) Close() error { *c.closed++; c.Reader.Reset(nil); return nil }

// A body that an interceptor wraps is closed when the response was sent or dropped, and not before.
func TestInterceptorsWrapReaders(t *testing.T) {
	closed, failure := 0, errors.New("failed")
	apart := func(r io.Reader) io.Reader { return struct{ io.Reader }{r} } // without Close and Seek
	for name, c := range map[string]struct {
		replace func(io.Reader) (any, error)
		after   error
		want    string
		status  int
	}{
		"same":     {func(r io.Reader) (any, error) { return r, nil }, nil, "content", 200},
		"wrapped":  {func(r io.Reader) (any, error) { return apart(r), nil }, nil, "content", 200},
		"longer":   {func(r io.Reader) (any, error) { return io.MultiReader(r, bytes.NewReader([]byte("!"))), nil }, nil, "content!", 200},
		"replaced": {func(io.Reader) (any, error) { return bytes.NewReader([]byte("other")), nil }, nil, "other", 200},
		"nothing":  {func(io.Reader) (any, error) { return (*bytes.Reader)(nil), nil }, nil, "", 200},
		"error":    {func(io.Reader) (any, error) { return nil, failure }, nil, "", 500},
		"dropped":  {func(r io.Reader) (any, error) { return apart(r), nil }, failure, "", 500},
	} {
		t.Run(name, func(t *testing.T) {
			closed = 0
			app := routing.New()
			app.After(func(routing.Context) error { return c.after })
			api := apidoc.NewAPI(app, info)
			api.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
				out, err := next(ctx)
				if err != nil {
					return nil, err
				}
				return c.replace(out.(io.Reader))
			})
			apidoc.Get(api, "/", "", func(context.Context, struct{}) (io.Reader, error) {
				return closable{bytes.NewReader([]byte("content")), &closed}, nil
			})
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if w.Code != c.status || c.status == 200 && w.Body.String() != c.want || closed != 1 {
				t.Errorf("got %d %q, closed %d times; want %d %q, closed once", w.Code, w.Body, closed, c.status, c.want)
			}
		})
	}
}
