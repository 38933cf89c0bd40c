package flowercatalog

import (
	"context"
	"fmt"
	"time"

	"example.com/flowercafe/flowercatalog/internal/fold"
)

// This file gives the handlers the flowers of a Store as JSON, and limits how long they wait for
// it.

// records is the flowers as JSON, as one request sees them: the list of the moment of a [Memory],
// or what another [Store] returns.
type records interface {
	// find returns the flower with exactly that slug, or an error that wraps ErrNotFound.
	find(ctx context.Context, slug string) ([]byte, error)

	// search calls yield for each flower of the page whose folded name contains folded. The
	// records must not be kept.
	search(ctx context.Context, folded string, page Page, yield func(record []byte) error) error

	revision(ctx context.Context) (string, error)

	// fold folds a text to search for.
	fold(text string) string
}

// stored is the records of a Store. It does not ask it for texts that no flower can have.
type stored struct {
	Store
	wait time.Duration // how long the Store may take at a time
}

// slow returns the cause of a context that ends because the Store takes too long.
func (s stored) slow() error { return fmt.Errorf("no response within %s: %w", s.wait, ErrBusy) }

func (s stored) find(ctx context.Context, slug string) ([]byte, error) {
	if !isText(slug) {
		return nil, ErrNotFound
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.wait, s.slow())
	defer cancel()
	f, err := s.Find(ctx, slug)
	return appendFlower(nil, f), wrap("find a flower", err)
}

func (s stored) search(ctx context.Context, folded string, page Page, yield func([]byte) error) error {
	switch {
	case !isText(page.After):
		return ErrNotFound
	case !isText(folded):
		return nil
	}
	// The limit is for each flower of the Store, not for the client.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := time.AfterFunc(s.wait, func() { cancel(s.slow()) })
	defer limit.Stop()
	var record []byte
	each := func(f Flower) error {
		limit.Stop()
		defer limit.Reset(s.wait)
		record = appendFlower(record[:0], f)
		return yield(record)
	}
	if folded == "" {
		return wrap("list flowers", s.List(ctx, page, each))
	}
	return wrap("search flowers", s.Search(ctx, folded, page, each))
}

func (s stored) revision(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.wait, s.slow())
	defer cancel()
	revision, err := s.Revision(ctx)
	return revision, wrap("revision of the flowers", err)
}

func (s stored) fold(text string) string { return fold.Text(text) }

func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}
