package flowers_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file tests how long searches take, and what they leave to others.

// A search has one limit for all its queries. The first ones wait for most of it, the last for
// ever.
func TestSearchHasOneLimit(t *testing.T) {
	t.Parallel() // it mostly waits
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(10)...)
	servertest.Steady(t, func() error { return searchHasOneLimit(t, dsn) })
}

func searchHasOneLimit(t *testing.T, dsn string) error {
	const wait = 6 * time.Second
	store := open(t, dsn, flowers.WithAcquireTimeout(wait))
	if err := store.Ping(t.Context()); err != nil {
		return err
	}
	lock := func(table string) (unlock func()) {
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE `+table); err != nil {
			t.Fatal(err)
		}
		return func() { conn.Close(context.Background()) }
	}
	defer lock("flowers")()
	unlock := lock("flower_revision")
	begin := time.Now()
	time.AfterFunc(wait*3/4, unlock)
	err := store.Search(t.Context(), "flower", flowercatalog.Page{Limit: 5}, func(flowercatalog.Flower) error { return nil })
	if spent := time.Since(begin); !errors.Is(err, flowercatalog.ErrBusy) || spent > wait*3/2 {
		return fmt.Errorf("got %v after %v, want ErrBusy after %v", err, spent, wait)
	}
	if stats := store.Stats(); stats.TimedOut != 1 || stats.Repeats != 0 {
		return fmt.Errorf("got %+v, want one call out of time and none of its queries repeated", stats)
	}
	return nil
}

// Searches leave connections to others: those without trigrams read all names, and those with
// common ones as many.
func TestSearchesLeaveConnections(t *testing.T) {
	const size = 8
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(100_000)...)
	store := open(t, dsn+" application_name=searches", flowers.WithPoolSize(size))
	var searches sync.WaitGroup
	for i := range 100 {
		searches.Go(func() {
			none := fmt.Sprintf("%c%c", 'q'+i%3, 'x') // no name has it
			if i%2 == 0 {
				none = "wer?" // nor this, and all have its trigram
			}
			if err := store.Search(t.Context(), none, flowercatalog.Page{}, func(f flowercatalog.Flower) error {
				return fmt.Errorf("found %v", f)
			}); err != nil {
				t.Errorf("search: %v", err)
			}
		})
	}
	done := make(chan struct{})
	go func() { searches.Wait(); close(done) }()
	searching := func() int {
		return s.Value("postgres", `SELECT count(*) FROM pg_stat_activity
			WHERE application_name = 'searches' AND backend_type = 'client backend' AND state = 'active' AND query LIKE '%folded LIKE%'`)
	}
	finds, most := 0, 0
	for {
		select {
		case <-done:
			t.Logf("%d flowers found during 100 searches, at most %d at a time", finds, most)
			if most == 0 || most > size/4 {
				t.Errorf("got %d searches at a time, want 1 to %d", most, size/4)
			}
			return
		default:
		}
		if _, err := store.Find(t.Context(), "flower-0000007"); err != nil {
			t.Errorf("find: %v", err)
		}
		finds++
		n := searching()
		if n > size/4 { // the server looks at one session after the other, and a search may go on to another one
			n = min(n, searching(), searching())
		}
		most = max(most, n)
	}
}

// Flowers that are replaced between two queries of a call are read again.
func TestReplacedBetweenQueries(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(2000)...)
	store := open(t, dsn)
	ctx, cancel := context.WithCancel(t.Context())
	var loads sync.WaitGroup
	loads.Go(func() {
		for n := 2001; ctx.Err() == nil; n++ {
			flowers.Load(ctx, dsn, sequence(many(n)...))
		}
	})
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		page := flowercatalog.Page{After: "flower-0000007", Limit: 3}
		for _, folded := range []string{"", "no. 000001"} {
			list := func(each func(flowercatalog.Flower) error) error { return store.List(t.Context(), page, each) }
			if folded != "" {
				list = func(each func(flowercatalog.Flower) error) error {
					return store.Search(t.Context(), folded, page, each)
				}
			}
			found := 0
			if err := list(func(flowercatalog.Flower) error { found++; return nil }); err != nil || found != 3 {
				t.Errorf("%q: got %d flowers, %v, want 3", folded, found, err)
			}
		}
	}
	cancel()
	loads.Wait()
}
