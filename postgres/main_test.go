package postgres_test

import (
	"os"
	"testing"

	"example.com/flowercafe/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Run(m)) }
