package apidoc_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests the contexts of operations, and that outputs which are not sent are closed.

type transactionKey struct{}

// An operation finds the values of an interceptor's context in its context and in its request's.
func TestContextOfInterceptors(t *testing.T) {
	user := routing.NewKey[string]()
	app := routing.New()
	var after string
	app.After(func(c routing.Context) error {
		name, _ := user.Get(c)
		tx, _ := c.Request().Context().Value(transactionKey{}).(string)
		after = name + tx
		return nil
	})
	within := func(name string) apidoc.Option {
		return apidoc.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
			user.Set(call.Context, "ann")
			ctx, cancel := context.WithTimeout(context.WithValue(ctx, transactionKey{}, name), time.Hour)
			defer cancel()
			return next(ctx)
		})
	}
	type input struct {
		C routing.Context
	}
	var later context.Context
	api := apidoc.NewAPI(app, info, within("outer"), within("inner"))
	apidoc.Get(api, "/", "", func(ctx context.Context, in input) (string, error) {
		later = in.C.Request().Context()
		_, limited := later.Deadline()
		name, ok := user.Get(in.C)
		tx, _ := later.Value(transactionKey{}).(string)
		if own := ctx.Value(transactionKey{}); own != "inner" || !limited || !ok {
			t.Errorf("the context has %v, the request's a deadline: %v, the key: %v", own, limited, ok)
		}
		user.Set(in.C, "bea")
		return name + " in " + tx, nil
	}, apidoc.ID("get"))
	if w := call(app, "GET", "/", "", ""); w.Body.String() != "ann in inner" {
		t.Errorf("got %q, want ann in inner", w.Body)
	}
	if later.Err() == nil || !strings.HasPrefix(after, "bea") {
		t.Errorf("afterwards the context of the operation ended with %v, and the filter saw %q", later.Err(), after)
	}
}

// Middleware that keeps the request does not see the context of an interceptor. The parameters that
// an operation reads and the keys that it sets are visible to after filters.
func TestInterceptorsDoNotChangeTheCallersRequest(t *testing.T) {
	user := routing.NewKey[string]()
	app := routing.New()
	var title, name string
	app.After(func(c routing.Context) (err error) {
		name, _ = user.Get(c)
		if tx := c.Request().Context().Value(transactionKey{}); tx != nil {
			t.Errorf("after the operation the context has %v", tx)
		}
		title, err = c.Params().Require("title")
		return err
	})
	transaction := apidoc.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		before := call.Context.Request().Context()
		defer func() {
			if tx := call.Context.Request().Context().Value(transactionKey{}); tx != before.Value(transactionKey{}) {
				t.Errorf("after next the context of the call has %v", tx)
			}
		}()
		return next(context.WithValue(ctx, transactionKey{}, call.ID))
	})
	var given *http.Request
	var kept routing.Context
	apidoc.Post(apidoc.NewAPI(app, info, transaction, transaction), "/", "", func(_ context.Context, in struct {
		C routing.Context
	}) (string, error) {
		kept = in.C
		if given.Context().Value(transactionKey{}) != nil || in.C.Request().Context().Value(transactionKey{}) == nil {
			t.Error("the transaction is in the caller's request, or not in the operation's")
		}
		user.Set(in.C, "ann")
		return in.C.Params().Require("title")
	}, apidoc.ID("post"))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given = r
		app.ServeHTTP(w, r)
	})
	w := call(handler, "POST", "/", "application/x-www-form-urlencoded", "title=pear")
	if w.Body.String() != "pear" || title != "pear" || name != "ann" {
		t.Errorf("got %d %q; the filter found the title %q and the key %q", w.Code, w.Body, title, name)
	}
	if kept.Request().Context().Value(transactionKey{}) != nil {
		t.Error("a stream would still see the transaction that has ended")
	}
}

// checkedLine is a line whose Validate method needs a transaction.
type checkedLine struct{ N int }

func (checkedLine) Validate(ctx context.Context) ([]apidoc.InputError, error) {
	if ctx.Value(transactionKey{}) == nil {
		return nil, errors.New("there is no transaction")
	}
	return nil, nil
}

