package flowercatalog

import (
	"bytes"
	"errors"
	"index/suffixarray"
	"math"
	"runtime"
	"slices"
	"sync"
)

// This file finds the names that contain a text. All folded names are joined to one text. A suffix
// array finds texts that occur rarely in it, a scan finds frequent ones.

// separator ends each name. No UTF-8 text contains this byte, so no match spans two names.
const separator = 0xFF

// names are folded names. They are immutable.
type names struct {
	text    []byte   // each name and its separator
	starts  []uint32 // where each name begins in text, and the length of text
	longest int      // the length of the longest name
	index   *suffixarray.Index
}

// indexedFrom is the number of names from which there is an index. The index takes four times the
// memory of text. For fewer names a scan costs no more than the rest of a request; see
// BenchmarkSearch.
const indexedFrom = 256

// newNames folds the names of flowers, on all processors.
func newNames(flowers []Flower) (*names, error) {
	parts := make([]names, min(runtime.GOMAXPROCS(0), 1+len(flowers)/indexedFrom))
	var folding sync.WaitGroup
	for i := range parts {
		chunk := flowers[i*len(flowers)/len(parts) : (i+1)*len(flowers)/len(parts)]
		folding.Go(func() { parts[i].fold(chunk) })
	}
	folding.Wait()
	n, err := join(parts)
	if err == nil && len(flowers) >= indexedFrom {
		n.index = suffixarray.New(n.text)
	}
	return n, err
}

// fold sets n to the folded names of flowers, without an index.
func (n *names) fold(flowers []Flower) {
	size := 0
	for i := range flowers {
		size += len(flowers[i].Name) + 1
	}
	n.text = make([]byte, 0, size)
	n.starts = make([]uint32, 0, len(flowers))
	var f folder
	for i := range flowers {
		start := len(n.text)
		n.starts = append(n.starts, uint32(start))
		n.text = f.append(n.text, flowers[i].Name)
		n.longest = max(n.longest, len(n.text)-start)
		n.text = append(n.text, separator)
	}
}

// join concatenates parts.
func join(parts []names) (*names, error) {
	size, count := 0, 1
	for i := range parts {
		size += len(parts[i].text)
		count += len(parts[i].starts)
	}
	if uint64(size) > math.MaxUint32 {
		return nil, errors.New("the names are larger than 4 GiB")
	}
	all := &names{text: make([]byte, 0, size), starts: make([]uint32, 0, count)}
	for _, part := range parts {
		for _, start := range part.starts {
			all.starts = append(all.starts, uint32(len(all.text))+start)
		}
		all.text = append(all.text, part.text...)
		all.longest = max(all.longest, part.longest)
	}
	all.starts = append(all.starts, uint32(size))
	return all, nil
}

// search calls yield for each name that contains part, in order, starting with the name at first,
// until yield returns false.
func (n *names) search(part string, first int, yield func(i int) bool) {
	if n.index != nil {
		if hits, ok := n.lookup([]byte(part)); ok {
			n.merge(hits, first, yield)
			return
		}
	}
	n.scan([]byte(part), first, yield)
}

// The index is used for texts with at most mostHits hits, and at most one hit for every rareness
// names: sorting more hits takes longer than a scan.
const (
	mostHits = 1 << 16
	rareness = 16
)

// lookup returns where part occurs, in any order. It reports false if there are too many hits.
func (n *names) lookup(part []byte) (hits []int, ok bool) {
	most := min(mostHits, len(n.starts)/rareness)
	hits = n.index.Lookup(part, most+1)
	return hits, len(hits) <= most
}

// merge yields each name with a hit once.
func (n *names) merge(hits []int, first int, yield func(i int) bool) {
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
func (n *names) scan(part []byte, first int, yield func(i int) bool) {
	begin := n.starts[first]
	for i, end := range n.starts[first+1:] {
		if bytes.Contains(n.text[begin:end], part) && !yield(first+i) {
			return
		}
		begin = end
	}
}

// at returns the number of the name at an offset of the text. It must not be less than low.
func (n *names) at(offset, low int) int {
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
