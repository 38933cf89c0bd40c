package flowercatalog

import (
	"context"
	"fmt"
	"time"
)

// This file limits how long requests wait for a Store.

// limited is a Store whose calls end with ErrBusy when it takes too long. It does not ask it for
// texts that no flower can have.
type limited struct {
	Store
	wait time.Duration // how long the Store may take at a time
}

// slow returns the cause of a context that ends because the Store takes too long.
func (s limited) slow() error { return fmt.Errorf("no response within %s: %w", s.wait, ErrBusy) }

func (s limited) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.wait, s.slow())
}

func (s limited) Find(ctx context.Context, slug string) (Flower, error) {
	if !isText(slug) {
		return Flower{}, ErrNotFound
	}
	ctx, cancel := s.within(ctx)
	defer cancel()
	f, err := s.Store.Find(ctx, slug)
	return f, wrap("find a flower", err)
}

// Search is List for the empty text.
func (s limited) Search(ctx context.Context, folded string, page Page, each func(Flower) error) error {
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
	next := func(f Flower) error {
		limit.Stop()
		defer limit.Reset(s.wait)
		return each(f)
	}
	if folded == "" {
		return wrap("list flowers", s.Store.List(ctx, page, next))
	}
	return wrap("search flowers", s.Store.Search(ctx, folded, page, next))
}

func (s limited) Revision(ctx context.Context) (string, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	revision, err := s.Store.Revision(ctx)
	return revision, wrap("revision of the flowers", err)
}

func (s limited) Ping(ctx context.Context) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	return wrap("ping the store", s.Store.Ping(ctx))
}

func (s limited) Close() error { return wrap("close the store", s.Store.Close()) }

func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}
