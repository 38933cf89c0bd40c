package flowercatalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/flowercafe/flowercatalog/internal/fold"
	"example.com/flowercafe/internal/outage"
)

// Store keeps the flowers of a catalog, in an order that it defines. It must refuse duplicate
// slugs, and flowers that [CheckFlower] refuses. Its methods get only UTF-8 without NUL. Package
// catalogtest tests implementations.
//
// All methods are safe for concurrent use. They end soon after their context ends, with its
// [context.Cause] in the error.
type Store interface {
	// Find returns the flower with this slug. If no flower has it, the error wraps ErrNotFound.
	Find(ctx context.Context, slug string) (Flower, error)

	// List calls each for the flowers of the page, in catalog order. All are of the same revision:
	// if they change between transactions, the error wraps ErrChanged.
	//
	// each may take as long as a client takes to read, so a Store must not hold a connection
	// meanwhile. each must not use the Store. If it returns an error, List stops and wraps it. If
	// it panics, List releases its resources and the panic continues.
	List(ctx context.Context, page Page, each func(Flower) error) error

	// Search is List for the flowers whose name, folded by Fold, contains folded, which is never
	// empty. The page's After may name a flower that the search does not find.
	Search(ctx context.Context, folded string, page Page, each func(Flower) error) error

	// Revision identifies the flowers and their order in a few printable characters. It is the same
	// for all programs that share the Store, and after a restart. It is called for each list, so it
	// must be fast.
	Revision(ctx context.Context) (string, error)

	// Ping checks that the Store responds.
	Ping(ctx context.Context) error

	// Close refuses new work, interrupts work in progress, and releases all resources. It may be
	// called several times. The other methods then return errors that wrap ErrClosed.
	Close() error
}

// Fold returns the case-insensitive form of a text (Unicode Standard, 3.13, D145), composed (NFC).
// A search for e does not find é.
func Fold(text string) string { return fold.Text(text) }

// Page selects flowers of a [Store]. The zero Page is all of them.
type Page struct {
	// After is the slug of the flower before the page, or empty for the first page. If no flower
	// has it, the error wraps ErrNotFound.
	After string

	// Limit is the maximum number of flowers; 0 is no limit.
	Limit int

	// Revision, if not empty, is a result of Store.Revision. If it is out of date, the error wraps
	// ErrChanged.
	Revision string
}

// Errors of a [Store], perhaps wrapped. For ErrBusy and ErrClosed, requests for flowers get a 503
// with Retry-After, or are aborted if part of a list was sent.
var (
	ErrNotFound = errors.New("flowercatalog: no such flower")
	ErrChanged  = outage.New("flowercatalog: the flowers have changed")
	ErrBusy     = outage.New("flowercatalog: the store is busy") // or unavailable
	ErrClosed   = outage.New("flowercatalog: the store is closed")
)

// records is a Store that returns the JSON of flowers: a snapshot of a Memory, or a
// storeWithTimeout.
type records interface {
	// find and search are Find and Search of a Store. A record is valid only until each returns.
	// search for the empty text is List.
	find(ctx context.Context, slug string) ([]byte, error)
	search(ctx context.Context, folded string, page Page, each func(record []byte) error) error
	Revision(ctx context.Context) (string, error)
}

// storeWithTimeout is the Store of WithStore. It limits how long a request waits, and does not
// search the Store for texts that no flower can have.
type storeWithTimeout struct {
	Store
	wait time.Duration // for the result of a call, or for each flower of a list
}

func (s *storeWithTimeout) withLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.wait, s.timeoutError())
}

// timeoutError returns the cause of a context that ends because the Store takes too long.
func (s *storeWithTimeout) timeoutError() error {
	return fmt.Errorf("no response within %s: %w", s.wait, ErrBusy)
}

func (s *storeWithTimeout) find(ctx context.Context, slug string) ([]byte, error) {
	if !isText(slug) {
		return nil, ErrNotFound
	}
	ctx, cancel := s.withLimit(ctx)
	defer cancel()
	f, err := s.Find(ctx, slug)
	return appendFlower(nil, f), wrap("find a flower", err)
}

// search limits the wait for each flower. The time that each takes does not count.
func (s *storeWithTimeout) search(ctx context.Context, folded string, page Page, each func([]byte) error) error {
	switch {
	case !isText(page.After):
		return ErrNotFound
	case !isText(folded): // check only the page
		folded, page.Limit, each = "", 1, func([]byte) error { return nil }
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := time.AfterFunc(s.wait, func() { cancel(s.timeoutError()) })
	defer limit.Stop()
	var record []byte
	eachFlower := func(f Flower) error {
		limit.Stop()
		defer limit.Reset(s.wait)
		record = appendFlower(record[:0], f)
		return each(record)
	}
	if folded == "" {
		return wrap("list flowers", s.List(ctx, page, eachFlower))
	}
	return wrap("search flowers", s.Search(ctx, folded, page, eachFlower))
}

func (s *storeWithTimeout) Revision(ctx context.Context) (string, error) {
	ctx, cancel := s.withLimit(ctx)
	defer cancel()
	revision, err := s.Store.Revision(ctx)
	return revision, wrap("revision of the flowers", err)
}

func (s *storeWithTimeout) Ping(ctx context.Context) error {
	ctx, cancel := s.withLimit(ctx)
	defer cancel()
	return wrap("ping the store", s.Store.Ping(ctx))
}

func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}
