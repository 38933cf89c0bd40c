package respond

import (
	"errors"
	"fmt"
	"html/template"
	"strings"

	"example.com/flowercafe/routing"
)

// Template executes the template of that name among those associated with t, or t itself if name
// is empty. The result is of type text/html; charset=utf-8. All of it is executed into memory
// first, so that a failure, or a panic of what the template calls, is an error and nothing of it
// is sent.
func Template(t *template.Template, name string, data any) (routing.Result, error) {
	if t == nil {
		return routing.Result{}, errors.New("respond: template: pass a template, not nil")
	}
	if name == "" {
		name = t.Name()
	}
	var page strings.Builder
	if err := t.ExecuteTemplate(&page, name, data); err != nil {
		return routing.Result{}, fmt.Errorf("respond: template: %w", err)
	}
	return routing.HTML(page.String()), nil
}
