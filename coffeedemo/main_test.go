package coffeedemo_test

import (
	"flag"
	"os"
	"testing"

	"example.com/flowercafe/internal/testenv"
)

// TestMain fails if the tests leave goroutines, descriptors or temporary files behind. Parallel
// tests mostly wait, so more of them run at once than there are processors.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "8")
	os.Exit(testenv.Run(m))
}