// Lines are validated while the operation reads them, in its transaction.
func TestLinesInTransactions(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in iter.Seq2[checkedLine, error]) (sum int, err error) {
		for line, err := range in {
			if err != nil {
				return 0, err
			}
			sum += line.N
		}
		return sum, nil
	}, apidoc.ID("post"), apidoc.Intercept(func(c context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		return next(context.WithValue(c, transactionKey{}, "begun"))
	}))
	if w := call(app, "POST", "/", "application/jsonl", "{\"N\":1}\n{\"N\":2}\n"); w.Body.String() != "3" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// If the operation reads the body while it runs, a second call of next is an error. If the body was
// decoded before, a second call has the same input.
func TestBodiesAreNotReadAgainByACall(t *testing.T) {
	app, api := newTyped()
	api.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		if _, err := next(ctx); err != nil {
			return nil, err
		}
		return next(ctx)
	})
	apidoc.Post(api, "/lines", "", func(_ context.Context, lines iter.Seq2[int, error]) (n int, _ error) {
		for range lines {
			n++
		}
		return n, nil
	}, apidoc.ID("lines"))
	apidoc.Post(api, "/stream", "", func(_ context.Context, body io.Reader) (int64, error) { return io.Copy(io.Discard, body) }, apidoc.ID("stream"))
	apidoc.Post(api, "/list", "", func(_ context.Context, list []int) (int, error) { return len(list), nil }, apidoc.ID("list"))
	for _, c := range []struct {
		path, media, body string
		status            int
	}{
		{"/lines", "application/jsonl", "1\n2\n", 500},
		{"/stream", "application/octet-stream", "12", 500},
		{"/list", "application/json", "[1,2]", 200},
	} {
		if w := call(app, "POST", c.path, c.media, c.body); w.Code != c.status || c.status == 200 && w.Body.String() != "2" {
			t.Errorf("%s: got status %d and %s, want %d", c.path, w.Code, w.Body, c.status)
		}
	}
}

