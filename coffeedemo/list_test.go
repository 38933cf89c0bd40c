package coffeedemo_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestListsDuringWrites: a list is one SELECT without a transaction around it. Whatever writing
// sessions do meanwhile, clients get the complete list, an empty one, or a 409 if a table is
// missing.
func TestListsDuringWrites(t *testing.T) {
	t.Parallel()
	const readers = 8
	lists := 300
	if testing.Short() {
		lists = 50
	}
	d := openDemo(t, readers, time.Minute)
	d.state(t, fullTables)
	change := func(statement string) {
		err := d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
			return sqlitex.Execute(conn, statement, nil)
		})
		if err != nil {
			t.Errorf("%s: got %v, want no error", statement, err)
		}
	}
	var seen [3]atomic.Int64 // complete, empty, refused
	var reading, writing sync.WaitGroup
	done := make(chan struct{})
	writing.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			change("DELETE FROM COFFEES")
			change("DROP TABLE COFFEES") // SUPPLIERS is still there
			for _, path := range []string{dropPath, createPath, loadPath} {
				if w := d.get(t.Context(), path); w.Code != http.StatusOK {
					t.Errorf("GET %s: got %d %q, want 200", path, w.Code, w.Body)
				}
			}
		}
	})
	for range readers {
		reading.Go(func() {
			for range lists {
				switch w := d.get(t.Context(), coffeesPath); {
				case w.Code == http.StatusOK && w.Body.String() == fullList:
					seen[0].Add(1)
				case w.Code == http.StatusOK && w.Body.Len() == 0:
					seen[1].Add(1)
				case w.Code == http.StatusConflict:
					seen[2].Add(1)
				default:
					t.Errorf("got %d %q, want 200 with all coffees or none, or 409", w.Code, w.Body)
				}
			}
		})
	}
	reading.Wait()
	close(done)
	writing.Wait()
	t.Logf("%d complete, %d empty, %d refused", seen[0].Load(), seen[1].Load(), seen[2].Load())
	d.assertHealthy(t)
}
