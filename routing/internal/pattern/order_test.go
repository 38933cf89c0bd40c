package pattern

import (
	"testing"

	"example.com/flowercafe/internal/fileorder"
)

// order lists the files of the package from top to bottom. A file uses only files below it.
var order = []string{
	"url.go", "hides.go",
	"pattern.go",
	"foreign.go", "collapse.go",
	"prefix.go",
	"tidy.go", "cover.go", "capture.go", "shape.go",
	"expression.go",
	"read.go", "slash.go",
	"token.go",
	"class.go",
	"path.go",
}

func TestFilesUseOnlyFilesBelow(t *testing.T) { fileorder.Check(t, order, nil) }
