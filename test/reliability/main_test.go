package reliability_test

import (
	"os"
	"testing"

	"example.com/flowercafe/internal/testenv"
)

// TestMain fails if the tests leave goroutines, descriptors or temporary files behind.
func TestMain(m *testing.M) { os.Exit(testenv.Run(m)) }
