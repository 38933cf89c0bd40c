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

// NewPooler starts a PgBouncer in front of a server, with few sessions for each database, and with
// settings that replace its own.
func NewPooler(t testing.TB, s *Server, settings ...string) (port int) {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !exists(program) {
			t.Skip("NOT RUN: PgBouncer is not installed (Debian's package pgbouncer)")
		}
	}
	for end := time.Now().Add(hangGuard); ; {
		port, said := startPooler(t, program, s.Port, settings, end)
		if said == "" {
			return port
		}
		if !strings.Contains(said, "in use") || time.Now().After(end) {
			t.Fatalf("PgBouncer does not start: %s", said)
		}
	}
}

// startPooler starts PgBouncer on a free port. It returns what PgBouncer said if that ended
// instead, as it does where something else has got the port, or accepted no connections in time.
func startPooler(t testing.TB, program string, server int, settings []string, end time.Time) (port int, said string) {
	t.Helper()
	port = FreePort(t)
	config := filepath.Join(Folder(t), "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d user=cafe\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n"+
		"default_pool_size = 4\nmax_client_conn = 500\nserver_round_robin = 1\n%s\n", server, port, strings.Join(settings, "\n"))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	Own(t, config)
	cmd := Command(t, program, config)
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	dsn := fmt.Sprintf("host=127.0.0.1 port=%d user=cafe dbname=postgres sslmode=disable connect_timeout=30", port)
	for {
		conn, err := pgx.Connect(context.Background(), dsn)
		if err == nil {
			conn.Close(context.Background())
			return port, ""
		}
		select {
		case <-ended:
			return 0, log.String()
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return 0, err.Error()
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
