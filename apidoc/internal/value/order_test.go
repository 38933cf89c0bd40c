package value_test

import (
	"testing"

	"example.com/flowercafe/internal/fileorder"
)

// Files use only files below them, except for nested values.
func TestFilesUseOnlyFilesBelow(t *testing.T) {
	fileorder.Check(t, []string{
		"encode.go", "read.go", "object.go", "union.go", "foreign.go", "set.go", "unique.go", "reader.go",
	}, map[string]string{
		"object.go uses value of read.go":           "the values of members",
		"object.go uses free of read.go":            "members of any kind",
		"object.go uses Decode of read.go":          "defaults",
		"foreign.go uses value of read.go":          "the values in wrappers",
		"set.go uses appendString of encode.go":     "as strings are encoded elsewhere",
		"foreign.go uses appendString of encode.go": "as the value is encoded elsewhere",
		"union.go uses value of read.go":            "alternatives",
		"union.go uses free of read.go":             "what no alternative knows",
	})
}
