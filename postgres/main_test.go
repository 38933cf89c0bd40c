package postgres_test

import (
	"os"
	"testing"

	"example.com/flowercafe/internal/leakcheck"
)

func TestMain(m *testing.M) { os.Exit(leakcheck.Run(m)) }
