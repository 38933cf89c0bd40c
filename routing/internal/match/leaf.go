package match

import "example.com/flowercafe/routing/internal/pattern"

// Leaf is one shape of a definition in a table. Its value holds what most requests need of the
// definition, in one cache line.
type Leaf[V any] struct {
	order int64          // by definition, newest highest; then by shape, first highest
	shape *pattern.Shape // nil for the nil Pattern
	older *Leaf[V]       // the next older leaf at the same node or path
	Value V
}

// shapeBits is the size of a shape's rank, below the number of the definition.
const shapeBits = 8

// NoBound is a bound above all leaves.
const NoBound = int64(1) << 62

// Below returns the bound above all definitions older than i.
func Below(i int) int64 { return int64(i+1) << shapeBits }

// number returns the number of the leaf's definition.
func (l *Leaf[V]) number() int { return int(l.order>>shapeBits) - 1 }
