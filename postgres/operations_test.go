package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file does what OPERATIONS.md says.

// script runs a block of OPERATIONS.md as the server's user, with its names set.
func script(t *testing.T, s *servertest.Server, names, text string) {
	t.Helper()
	servertest.Run(t, "sh", "-e", "-c", "PATH="+s.Bin+":$PATH PGUSER=cafe PGHOST=127.0.0.1\nexport PATH PGUSER PGHOST\n"+names+"\n"+text)
}

// statements executes the statements of a block one after the other, since some cannot run in a
// transaction.
func statements(s *servertest.Server, text string) {
	for statement := range strings.SplitSeq(strings.TrimSpace(text), ";\n") {
		s.Exec("postgres", statement)
	}
}

// copied starts a standby of a primary as OPERATIONS.md says.
func copied(t *testing.T, primary *servertest.Server, name string) *servertest.Server {
	t.Helper()
	copying, _, _ := strings.Cut(blocksOf(t, "OPERATIONS.md", byHand, "sh")[0], "sslmode=")
	copying = strings.Replace(copying, "host=$PRIMARY", "host=127.0.0.1 port="+portOf(primary.DSN("postgres")), 1) + `sslmode=disable" --no-sync`
	standby := primary.Copied(t, func(data string) { script(t, primary, "DATA="+data+" NAME="+name, copying) })
	until(t, name+" follows", func() bool {
		return primary.Value("postgres", `SELECT count(*) FROM pg_stat_replication WHERE application_name = $1 AND state = 'streaming'`, name) == 1
	})
	if got := primary.Value("postgres", `SELECT count(*) FROM pg_replication_slots WHERE slot_name = $1 AND active AND wal_status = 'reserved'`, name); got != 1 {
		t.Errorf("%s does not use its slot", name)
	}
	return standby
}

const byHand = "A standby by hand"

// A standby by hand follows, synchronously in the end, and becomes the primary. So does the old
// primary after a second failover. No change is lost.
func TestStandbyByHand(t *testing.T) {
	first := servertest.New(t)
	sql := blocksOf(t, "OPERATIONS.md", byHand, "sql")
	statements(first, sql[0])
	second := copied(t, first, "db2")
	synchronous := func(primary *servertest.Server) {
		t.Helper()
		until(t, "the standby is synchronous", func() bool {
			return primary.Value("postgres", `SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'quorum'`) == 1
		})
	}
	statements(first, sql[1])
	statements(second, sql[1])
	synchronous(first)
	first.Exec("postgres", `CREATE TABLE mark AS SELECT 7 AS number`)
	first.Kill()
	second.Exec("postgres", `SELECT pg_promote()`)
	if got := second.Value("postgres", `SELECT number FROM mark`); got != 7 {
		t.Errorf("after the failover: got %d, want what was committed", got)
	}
	pool := open(t, second.DSN("postgres"))
	if waits, err := pool.WaitsForStandby(t.Context()); err != nil || !waits {
		t.Errorf("on the new primary, changes wait for a standby: got %v, %v, want true", waits, err)
	}
	statements(second, strings.TrimSpace(sql[2]))
	third := copied(t, second, "db1")
	synchronous(second)
	second.Exec("postgres", `UPDATE mark SET number = 8`)
	second.Kill()
	third.Exec("postgres", `SELECT pg_promote()`)
	if got := third.Value("postgres", `SELECT number FROM mark`); got != 8 {
		t.Errorf("after the second failover: got %d, want what was committed", got)
	}
}

func portOf(dsn string) string {
	_, port, _ := strings.Cut(dsn, "port=")
	port, _, _ = strings.Cut(port, " ")
	return port
}

