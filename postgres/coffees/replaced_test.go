package coffees_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file changes the database in the middle of calls, and fills its disk.

// Somebody replaces the tables after a load has looked for them: the transaction does not see the
// rows of the new tables, but its rows are duplicates of them.
func TestTablesReplacedInCall(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	store := open(t, dsn)
	defer store.Close()
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE coffees, suppliers`); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan error)
	go func() { loaded <- store.Load(t.Context(), faultSuppliers, faultCoffees) }()
	for s.Value("postgres", `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`) == 0 {
		time.Sleep(time.Millisecond)
	}
	schema, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(t.Context(), `DROP TABLE coffees, suppliers; `+string(schema)+
		`; INSERT INTO suppliers VALUES (1, 's', '', '', '', ''); INSERT INTO coffees VALUES ('a', 1, 0, 0, 0); COMMIT`); err != nil {
		t.Fatal(err)
	}
	if err := <-loaded; !errors.Is(err, coffeedemo.ErrDataLoaded) {
		t.Errorf("got %v, want ErrDataLoaded", err)
	}
}

// A full disk is a 503.
func TestDiskFull(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: only root mounts a small disk")
	}
	s := servertest.New(t)
	disk := servertest.Folder(t)
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk).Run(); err != nil {
		t.Skipf("NOT RUN: mount a small disk: %v", err)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", disk).Run() })
	servertest.Own(t, disk)
	dsn := s.Database(t)
	database := servertest.DatabaseOf(dsn)
	s.Exec("postgres", `CREATE TABLESPACE small LOCATION '`+disk+`'`)
	s.Exec("postgres", `ALTER DATABASE `+database+` SET default_tablespace = small`)
	app, err := coffeedemo.New(coffeedemo.WithStore(open(t, dsn)))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	if status, body := ask(app, "/db/create-tables"); status != http.StatusOK {
		t.Fatalf("create: got %d %q", status, body)
	}
	s.Exec(database, `CREATE TABLE fill (text text)`)
	s.Exec(database, `DO $$ BEGIN LOOP
		BEGIN INSERT INTO fill VALUES (repeat('x', 2000)); EXCEPTION WHEN disk_full THEN EXIT; END;
	END LOOP; END $$`)
	if status, body := ask(app, "/db/load-data"); status != http.StatusServiceUnavailable {
		t.Errorf("load: got %d %q, want 503", status, body)
	}
	if status, body := ask(app, "/coffees"); status != http.StatusOK || body != "" {
		t.Errorf("then: got %d %q, want an empty list", status, body)
	}
	s.Exec(database, `DROP TABLE fill`)
	if status, body := ask(app, "/db/load-data"); status != http.StatusOK {
		t.Errorf("with space again: got %d %q", status, body)
	}
}
