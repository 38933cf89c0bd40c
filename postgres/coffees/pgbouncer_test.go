package coffees_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/coffeedemo/storetest"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file runs the store's tests through a real PgBouncer in transaction mode.

func TestPgBouncer(t *testing.T) {
	s := servertest.New(t)
	pooler := servertest.NewPooler(t, s)
	pooled := func() string {
		return s.Pooled(s.Database(t), pooler)
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
	// The settings of a transaction do not affect the next one, of any client.
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
