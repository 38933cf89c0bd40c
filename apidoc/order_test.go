package apidoc_test

import (
	"testing"

	"example.com/flowercafe/internal/fileorder"
)

// Files use only files below them. The rows are those of ARCHITECTURE.md.
func TestFilesUseOnlyFilesBelow(t *testing.T) {
	fileorder.Check(t, []string{
		"serve.go", "responses.go",
		"api.go", "group.go",
		"page.go", "run.go",
		"failure.go", "output.go", "stream.go", "input.go", "lines.go", "conditional.go", "form.go", "body.go", "events.go",
		"target.go", "build.go", "routes.go",
		"describe.go", "authorize.go", "parameter.go",
		"described.go",
		"operation.go", "info.go", "option.go deadline.go", "security.go", "type.go", "optional.go", "file.go", "version.go", "problem.go", "intercept.go",
	}, nil)
}
