package respond

import (
	"errors"
	"fmt"
	"html/template"
	"strings"

	"example.com/flowercafe/routing"
)

// Template executes the template with that name among those associated with t, or t itself if name
// is empty. The result has type text/html; charset=utf-8. The template is executed into memory
// first, so if it fails or panics, an error is returned and nothing is sent. A nil t is an error.
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
