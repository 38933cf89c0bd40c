package main

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/flowercafe/examples/with/internal/postgrestest"
)

// This file runs tests with each database.

func onEach(t *testing.T, test func(t *testing.T, s *service)) {
	t.Run("Memory", func(t *testing.T) { test(t, start(t, "")) })
	t.Run("SQLite", func(t *testing.T) { test(t, start(t, filepath.Join(t.TempDir(), "bookings.db"))) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, start(t, newDatabase(t))) })
}

// server is the PostgreSQL server of all tests.
var server postgrestest.Server

func newDatabase(t *testing.T) string {
	t.Helper()
	return server.Database(t)
}

func TestMain(m *testing.M) {
	if os.Getenv("RUN_SERVICE") != "" { // a process that a test has started
		main()
		return
	}
	code := m.Run()
	server.Close()
	os.Exit(code)
}
