package stock

import "sync/atomic"

// Plants is the number of plants on a full Shelf.
const Plants = 40_000

// Shelf counts the plants that orders have taken. The zero Shelf is full. It is safe for concurrent
// use.
type Shelf struct{ taken atomic.Int64 }

// Take takes plants. If there are too few, it takes nothing and reports false.
func (s *Shelf) Take(count int64) bool {
	if s.taken.Add(count) <= Plants {
		return true
	}
	s.taken.Add(-count)
	return false
}

// Return brings plants back.
func (s *Shelf) Return(count int64) { s.taken.Add(-count) }
