package coffeedemo_test

import (
	"os"
	"testing"

	"example.com/flowercafe/internal/leakcheck"
)

// TestMain fails if the tests leave goroutines, descriptors or temporary files behind.
func TestMain(m *testing.M) { os.Exit(leakcheck.Run(m)) }