// Base backups and a restore to a time before a mistake.
func TestRestoreToTime(t *testing.T) {
	const section = "Base backups and a restore to a time"
	s := servertest.New(t)
	folder := servertest.Folder(t)
	names := "DATA=" + s.Data + " ARCHIVE=" + folder + "/archive BACKUP=" + folder + "/base PGPORT=" + portOf(s.DSN("postgres")) + "\nexport PGPORT"
	sh := blocksOf(t, "OPERATIONS.md", section, "sh")
	sql := blocksOf(t, "OPERATIONS.md", byHand, "sql")
	statements(s, sql[0])
	script(t, s, names, sh[0])
	s.Kill()
	s.Start()
	s.Exec("postgres", `CREATE TABLE mark AS SELECT 1 AS number`)
	script(t, s, names, sh[1])
	s.Exec("postgres", `INSERT INTO mark VALUES (2)`)
	time.Sleep(time.Second)
	conn, err := pgx.Connect(t.Context(), s.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	var moment string
	if err := conn.QueryRow(t.Context(), `SELECT now()::text`).Scan(&moment); err != nil {
		t.Fatal(err)
	}
	conn.Close(t.Context())
	time.Sleep(time.Second)
	s.Exec("postgres", `DROP TABLE mark`)
	s.Exec("postgres", `SELECT pg_switch_wal()`)
	archived := func() bool {
		return s.Value("postgres", `SELECT count(*) FROM pg_stat_archiver WHERE last_archived_time > '`+moment+`'`) == 1
	}
	until(t, "the log is archived", archived)
	s.Kill()
	script(t, s, names+"\nTIME='"+moment+"'", sh[2])
	s.Start()
	until(t, "the server accepts writes", func() bool {
		return s.Value("postgres", `SELECT count(*) FROM pg_settings WHERE name = 'in_hot_standby' AND setting = 'off'`) == 1
	})
	if got := s.Value("postgres", `SELECT sum(number) FROM mark`); got != 3 {
		t.Errorf("restored: got the sum %d, want what was there before the mistake", got)
	}
	if _, err := os.Stat(filepath.Clean(s.Data + ".before")); err != nil {
		t.Error(err)
	}
	statements(s, strings.TrimSpace(sql[2])) // as on each new primary
	copied(t, s, "db1")
}

// What the runbook and the alerts name is there.
func TestRunbookNames(t *testing.T) {
	s := servertest.New(t)
	text := read(t, "OPERATIONS.md")
	_, text, _ = strings.Cut(text, "\n## What to do when\n")
	queries := 0
	for i, code := range strings.Split(text, "`") {
		if i%2 == 0 || !strings.HasPrefix(code, "SELECT ") || strings.Contains(code, "(PID)") || strings.Contains(code, "flowers.") || strings.Contains(code, "pg_drop") {
			continue
		}
		queries++
		s.Exec("postgres", code)
	}
	if queries < 3 {
		t.Errorf("got %d queries, want those of the runbook", queries)
	}
}

// A PgBouncer before each of two servers: calls find the primary. After a switchover they find the
// new one, though the sessions of the old one stay open.
func TestPgBouncerBeforeEachServer(t *testing.T) {
	primary := servertest.New(t)
	dsn := primary.Database(t)
	standby := primary.Standby(t, "standby")
	ports := fmt.Sprintf("host=127.0.0.1,127.0.0.1 port=%d,%d", servertest.NewPooler(t, standby), servertest.NewPooler(t, primary))
	pool := open(t, strings.Replace(dsn, "host=127.0.0.1 port="+portOf(dsn), ports, 1))
	store := coffees.New(pool)
	fill(t, store)
	count := func(s *servertest.Server) int {
		return s.Value(servertest.DatabaseOf(dsn), `SELECT count(*) FROM pg_tables WHERE tablename IN ('coffees', 'suppliers')`)
	}
	until(t, "the standby follows", func() bool { return count(standby) == 2 })
	primary.Kill()
	signal := filepath.Join(primary.Data, "standby.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	servertest.Own(t, signal)
	primary.Start()
	standby.Exec("postgres", `SELECT pg_promote()`)
	if err := store.Drop(t.Context()); err != nil {
		t.Errorf("after the switchover: %v", err)
	}
	if before, after := count(primary), count(standby); before != 2 || after != 0 {
		t.Errorf("got %d tables on the old primary and %d on the new one, want 2 and 0", before, after)
	}
}