// Unexported fields of an input are not set.
func TestUnexportedContext(t *testing.T) {
	type input struct {
		c  routing.Context
		C  routing.Context
		ID int `query:"id"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in input) (bool, error) {
		return in.c == (routing.Context{}) && in.C.Request() != nil && in.ID == 7, nil
	}, apidoc.ID("get"))
	if w := call(app, "GET", "/?id=7", "", ""); w.Body.String() != "true" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// A stream is sent after the interceptors have ended their contexts.
func TestStreamsOutliveInterceptors(t *testing.T) {
	limit := apidoc.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		return next(ctx)
	})
	app := routing.New()
	apidoc.Get(apidoc.NewAPI(app, info, limit), "/", "", func(context.Context, struct{}) (out struct {
		Lines func(func(int) bool) `body:"application/jsonl"`
	}, err error) {
		out.Lines = func(yield func(int) bool) { _ = yield(1) && yield(2) }
		return out, nil
	}, apidoc.ID("lines"))
	if w := call(app, "GET", "/", "", ""); w.Body.String() != "1\n2\n" {
		t.Errorf("got %q, want two lines", w.Body)
	}
}

// counted counts how many bodies are open.
type counted struct {
	io.Reader
	open *int
}

func (c counted) Close() error {
	*c.open--
	return nil
}

// hooked is a body that Go cannot compare.
type hooked struct {
	io.Reader
	close func()
}

func (h hooked) Close() error {
	h.close()
	return nil
}

// A body that cannot be compared is closed once, also if interceptors return it.
func TestHookedBodiesAreClosedOnce(t *testing.T) {
	app, api := newTyped()
	same := apidoc.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		return next(ctx)
	})
	opened, closed := 0, 0
	open := func(_ context.Context, in struct {
		Fail bool `query:"fail"`
	}) (io.Reader, error) {
		opened++
		body := hooked{strings.NewReader("text"), func() { closed++ }}
		if in.Fail {
			return body, apidoc.NewProblem(404, "No such text")
		}
		return body, nil
	}
	apidoc.Get(api, "/plain", "", open, apidoc.ID("plain"))
	apidoc.Get(api, "/intercepted", "", open, apidoc.ID("intercepted"), same, same)
	for _, path := range []string{"/plain", "/plain?fail", "/intercepted", "/intercepted?fail"} {
		if call(app, "GET", path, "", ""); closed != opened {
			t.Errorf("%s: %d calls of Close, want %d", path, closed, opened)
		}
		opened, closed = 0, 0
	}
}

func TestBodiesAreClosed(t *testing.T) {
	type output struct {
		Type   string    `header:"Content-Type"`
		Status int       `status:"200,204"`
		Body   io.Reader `body:"text/plain,text/csv"` // an io.Closer
	}
	const failing = -1
	noText := apidoc.NewProblem(404, "No such text")
	opened := 0
	open := func() io.Reader {
		opened++
		return counted{strings.NewReader("text"), &opened}
	}
	interceptor := func(f func(next func() (any, error)) (any, error)) apidoc.Option {
		return apidoc.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
			return f(func() (any, error) { return next(ctx) })
		})
	}
	for _, c := range []struct {
		name        string
		change      output
		interceptor apidoc.Option
		status      int
	}{
		{"an error", output{Status: failing}, nil, 404},
		{"an error that an interceptor handles", output{Status: failing}, interceptor(func(next func() (any, error)) (any, error) {
			next()
			return output{Body: open()}, nil
		}), 200},
		{"replaced", output{}, interceptor(func(next func() (any, error)) (any, error) {
			next()
			return output{Body: open()}, nil
		}), 200},
		{"an error of an interceptor, with a body", output{}, interceptor(func(next func() (any, error)) (any, error) {
			next()
			return output{Body: open()}, noText
		}), 404},
		{"sent", output{}, interceptor(func(next func() (any, error)) (any, error) { return next() }), 200},
		{"no content", output{Status: 204}, nil, 204},
		{"a status that is not described", output{Status: 201}, nil, 500},
		{"a type that is not described", output{Type: "text/html"}, nil, 500},
		{"a commit that fails", output{}, interceptor(func(next func() (any, error)) (any, error) {
			next()
			return nil, errors.New("the commit failed")
		}), 500},
		{"another type", output{}, interceptor(func(next func() (any, error)) (any, error) {
			next()
			return 5, nil
		}), 500},
		{"a panic", output{}, interceptor(func(next func() (any, error)) (any, error) {
			next()
			panic("afterwards")
		}), 500},
		{"called again", output{}, interceptor(func(next func() (any, error)) (any, error) {
			next()
			return next()
		}), 200},
		{"changed", output{}, interceptor(func(next func() (any, error)) (any, error) {
			v, err := next()
			out := v.(output)
			out.Type = "text/csv"
			return out, err
		}), 200},
	} {
		opened = 0
		app := routing.New()
		options := []apidoc.Option{apidoc.ID("get")}
		if c.interceptor != nil {
			options = append(options, c.interceptor)
		}
		apidoc.Get(apidoc.NewAPI(app, info), "/", "", func(context.Context, struct{}) (output, error) {
			out := c.change
			out.Body = open()
			if out.Status == failing {
				return out, noText
			}
			return out, nil
		}, options...)
		w := call(app, "GET", "/", "", "")
		if w.Code != c.status || opened != 0 || c.status == 200 && w.Body.String() != "text" {
			t.Errorf("%s: %d %q, and %d open bodies; want %d", c.name, w.Code, w.Body, opened, c.status)
		}
	}
}

// A field of type routing.Context counts as tagged, so a struct with nothing else reads no body.
func TestInputOfOnlyAContext(t *testing.T) {
	app, api := newTyped()
	f := func(_ context.Context, in struct{ C routing.Context }) (string, error) {
		return in.C.Request().Method, nil
	}
	type nested struct{ Of struct{ C routing.Context } }
	apidoc.Post(api, "/", "", f, apidoc.ID("only"))
	apidoc.Post(api, "/nested", "", func(_ context.Context, in nested) (string, error) { return in.Of.C.Request().Method, nil })
	for _, path := range []string{"/", "/nested"} {
		if w := call(app, "POST", path, "text/csv", "a,b"); w.Code != 200 || w.Body.String() != "POST" {
			t.Errorf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
}
