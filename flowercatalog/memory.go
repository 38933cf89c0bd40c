package flowercatalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/flowercafe/flowercatalog/internal/names"
)

// This file is the Store in memory: a pointer to an immutable list.

// Memory is a [Store] in memory. A flower takes 60 to 90 bytes, plus two for each byte of its slug
// and six for each byte of its name. The JSON of all flowers must not exceed 4 GiB. Several Apps
// may share a Memory. It is safe for concurrent use.
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
	record, err := l.find(ctx, slug)
	if err != nil {
		return Flower{}, err
	}
	return decode(record), nil
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
	return l.search(ctx, folded, page, func(record []byte) error {
		if _, err := m.within(ctx); err != nil {
			return err
		}
		return each(decode(record))
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

// list is an immutable list of flowers. Each is encoded once, and nothing else of the caller's is
// kept in memory.
type list struct {
	json    []byte            // all flowers as one array
	begins  []uint32          // where each flower begins in json, and the length of json
	numbers map[string]uint32 // of the flowers, by slug
	names   *names.Index

	hash string    // of json
	tag  entityTag // of json
}

// newList checks and encodes flowers.
func newList(flowers []Flower) (*list, error) {
	l := &list{numbers: make(map[string]uint32, len(flowers))}
	for i, f := range flowers {
		if err := CheckFlower(f); err != nil {
			return nil, err
		}
		if _, taken := l.numbers[f.Slug]; taken {
			return nil, fmt.Errorf("flower %q: the slug occurs twice: write another one", f.Slug)
		}
		l.numbers[strings.Clone(f.Slug)] = uint32(i)
	}
	var building errgroup.Group
	building.Go(func() (err error) {
		l.names, err = names.New(len(flowers), func(i int) string { return flowers[i].Name })
		return err
	})
	building.Go(func() error { return l.encode(flowers) })
	return l, building.Wait()
}

func (l *list) encode(flowers []Flower) error {
	size := len("[]")
	for _, f := range flowers {
		size += len(`{"slug":"","name":""},`) + len(f.Slug) + len(f.Name)
	}
	all := array{json: make([]byte, 0, size)} // more only if characters are escaped
	l.begins = make([]uint32, 0, len(flowers)+1)
	for _, f := range flowers {
		l.begins = append(l.begins, uint32(len(all.json)+1))
		all.begin()
		all.json = appendFlower(all.json, f)
		if uint64(len(all.json)) > math.MaxUint32 {
			return errors.New("the catalog is larger than 4 GiB")
		}
	}
	all.close()
	l.json = all.json
	if cap(l.json) > size {
		l.json = bytes.Clone(l.json) // without the room to grow
	}
	l.begins = append(l.begins, uint32(len(l.json)))
	l.hash = string(appendHash(nil, l.json))
	l.tag = query{}.tag(l.hash)
	return nil
}

// record returns the JSON of the flower with that number.
func (l *list) record(i uint32) []byte {
	end := l.begins[i+1] - 1 // before a comma or the bracket
	return l.json[l.begins[i]:end:end]
}

// decode returns the flower of a record.
func decode(record []byte) (f Flower) {
	if err := json.Unmarshal(record, &f); err != nil {
		panic("flowercatalog: decode a record: " + err.Error()) // cannot happen
	}
	return f
}

// find implements [records].
func (l *list) find(_ context.Context, slug string) ([]byte, error) {
	i, ok := l.numbers[slug]
	if !ok {
		return nil, fmt.Errorf("flower %q: %w", slug, ErrNotFound)
	}
	return l.record(i), nil
}

// search implements [records]. Every name contains the empty text.
func (l *list) search(_ context.Context, folded string, page Page, yield func([]byte) error) (err error) {
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
		err = yield(l.record(uint32(i)))
		left--
		return err == nil && left != 0 // without a limit, left starts at 0 and is never 0 again
	}
	if folded != "" {
		l.names.Search(folded, first, next)
		return err
	}
	for i := first; i < len(l.numbers) && next(i); i++ {
	}
	return err
}

func (l *list) revision(context.Context) (string, error) { return l.hash, nil }

func (l *list) fold(text string) string { return l.names.Fold(text) }
