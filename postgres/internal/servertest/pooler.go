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
	"time"

	"github.com/jackc/pgx/v5"
)

// This file is a real PgBouncer in transaction mode, where each transaction may get another session
// of the server.

// NewPooler starts a PgBouncer in front of a server, with few sessions for each database.
func NewPooler(t testing.TB, s *Server) (port int) {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !exists(program) {
			t.Skip("NOT RUN: PgBouncer is not installed (Debian's package pgbouncer)")
		}
	}
	folder := Folder(t)
	port = FreePort(t)
	config := filepath.Join(folder, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d user=cafe\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n"+
		"default_pool_size = 4\nmax_client_conn = 500\nserver_round_robin = 1\n", s.Port, port)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := Command(t, program, "-q", config)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	dsn := fmt.Sprintf("host=127.0.0.1 port=%d user=cafe dbname=postgres sslmode=disable", port)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := pgx.Connect(context.Background(), dsn)
		if err == nil {
			conn.Close(context.Background())
			return port
		} else if time.Now().After(end) {
			t.Fatalf("PgBouncer does not respond: %v", err)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Pooled returns a connection string of [Server.Database] that goes through a pooler.
func (s *Server) Pooled(dsn string, pooler int) string {
	return strings.Replace(dsn, fmt.Sprintf("port=%d", s.Port), fmt.Sprintf("port=%d", pooler), 1)
}
