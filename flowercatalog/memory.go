package flowercatalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/flowercafe/flowercatalog/internal/names"
)

// This file is the Store in memory: a pointer to an immutable list, which is a Store too.

// Memory is a [Store] in memory. A flower takes 90 to 120 bytes, plus two for each byte of its slug
// and seven for each byte of its name. The JSON of all flowers must not exceed 4 GiB. Several Apps may share a Memory. It is safe for concurrent use.
type Memory struct {
	replacing sync.Mutex // serializes calls of SetFlowers
	current   atomic.Pointer[list]
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
func (m *Memory) SetFlowers(flowers ...Flower) error { return wrap("flowercatalog", m.set(flowers)) }

func (m *Memory) set(flowers []Flower) error {
	m.replacing.Lock()
	defer m.replacing.Unlock()
	l, err := newList(flowers)
	if err == nil {
		m.current.Store(l)
	}
	return err
}

// now returns the current flowers.
func (m *Memory) now() (*list, error) {
	if m.closed.Load() {
		return nil, ErrClosed
	}
	return m.current.Load(), nil
}

// within is now, unless ctx has ended.
func (m *Memory) within(ctx context.Context) (*list, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("flowercatalog: %w", err)
	}
	return m.now()
}

// Find implements [Store].
func (m *Memory) Find(ctx context.Context, slug string) (Flower, error) {
	l, err := m.within(ctx)
	if err != nil {
		return Flower{}, err
	}
	return l.Find(ctx, slug)
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, page Page, each func(Flower) error) error {
	return m.Search(ctx, "", page, each)
}

// Search implements [Store].
func (m *Memory) Search(ctx context.Context, folded string, page Page, each func(Flower) error) error {
	l, err := m.within(ctx)
	if err != nil {
		return err
	}
	return l.Search(ctx, folded, page, func(f Flower) error {
		if _, err := m.within(ctx); err != nil {
			return err
		}
		return each(f)
	})
}

// Revision implements [Store]. It depends on the flowers alone.
func (m *Memory) Revision(ctx context.Context) (string, error) {
	l, err := m.within(ctx)
	if err != nil {
		return "", err
	}
	return l.hash, nil
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

// list is an immutable list of flowers, as a [Store] that never waits: what one request sees of a
// Memory.
type list struct {
	flowers []Flower
	numbers map[string]uint32 // by slug
	names   *names.Index

	json []byte    // all flowers
	hash string    // of json
	tag  entityTag // of json
}

// newList checks and encodes flowers.
func newList(flowers []Flower) (*list, error) {
	l := &list{flowers: copied(flowers), numbers: make(map[string]uint32, len(flowers))}
	for i, f := range l.flowers {
		if err := CheckFlower(f); err != nil {
			return nil, err
		}
		if _, taken := l.numbers[f.Slug]; taken {
			return nil, fmt.Errorf("flower %q: the slug occurs twice: write another one", f.Slug)
		}
		l.numbers[f.Slug] = uint32(i)
	}
	var building errgroup.Group
	building.Go(func() (err error) {
		l.names, err = names.New(len(l.flowers), func(i int) string { return l.flowers[i].Name })
		return err
	})
	building.Go(l.encode)
	return l, building.Wait()
}

// copied returns a copy of flowers with all their text in one place, which is faster to read in
// order, and keeps nothing else of the caller's in memory.
func copied(flowers []Flower) []Flower {
	var all strings.Builder
	for _, f := range flowers {
		all.WriteString(f.Slug)
		all.WriteString(f.Name)
	}
	copies, text := make([]Flower, len(flowers)), all.String()
	for i, f := range flowers {
		middle, end := len(f.Slug), len(f.Slug)+len(f.Name)
		copies[i], text = Flower{text[:middle], text[middle:end]}, text[end:]
	}
	return copies
}

func (l *list) encode() error {
	var all array
	for _, f := range l.flowers {
		if all.add(f); uint64(len(all.json)) > math.MaxUint32 {
			return errors.New("the catalog is larger than 4 GiB")
		}
	}
	all.close()
	l.json = bytes.Clone(all.json) // without the room to grow
	l.hash = string(appendHash(nil, l.json))
	l.tag = query{}.tag(l.hash)
	return nil
}

func (l *list) Find(_ context.Context, slug string) (Flower, error) {
	i, ok := l.numbers[slug]
	if !ok {
		return Flower{}, fmt.Errorf("flower %q: %w", slug, ErrNotFound)
	}
	return l.flowers[i], nil
}

func (l *list) List(ctx context.Context, page Page, each func(Flower) error) error {
	return l.Search(ctx, "", page, each)
}

// Search implements [Store]. Every name contains the empty text.
func (l *list) Search(_ context.Context, folded string, page Page, each func(Flower) error) (err error) {
	if page.Revision != "" && page.Revision != l.hash {
		return ErrChanged
	}
	first := 0
	if page.After != "" {
		i, ok := l.numbers[page.After]
		if !ok {
			return fmt.Errorf("flower %q: %w", page.After, ErrNotFound)
		}
		first = int(i) + 1
	}
	left := page.Limit
	next := func(i int) bool {
		err = each(l.flowers[i])
		left--
		return err == nil && left != 0 // without a limit, left starts at 0 and is never 0 again
	}
	if folded != "" {
		l.names.Search(folded, first, next)
		return err
	}
	for i := first; i < len(l.flowers) && next(i); i++ {
	}
	return err
}

func (l *list) Revision(context.Context) (string, error) { return l.hash, nil }
func (l *list) Ping(context.Context) error               { return nil }
func (l *list) Close() error                             { return nil }
