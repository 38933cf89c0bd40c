package apidoc_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests errors that Go cannot compare, and failures of halts.

type manyErrors []error

func (manyErrors) Error() string     { return "many" }
func (manyErrors) StatusCode() int   { return 422 }
func (m manyErrors) Unwrap() []error { return m }

// heldError can be compared by its type, but not with a slice in it: the comparison panics.
type heldError struct{ error }

func (h heldError) Unwrap() error   { return h.error }
func (h heldError) StatusCode() int { return 422 }

func TestErrorsThatCannotBeCompared(t *testing.T) {
	for name, failed := range map[string]error{
		"a slice": manyErrors{errors.New("a")}, "a struct with a slice": heldError{manyErrors{errors.New("a")}},
		"a pointer": &routing.Problem{Status: 422, Title: "No"},
	} {
		app := routing.New()
		app.OnError(func(_ routing.Context, err error) (routing.Result, error) { return routing.Result{}, err })
		app.Get("/plain", func(routing.Context) (routing.Result, error) { return routing.Result{}, failed })
		api := apidoc.NewAPI(app, info, apidoc.Transaction(func(ctx context.Context, _ *apidoc.Call, run func(context.Context) error) error {
			return run(ctx)
		}))
		apidoc.Get(api, "/typed", "", func(context.Context, struct{}) (none struct{}, _ error) { return none, failed })
		for _, path := range []string{"/plain", "/typed"} {
			if w := call(app, "GET", path, "", ""); w.Code != 422 {
				t.Errorf("%s, %s: got %d %s", name, path, w.Code, w.Body)
			}
		}
	}
}

// A status that was set is that of an output, and of a halt without a status: a 409 rolls back.
func TestTransactionOfASetStatus(t *testing.T) {
	type input struct{ C routing.Context }
	type created struct {
		Status int    `status:"201,202"`
		Body   string `body:""`
	}
	for status, want := range map[int]string{200: "committed", 201: "committed", 303: "committed", 409: "rolled back", 500: "rolled back"} {
		app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
		got := ""
		api := apidoc.NewAPI(app, info, apidoc.Transaction(func(ctx context.Context, _ *apidoc.Call, run func(context.Context) error) error {
			err := run(ctx)
			if got = "committed"; err != nil {
				got = "rolled back"
			}
			return err
		}))
		apidoc.Post(api, "/halt", "", func(_ context.Context, in input) (none struct{}, _ error) {
			in.C.SetStatus(status)
			return none, &routing.HaltError{}
		}, apidoc.ID("halt"))
		apidoc.Post(api, "/text", "", func(_ context.Context, in input) (string, error) {
			in.C.SetStatus(status)
			return "text", nil
		}, apidoc.ID("text"))
		apidoc.Post(api, "/empty", "", func(_ context.Context, in input) (none struct{}, _ error) {
			in.C.SetStatus(status)
			return none, nil
		}, apidoc.ID("empty"))
		apidoc.Post(api, "/created", "", func(_ context.Context, in input) (created, error) {
			in.C.SetStatus(status)
			return created{202, "text"}, nil
		}, apidoc.ID("created"))
		for path, code := range map[string]int{"/halt": status, "/text": status, "/empty": 204, "/created": 202} {
			if status >= 400 {
				code = status
			}
			if w := call(app, "POST", path, "", ""); w.Code != code || got != want {
				t.Errorf("%s, %d: got %d, %s, want %d, %s", path, status, w.Code, got, code, want)
			}
		}
	}
}
