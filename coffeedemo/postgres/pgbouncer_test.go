package postgres_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/coffeedemo/storetest"
)

// This file runs the suite through a real PgBouncer in transaction mode, where each transaction may
// get another session of the server.

// newPooler starts a PgBouncer in front of a server, with few sessions for each database.
func newPooler(t *testing.T, s *server) (port int) {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !exists(program) {
			t.Skip("NOT RUN: PgBouncer is not installed (Debian's package pgbouncer)")
		}
	}
	folder := newFolder(t)
	port = freePort(t)
	config := filepath.Join(folder, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d user=cafe\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n"+
		"default_pool_size = 4\nmax_client_conn = 500\nserver_round_robin = 1\n", s.port, port)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, program, "-q", config)
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

func TestPgBouncer(t *testing.T) {
	s := newServer(t)
	pooler := newPooler(t, s)
	pooled := func() string {
		return strings.Replace(s.database(t), fmt.Sprintf("port=%d", s.port), fmt.Sprintf("port=%d", pooler), 1)
	}
	t.Run("Suite", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) coffeedemo.Store { return open(t, pooled()) })
	})
	t.Run("Requests", func(t *testing.T) {
		app, err := coffeedemo.New(coffeedemo.WithStore(open(t, pooled())))
		if err != nil {
			t.Fatal(err)
		}
		defer app.Close()
		paths := []string{"/db/create-tables", "/db/load-data", "/coffees", "/db/drop-tables"}
		var mu sync.Mutex
		counts := make(map[int]int)
		var clients sync.WaitGroup
		for c := range 20 {
			clients.Go(func() {
				for i := range 20 {
					status, body := ask(app, paths[(c+i)%len(paths)])
					if status == http.StatusOK && strings.HasPrefix(body, "  ") && lines(body) != 5 {
						t.Errorf("a list of %d coffees", lines(body))
					}
					mu.Lock()
					counts[status]++
					mu.Unlock()
				}
			})
		}
		clients.Wait()
		t.Logf("400 requests of 20 clients: %v", counts)
		if counts[http.StatusOK]+counts[http.StatusConflict] != 400 {
			t.Errorf("got %v, want 200 and 409 only", counts)
		}
	})
	// What one transaction sets is gone for the next, whosever it is.
	t.Run("NoStateLeft", func(t *testing.T) {
		dsn := pooled()
		store := open(t, dsn)
		defer store.Close()
		for _, call := range calls {
			if err := call.do(t.Context(), store); err != nil {
				t.Errorf("%s: %v", call.name, err)
			}
		}
		conn, err := pgx.Connect(t.Context(), dsn+" default_query_exec_mode=exec")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		for range 8 {
			var statement, lock, idle, isolation string
			err := conn.QueryRow(t.Context(), `SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
				current_setting('idle_in_transaction_session_timeout'), current_setting('transaction_isolation')`).
				Scan(&statement, &lock, &idle, &isolation)
			if got := statement + lock + idle + isolation; err != nil || got != "000read committed" {
				t.Errorf("settings after the calls: got %s, %v, want the server's own", got, err)
			}
		}
	})
}
