// Package names finds the names that contain a text. All folded names are joined to one text. A
// suffix array finds texts that occur rarely in it, a scan finds frequent ones.
package names

import (
	"bytes"
	"errors"
	"index/suffixarray"
	"math"
	"slices"
	"strings"

	"example.com/flowercafe/flowercatalog/internal/fold"
)

// separator ends each name. No name contains it, and it combines with no character.
const separator = "\x00"

// Index has folded names. It is immutable.
type Index struct {
	text    []byte   // each name and its separator
	starts  []uint32 // where each name begins in text, and the length of text
	longest int      // the length of the longest folded name
	index   *suffixarray.Index
}

// indexedFrom is the number of names from which there is an index. The index takes four times the
// memory of text. For fewer names a scan costs no more than the rest of a request; see
// BenchmarkSearch of flowercatalog.
const indexedFrom = 256

// New folds count names. No name may contain NUL.
func New(count int, name func(i int) string) (*Index, error) {
	n := &Index{starts: make([]uint32, 1, count+1)}
	for i := range count {
		folded := fold.Text(name(i))
		n.longest = max(n.longest, len(folded))
		n.text = append(append(n.text, folded...), separator...)
		n.starts = append(n.starts, uint32(len(n.text)))
	}
	if uint64(len(n.text)) > math.MaxUint32 {
		return nil, errors.New("the names are larger than 4 GiB")
	}
	n.text = bytes.Clone(n.text) // without spare capacity
	if count >= indexedFrom {
		n.index = suffixarray.New(n.text)
	}
	return n, nil
}

// The index is used for texts with at most maxHits hits, and at most one hit for each 16 names:
// sorting more hits takes longer than a scan.
const (
	maxHits  = 1 << 16
	rareness = 16
)

// maxFold is above the factor by which folding shortens any text: the Kelvin sign, three bytes,
// becomes a k. TestFoldShortens checks it.
const maxFold = 8

// Fold folds a text to search for. Of a long text it folds only enough to be longer than every
// name.
func (n *Index) Fold(text string) string {
	if most := maxFold * (n.longest + 1); len(text) > most {
		text = text[:most] // even folded it is longer than every name, so it finds nothing either
	}
	return fold.Text(text)
}

// Search calls yield for each name that contains part, which is folded, in order, starting with the
// name at first, until yield returns false. Every name contains the empty text.
func (n *Index) Search(part string, first int, yield func(i int) bool) {
	if strings.Contains(part, separator) {
		return
	}
	if n.index != nil && part != "" {
		most := min(maxHits, len(n.starts)/rareness)
		if hits := n.index.Lookup([]byte(part), most+1); len(hits) <= most {
			n.merge(hits, first, yield)
			return
		}
	}
	n.scan([]byte(part), first, yield)
}

// merge yields each name with a hit once.
func (n *Index) merge(hits []int, first int, yield func(i int) bool) {
	slices.Sort(hits)
	i := first
	for _, hit := range hits {
		if hit < int(n.starts[i]) {
			continue // in a name before first, or in the name that was just yielded
		}
		i = n.at(hit, i)
		if !yield(i) {
			return
		}
		i++
	}
}

// scan searches each name separately: package bytes is fastest for short slices.
func (n *Index) scan(part []byte, first int, yield func(i int) bool) {
	begin := n.starts[first]
	for i, end := range n.starts[first+1:] {
		if bytes.Contains(n.text[begin:end], part) && !yield(first+i) {
			return
		}
		begin = end
	}
}

// at returns the number of the name at an offset of the text. It must not be less than low.
func (n *Index) at(offset, low int) int {
	step := 1 // the name is usually near
	for low+step < len(n.starts) && int(n.starts[low+step]) <= offset {
		low, step = low+step, 2*step
	}
	i, found := slices.BinarySearch(n.starts[low:min(low+step, len(n.starts))], uint32(offset))
	if !found {
		i-- // the name that begins before offset
	}
	return low + i
}
