package servertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// This file is a real PgBouncer in transaction mode, where each transaction may get another session
// of the server.

// NewPooler starts a PgBouncer in front of a server, with few sessions for each database, and with
// settings that replace its own. The test fails if PgBouncer ends before it.
func NewPooler(t testing.TB, s *Server, settings ...string) (port int) {
	t.Helper()
	program, config := find(t, "pgbouncer"), filepath.Join(Folder(t), "pgbouncer.ini")
	ended := serve(t, syscall.SIGTERM, "in use", func() *exec.Cmd {
		port = FreePort(t)
		text := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d user=cafe\n[pgbouncer]\n"+
			"listen_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n"+
			"default_pool_size = 4\nmax_client_conn = 500\nserver_round_robin = 1\n%s\n", s.Port, port, strings.Join(settings, "\n"))
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		Own(t, config)
		return Command(t, program, config)
	}, func() bool {
		conn, err := pgx.Connect(context.Background(), s.Pooled(s.DSN("postgres"), port))
		if err == nil {
			conn.Close(context.Background())
		}
		return err == nil
	})
	t.Cleanup(func() {
		select {
		case <-ended:
			t.Error("PgBouncer has ended by itself")
		default:
		}
	})
	return port
}

// Pooled returns a connection string of [Server.Database] that goes through a pooler.
func (s *Server) Pooled(dsn string, pooler int) string {
	return strings.Replace(dsn, fmt.Sprintf("port=%d", s.Port), fmt.Sprintf("port=%d", pooler), 1)
}
