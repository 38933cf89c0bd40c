package docs_test

import (
	"log/slog"
	"os"
	"testing"
)

// The errors of the guides' programs are on purpose: the log leaves them out of the tests' output.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
