package flowercatalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// This file gives the handlers the flowers as JSON, from the catalog in memory or any other Store.

// view is the state of the flowers that one request sees.
type view interface {
	// find returns the JSON of the flower with exactly that slug.
	find(ctx context.Context, slug string) ([]byte, error)

	// records calls yield with the JSON of each flower of the page whose folded name contains
	// folded.
	records(ctx context.Context, folded string, page Page, yield func([]byte) error) error

	revision(ctx context.Context) (string, error)

	// fold folds a text to search for.
	fold(text string) string
}

func (c *catalog) find(_ context.Context, slug string) ([]byte, error) {
	i, err := c.number(slug)
	if err != nil {
		return nil, err
	}
	return c.record(i), nil
}

func (c *catalog) records(_ context.Context, folded string, page Page, yield func([]byte) error) error {
	return c.each(folded, page, func(i int) error { return yield(c.record(i)) })
}

func (c *catalog) revision(context.Context) (string, error) { return c.hash, nil }

// maxFold is the factor by which folding may shorten a text: the Kelvin sign, three bytes, becomes
// a k. TestFoldShortens checks the limit.
const maxFold = 8

func (c *catalog) fold(text string) string {
	if most := maxFold * (c.names.longest + 1); len(text) > most {
		text = text[:most] // even folded it is longer than every name, so it finds nothing either
	}
	return Fold(text)
}

// stored is the view of a Store. It does not pass on texts that no flower can have.
type stored struct {
	store Store
	wait  time.Duration // how long the Store may take at a time
}

// busy returns the cause of a context that ends because the Store takes too long.
func (s stored) busy() error { return fmt.Errorf("no response within %s: %w", s.wait, ErrBusy) }

func (s stored) find(ctx context.Context, slug string) ([]byte, error) {
	if !isText(slug) {
		return nil, ErrNotFound
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.wait, s.busy())
	defer cancel()
	f, err := s.store.Find(ctx, slug)
	if err != nil {
		return nil, fmt.Errorf("find a flower: %w", err)
	}
	return json.Marshal(f)
}

func (s stored) records(ctx context.Context, folded string, page Page, yield func([]byte) error) error {
	switch {
	case !isText(page.After):
		return ErrNotFound
	case !isText(folded):
		return nil
	}
	// The limit is for each flower of the Store, not for the client.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := time.AfterFunc(s.wait, func() { cancel(s.busy()) })
	defer limit.Stop()
	var flower Flower // one for all records, as is the buffer
	var record bytes.Buffer
	encoder := json.NewEncoder(&record)
	each := func(f Flower) error {
		limit.Stop()
		defer limit.Reset(s.wait)
		flower = f
		record.Reset()
		if err := encoder.Encode(&flower); err != nil {
			return err
		}
		return yield(bytes.TrimSuffix(record.Bytes(), []byte{'\n'}))
	}
	if folded == "" {
		return wrap("list flowers", s.store.List(ctx, page, each))
	}
	return wrap("search flowers", s.store.Search(ctx, folded, page, each))
}

func (s stored) revision(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.wait, s.busy())
	defer cancel()
	revision, err := s.store.Revision(ctx)
	return revision, wrap("revision of the flowers", err)
}

func (s stored) fold(text string) string { return Fold(text) }

// isText reports whether text may be a slug or a name.
func isText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}
