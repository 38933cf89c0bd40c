package apidoc_test

import (
	"context"
	"io"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests the context of operations whose output is sent after the interceptors have
// returned: it has their values, and ends with the request.

func TestContextOfStreams(t *testing.T) {
	type user struct{}
	type written struct {
		Body func(io.Writer) error `body:"text/plain"`
	}
	type lined struct {
		Body iter.Seq[string] `body:"application/jsonl"`
	}
	say := func(ctx context.Context) string {
		if ctx.Err() != nil {
			return "ended: " + context.Cause(ctx).Error()
		}
		return ctx.Value(user{}).(string)
	}
	app, api := newTyped()
	timeout := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.WithValue(ctx, user{}, "ann"), time.Hour)
	}
	api.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		ctx, cancel := timeout(ctx)
		defer cancel()
		return next(ctx)
	})
	apidoc.Get(api, "/written", "", func(ctx context.Context, _ struct{}) (written, error) {
		return written{func(w io.Writer) error { _, err := io.WriteString(w, say(ctx)); return err }}, nil
	}, apidoc.ID("written"))
	apidoc.Get(api, "/read", "", func(ctx context.Context, _ struct{}) (io.Reader, error) {
		return late(func() string { return say(ctx) }), nil
	}, apidoc.ID("read"))
	apidoc.Get(api, "/lines", "", func(ctx context.Context, _ struct{}) (lined, error) {
		return lined{func(yield func(string) bool) { yield(say(ctx)) }}, nil
	}, apidoc.ID("lines"))
	apidoc.Get(api, "/events", "", func(ctx context.Context, _ struct{}) (iter.Seq[string], error) {
		return func(yield func(string) bool) { yield(say(ctx)) }, nil
	}, apidoc.ID("events"))
	apidoc.Get(api, "/context", "", func(_ context.Context, in struct{ C routing.Context }) (iter.Seq[string], error) {
		ctx := in.C.Request().Context()
		return func(yield func(string) bool) { yield(say(ctx)) }, nil
	}, apidoc.ID("context"))
	wrapped := apidoc.RouteOptions(routing.Wrap(func(action routing.Action) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			ctx, cancel := timeout(c.Request().Context())
			defer cancel()
			c, end := c.WithContext(ctx)
			defer end()
			return action(c)
		}
	}))
	apidoc.Get(apidoc.NewAPI(app, info), "/wrapped", "", func(ctx context.Context, _ struct{}) (iter.Seq[string], error) {
		return func(yield func(string) bool) { yield(say(ctx)) }, nil
	}, wrapped)
	for _, path := range []string{"/written", "/read", "/lines", "/events", "/context", "/wrapped"} {
		if w := call(app, "GET", path, "", ""); w.Code != 200 || !strings.Contains(w.Body.String(), "ann") {
			t.Errorf("%s: got %d %q", path, w.Code, w.Body)
		}
	}
	// It ends with the request.
	ctx, cancel := context.WithCancelCause(t.Context())
	var within context.Context
	apidoc.Get(api, "/ends", "", func(ctx context.Context, _ struct{}) (iter.Seq[int], error) {
		within = ctx
		return func(func(int) bool) {}, nil
	})
	app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/ends", nil))
	if within.Err() != nil {
		t.Error("the context has ended before the request")
	}
	cancel(io.ErrUnexpectedEOF)
	if <-within.Done(); context.Cause(within) != io.ErrUnexpectedEOF {
		t.Errorf("the cause is %v", context.Cause(within))
	}
}

// late is a reader whose text is made when it is read.
func late(text func() string) io.Reader { return &lateReader{text: text} }

type lateReader struct {
	text func() string
	rest io.Reader
}

func (r *lateReader) Read(p []byte) (int, error) {
	if r.rest == nil {
		r.rest = strings.NewReader(r.text())
	}
	return r.rest.Read(p)
}
