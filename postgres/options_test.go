package postgres_test

import (
	"testing"

	"example.com/flowercafe/internal/exported"
)

// The options have the shape of those of the core, by the rule in CONTRIBUTING.md.
func TestOptions(t *testing.T) {
	options, err := exported.Options(".", nil, "./...")
	if err != nil {
		t.Error(err)
	}
	if options == "" {
		t.Error("there are none")
	}
}
