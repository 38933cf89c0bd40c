package flowercatalog

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
)

// Memory is a [Store] in memory. A flower takes 60 to 90 bytes, plus two for each byte of its slug
// and six for each byte of its name. The JSON of all flowers must not exceed 4 GiB. Several Apps
// may share a Memory. It is safe for concurrent use.
type Memory struct {
	replacing sync.Mutex // serializes calls of SetFlowers
	current   atomic.Pointer[catalog]
	closed    atomic.Bool
}

// NewMemory returns a Store with copies of these flowers. It returns an error for the flowers that
// [WithFlowers] refuses.
func NewMemory(flowers ...Flower) (*Memory, error) {
	m := new(Memory)
	if err := m.SetFlowers(flowers...); err != nil {
		return nil, err
	}
	return m, nil
}

// SetFlowers replaces all flowers. The new list is built beside the old one and then replaces it,
// so it needs the memory of both for a moment. Calls in progress keep the old list. It returns an
// error for the flowers that [WithFlowers] refuses, and then changes nothing.
func (m *Memory) SetFlowers(flowers ...Flower) error {
	return wrap("flowercatalog", m.set(flowers))
}

func (m *Memory) set(flowers []Flower) error {
	m.replacing.Lock()
	defer m.replacing.Unlock()
	c, err := newCatalog(flowers)
	if err == nil {
		m.current.Store(c)
	}
	return err
}

// now returns the current flowers.
func (m *Memory) now() (*catalog, error) {
	if m.closed.Load() {
		return nil, ErrClosed
	}
	return m.current.Load(), nil
}

// within is now, unless ctx has ended.
func (m *Memory) within(ctx context.Context) (*catalog, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("flowercatalog: %w", err)
	}
	return m.now()
}

// Find implements [Store].
func (m *Memory) Find(ctx context.Context, slug string) (Flower, error) {
	c, err := m.within(ctx)
	if err != nil {
		return Flower{}, err
	}
	record, err := c.find(ctx, slug)
	if err != nil {
		return Flower{}, err
	}
	return decode(record), nil
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, page Page, each func(Flower) error) error {
	return m.each(ctx, "", page, each)
}

// Search implements [Store].
func (m *Memory) Search(ctx context.Context, folded string, page Page, each func(Flower) error) error {
	return m.each(ctx, folded, page, each)
}

func (m *Memory) each(ctx context.Context, folded string, page Page, each func(Flower) error) error {
	c, err := m.within(ctx)
	if err != nil {
		return err
	}
	return c.each(folded, page, func(i int) error {
		if _, err := m.within(ctx); err != nil {
			return err
		}
		return each(decode(c.record(i)))
	})
}

// Revision implements [Store]. It depends on the flowers alone.
func (m *Memory) Revision(ctx context.Context) (string, error) {
	c, err := m.within(ctx)
	if err != nil {
		return "", err
	}
	return c.hash, nil
}

// Ping implements [Store].
func (m *Memory) Ping(ctx context.Context) error {
	_, err := m.within(ctx)
	return err
}

// Close implements [Store].
func (m *Memory) Close() error {
	m.closed.Store(true)
	return nil
}

// decode returns the flower of a record that the catalog encoded.
func decode(record []byte) (f Flower) {
	if err := json.Unmarshal(record, &f); err != nil {
		panic("flowercatalog: decode a record: " + err.Error()) // cannot happen
	}
	return f
}
