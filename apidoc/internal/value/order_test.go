package value_test

import (
	"testing"

	"example.com/flowercafe/internal/fileorder"
)

// Files use only files below them, except for nested values.
func TestFilesUseOnlyFilesBelow(t *testing.T) {
	fileorder.Check(t, []string{
		"encode.go", "text.go", "read.go", "union.go", "whole.go", "check.go", "unique.go", "reader.go",
	}, map[string]string{
		"whole.go uses appendString of encode.go": "as the value is encoded elsewhere",
		"whole.go uses value of read.go":          "the values in wrappers",
		"union.go uses value of read.go":          "alternatives",
		"union.go uses free of read.go":           "what no alternative knows",
	})
}
