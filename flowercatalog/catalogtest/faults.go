package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/flowercatalog"
)

// This file tests errors, panics, contexts that end, and Close in the middle of a list.

func testEachError(t *testing.T, f *fixture) {
	enough := errors.New("enough")
	for _, folded := range []string{"", "e"} {
		for k := range 5 {
			calls := 0
			each := func(flowercatalog.Flower) error {
				if calls++; calls == k+1 {
					return enough
				}
				return nil
			}
			err := f.store.List(t.Context(), page{}, each)
			if folded != "" {
				calls = 0
				err = f.store.Search(t.Context(), folded, page{}, each)
			}
			f.want(fmt.Sprintf("%q, error at flower %d", folded, k+1), err, enough)
			if calls != k+1 {
				t.Errorf("%q, error at flower %d: got %d calls, want %d", folded, k+1, calls, k+1)
			}
			f.check("after an error", folded, page{})
		}
	}
}

func testEachPanic(t *testing.T, f *fixture) {
	for k := range 5 {
		func() {
			defer func() {
				if got := recover(); got != "flower" {
					t.Errorf("panic at flower %d: got %v, want the panic to continue", k+1, got)
				}
			}()
			calls := 0
			f.store.List(t.Context(), page{}, func(flowercatalog.Flower) error {
				if calls++; calls == k+1 {
					panic("flower")
				}
				return nil
			})
		}()
		f.check("after a panic", "", page{})
	}
}

func testContextEnded(t *testing.T, f *fixture) {
	cause := errors.New("disconnected")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	_, err := f.store.Find(ctx, f.flowers[0].Slug)
	f.want("find", err, cause)
	_, err = f.store.Revision(ctx)
	f.want("revision", err, cause)
	f.want("ping", f.store.Ping(ctx), cause)
	for _, folded := range []string{"", "e"} {
		got, err := f.read(ctx, folded, page{})
		f.want("list or search", err, cause)
		if len(got) > 0 {
			t.Errorf("list or search: got %s, want none", short(got))
		}
	}
	f.check("at the end", "", page{})
}

// testContextEndsDuringList cancels a context during a list. A few more flowers may follow, but the
// list ends early.
func testContextEndsDuringList(t *testing.T, f *fixture) {
	for _, k := range []int{0, 1, 50} {
		cause := errors.New("disconnected")
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		err := f.store.List(ctx, page{}, func(flowercatalog.Flower) error {
			if calls++; calls == k+1 {
				cancel(cause)
			}
			return nil
		})
		if err != nil || calls < len(f.flowers) {
			f.want(fmt.Sprintf("list, ended at flower %d", k+1), err, cause)
		}
		f.check("after a list that ended", "", page{Limit: 10})
	}
}

// testConcurrent reads with many clients at once.
func testConcurrent(t *testing.T, f *fixture) {
	var clients sync.WaitGroup
	for client := range 16 {
		clients.Go(func() {
			_, rng := newRandom()
			for range 20 {
				want := f.flowers[rng.IntN(len(f.flowers))]
				if got, err := f.store.Find(t.Context(), want.Slug); err != nil || got != want {
					t.Errorf("client %d: find %q: got %q, %v", client, want.Slug, got, err)
				}
				f.check(fmt.Sprint("client ", client), flowercatalog.Fold(part(rng, f.flowers)), page{After: want.Slug, Limit: 20})
			}
		})
	}
	clients.Wait()
}

func testClosed(t *testing.T, f *fixture) {
	for i := range 2 {
		step := fmt.Sprintf("closed %d times, ", i+1)
		f.must(step+"close", f.store.Close())
		_, err := f.store.Find(t.Context(), f.flowers[0].Slug)
		f.want(step+"find", err, flowercatalog.ErrClosed)
		_, err = f.store.Revision(t.Context())
		f.want(step+"revision", err, flowercatalog.ErrClosed)
		f.want(step+"ping", f.store.Ping(t.Context()), flowercatalog.ErrClosed)
		for _, folded := range []string{"", "e"} {
			_, err = f.read(t.Context(), folded, page{})
			f.want(step+"list or search", err, flowercatalog.ErrClosed)
		}
	}
}

// testCloseInterrupts closes the store while a list waits for its client.
func testCloseInterrupts(t *testing.T, f *fixture) {
	inEach, released, listed, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		first := true
		listed <- f.store.List(t.Context(), page{}, func(flowercatalog.Flower) error {
			if first {
				first = false
				close(inEach)
				<-released
			}
			return nil
		})
	}()
	select {
	case <-inEach:
	case <-time.After(patience):
		t.Fatal("the list does not begin")
	}
	go func() { closed <- f.store.Close() }()
	for end := time.Now().Add(patience); !errors.Is(f.store.Ping(t.Context()), flowercatalog.ErrClosed); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the store still accepts work")
		}
	}
	close(released)
	for name, result := range map[string]<-chan error{"list": listed, "close": closed} {
		select {
		case err := <-result:
			if name == "list" {
				f.want("list", err, flowercatalog.ErrClosed)
			} else {
				f.must("close", err)
			}
		case <-time.After(patience):
			t.Fatalf("%s: hangs", name)
		}
	}
}
