package apidoc_test

import (
	"context"
	"errors"
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

// A halt without a status has that of SetStatus: a 409 rolls back.
func TestTransactionOfAHaltWithoutAStatus(t *testing.T) {
	for status, want := range map[int]string{200: "committed", 201: "committed", 303: "committed", 409: "rolled back", 500: "rolled back"} {
		app := routing.New()
		got := ""
		api := apidoc.NewAPI(app, info, apidoc.Transaction(func(ctx context.Context, _ *apidoc.Call, run func(context.Context) error) error {
			err := run(ctx)
			if got = "committed"; err != nil {
				got = "rolled back"
			}
			return err
		}))
		apidoc.Post(api, "/", "", func(_ context.Context, in struct{ C routing.Context }) (none struct{}, _ error) {
			in.C.SetStatus(status)
			return none, &routing.HaltError{}
		})
		w := call(app, "POST", "/", "", "")
		if w.Code != status || got != want {
			t.Errorf("%d: got %d, %s, want %s", status, w.Code, got, want)
		}
	}
}
