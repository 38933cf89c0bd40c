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

	"example.com/flowercafe/flowercatalog/internal/names"
)

// This file is the Store in memory: a pointer to an immutable list.

// Memory is a [Store] for up to a few million flowers. A million with slugs and names of 20 bytes
// take 200 MB. For more, or several hosts, see package postgres/flowers.
type Memory struct {
	replacing sync.Mutex // serializes calls of SetFlowers
	current   atomic.Pointer[list]
	closed    atomic.Bool
}

// NewMemory returns a Memory with these flowers. It returns an error for flowers that [CheckFlower]
// refuses, and for a slug that occurs twice.
func NewMemory(flowers ...Flower) (*Memory, error) {
	m := new(Memory)
	if err := m.SetFlowers(flowers...); err != nil {
		return nil, err
	}
	return m, nil
}

// SetFlowers replaces all flowers. If it returns an error, as [NewMemory] does, nothing has
// changed.
func (m *Memory) SetFlowers(flowers ...Flower) error {
	m.replacing.Lock()
	defer m.replacing.Unlock()
	l, err := newList(flowers)
	if err != nil {
		return fmt.Errorf("flowercatalog: %w", err)
	}
	m.current.Store(l)
	return nil
}

// load returns the current list.
func (m *Memory) load() *list {
	l := m.current.Load()
	if l == nil {
		l, _ = newList(nil) // an empty list has no invalid flower
	}
	return l
}

// snapshot returns a Memory whose flowers are the current ones and never change. A closed Memory
// returns itself.
func (m *Memory) snapshot() *Memory {
	if m.closed.Load() {
		return m
	}
	return m.load().snapshot
}

// Find implements [Store].
func (m *Memory) Find(ctx context.Context, slug string) (Flower, error) {
	record, err := m.find(ctx, slug)
	if err != nil {
		return Flower{}, err
	}
	return decode(record), nil
}

// find is Find for the JSON.
func (m *Memory) find(ctx context.Context, slug string) ([]byte, error) {
	if err := m.Ping(ctx); err != nil {
		return nil, err
	}
	l := m.load()
	i, ok := l.indexes[slug]
	if !ok {
		return nil, fmt.Errorf("flower %q: %w", slug, ErrNotFound)
	}
	return l.record(int(i)), nil
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, page Page, each func(Flower) error) error {
	return m.Search(ctx, "", page, each)
}

// Search implements [Store].
func (m *Memory) Search(ctx context.Context, folded string, page Page, each func(Flower) error) error {
	return m.search(ctx, folded, page, func(record []byte) error { return each(decode(record)) })
}

// search is Search for the JSON.
func (m *Memory) search(ctx context.Context, folded string, page Page, each func([]byte) error) error {
	err := m.Ping(ctx)
	if err != nil {
		return err
	}
	l := m.load()
	if page.Revision != "" && page.Revision != l.hash {
		return ErrChanged
	}
	first := 0
	if page.After != "" {
		i, ok := l.indexes[page.After]
		if !ok {
			return fmt.Errorf("flower %q: %w", page.After, ErrNotFound)
		}
		first = int(i) + 1
	}
	left := page.Limit
	next := func(i int) bool {
		if err = m.Ping(ctx); err == nil {
			err = each(l.record(i))
		}
		left--
		return err == nil && left != 0 // without a limit, left starts at 0 and is never 0 again
	}
	l.names.Search(folded, first, next)
	return err
}

// Revision implements [Store].
func (m *Memory) Revision(ctx context.Context) (string, error) {
	return m.load().hash, m.Ping(ctx)
}

// Ping implements [Store].
func (m *Memory) Ping(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("flowercatalog: %w", context.Cause(ctx))
	case m.closed.Load():
		return ErrClosed
	}
	return nil
}

// Close implements [Store].
func (m *Memory) Close() error {
	m.closed.Store(true)
	return nil
}

// list is an immutable list of flowers. Each flower is encoded once. The list does not refer to the
// caller's memory.
type list struct {
	json     []byte            // all flowers as an array
	offsets  []uint32          // where each flower begins in json, and the length of json
	indexes  map[string]uint32 // of the flowers, by slug
	names    *names.Index
	hash     string    // of json
	tag      entityTag // of json
	snapshot *Memory   // a Memory whose current list is this one
}

// newList checks and encodes flowers.
func newList(flowers []Flower) (l *list, err error) {
	l = &list{offsets: make([]uint32, 0, len(flowers)+1), indexes: make(map[string]uint32, len(flowers)), snapshot: new(Memory)}
	l.snapshot.current.Store(l)
	size := len("[]")
	for i, f := range flowers {
		if err := CheckFlower(f); err != nil {
			return nil, err
		}
		if _, taken := l.indexes[f.Slug]; taken {
			return nil, fmt.Errorf("flower %q: the slug occurs twice: write another one", f.Slug)
		}
		l.indexes[strings.Clone(f.Slug)] = uint32(i)
		size += len(`{"slug":"","name":""},`) + len(f.Slug) + len(f.Name)
	}
	all := array{json: make([]byte, 0, size)} // more only if characters are escaped
	for _, f := range flowers {
		all.begin()
		l.offsets = append(l.offsets, uint32(len(all.json)))
		all.json = appendFlower(all.json, f)
	}
	all.close()
	if uint64(len(all.json)) > math.MaxUint32 {
		return nil, errors.New("the catalog is larger than 4 GiB")
	}
	if l.json = all.json; cap(l.json) > size {
		l.json = bytes.Clone(l.json) // without spare capacity
	}
	l.offsets = append(l.offsets, uint32(len(l.json)))
	l.hash = string(appendHash(nil, l.json))
	l.tag = query{}.tag(l.hash)
	l.names, err = names.New(len(flowers), func(i int) string { return flowers[i].Name })
	return l, err
}

// record returns the JSON of the flower with that index.
func (l *list) record(i int) []byte {
	end := l.offsets[i+1] - 1 // before a comma or the bracket
	return l.json[l.offsets[i]:end:end]
}

// decode returns the flower of a record of this package.
func decode(record []byte) (f Flower) {
	json.Unmarshal(record, &f)
	return f
}
