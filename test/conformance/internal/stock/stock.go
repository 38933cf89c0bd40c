// Package stock keeps the values of the nursery's API in memory. Both implementations of the API
// share it, so that the comparison only measures the libraries.
package stock

import (
	"slices"
	"sync"
)

// most is the maximum number of values of a Table. A new value then replaces the oldest.
const most = 1000

// Table holds values by key, in the order in which they were added. The zero Table is empty. It is
// safe for concurrent use.
type Table[K comparable, V any] struct {
	mu     sync.Mutex // guards the fields below
	values map[K]V
	order  []K
}

// Put sets the value of a key, and reports whether the key is new.
func (t *Table[K, V]) Put(key K, value V) (added bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.values == nil {
		t.values = make(map[K]V)
	}
	if _, ok := t.values[key]; !ok {
		if len(t.order) == most {
			delete(t.values, t.order[0])
			t.order = slices.Delete(t.order, 0, 1)
		}
		t.order, added = append(t.order, key), true
	}
	t.values[key] = value
	return added
}

// Get returns the value of a key.
func (t *Table[K, V]) Get(key K) (V, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	value, ok := t.values[key]
	return value, ok
}

// Change replaces the value of a key with the result of f.
func (t *Table[K, V]) Change(key K, f func(*V)) (V, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	value, ok := t.values[key]
	if ok {
		f(&value)
		t.values[key] = value
	}
	return value, ok
}

// Delete removes a key, and reports whether it existed.
func (t *Table[K, V]) Delete(key K) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.values[key]; !ok {
		return false
	}
	delete(t.values, key)
	t.order = slices.DeleteFunc(t.order, func(k K) bool { return k == key })
	return true
}

// List returns at most limit of the values that f accepts, in order, starting at offset, and the
// number of all that f accepts.
func (t *Table[K, V]) List(offset, limit int, f func(V) bool) (page []V, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range t.order {
		if value := t.values[key]; f(value) {
			if total++; total > offset && len(page) < limit {
				page = append(page, value)
			}
		}
	}
	return page, total
}
