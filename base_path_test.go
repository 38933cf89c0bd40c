package flowercafe_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
)

// All constructors refuse a base path with parameters, as an error with the same advice.
func TestBasePathWithParameters(t *testing.T) {
	for base, want := range map[string]string{"/:id": "/:id", "/org/{org}": "/org/:org", "/a/:b/c/": "/a/:b/c"} {
		for name, construct := range map[string]func() error{
			"flowercafe.New": func() error { _, err := flowercafe.New(flowercafe.WithBasePath(base)); return err },
			"flowercafe.Mount": func() error {
				_, err := flowercafe.Mount(http.NewServeMux(), flowercafe.WithBasePath(base))
				return err
			},
			"flowercatalog.New": func() error { _, err := flowercatalog.New(flowercatalog.WithBasePath(base)); return err },
			"coffeedemo.New":    func() error { _, err := coffeedemo.New(coffeedemo.WithBasePath(base)); return err },
		} {
			if err := construct(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("base path %q: it is literal: write outer.Mount(%q, app)", base, want)) {
				t.Errorf("%s with %s: got error %v", name, base, err)
			}
		}
	}
}
