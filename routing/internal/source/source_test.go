package source_test

import (
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/routing/internal/source"
)

// define takes the place of a method that defines a route; Here skips it.
//
//go:noinline
func define(f *source.Finder) source.Position { return f.Here() }

func TestHere(t *testing.T) {
	var f source.Finder
	first, again := define(&f).String(), define(&f).String()
	// As in loops over functions of package slices, the caller of define is no user's code.
	called := reflect.ValueOf(define).Call([]reflect.Value{reflect.ValueOf(&f)})[0].Interface().(source.Position)
	for _, place := range []string{first, again, called.String()} {
		if !strings.Contains(place, "/source_test.go:") {
			t.Errorf("got %q, want a line of this file", place)
		}
	}
	if got := source.Position(0).String(); got != "" {
		t.Errorf("an unknown place is %q, want empty", got)
	}
}
