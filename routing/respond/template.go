package respond

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"runtime/debug"
	"strings"

	"example.com/flowercafe/routing"
)

// Template returns [routing.HTML] of the template associated with t that has the given name, or of
// t itself if name is empty. It returns an error if the template fails.
func Template(t *template.Template, name string, data any) (result routing.Result, err error) {
	if t == nil {
		return routing.Result{}, errors.New("respond: template: pass a template, not nil")
	}
	if name == "" {
		name = t.Name()
	}
	// Package template turns panics of functions and methods into errors, but not a panic of an
	// iter.Seq.
	defer func() {
		if v := recover(); v == http.ErrAbortHandler {
			panic(v)
		} else if v != nil {
			result, err = routing.Result{}, fmt.Errorf("respond: template: %w", &routing.PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	var page strings.Builder
	if err := t.ExecuteTemplate(&page, name, data); err != nil {
		return routing.Result{}, fmt.Errorf("respond: template: %w", err)
	}
	return routing.HTML(page.String()), nil
}
