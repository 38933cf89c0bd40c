package routing

import "slices"

// staticTable finds the patterns without parameters by the whole path. The hash is of the path's length and of sixteen of its bytes
// at most, which tell the paths of nearly every application apart; only where they don't, a map does.
type staticTable struct {
	building map[string][]*leaf // newest first once finished
	slots    []staticSlot
	shift    uint8
	lengths  [4]uint64 // a bit for each length of a path here; the longest share one
	crowded  bool      // the map is used
}

type staticSlot struct {
	path   string
	leaves []*leaf
}

// probes is how many slots a path may be away from its own.
const probes = 4

func (t *staticTable) add(l *leaf) {
	if t.building == nil {
		t.building = make(map[string][]*leaf)
	}
	path := l.shape.text
	t.building[path] = append(t.building[path], l)
	n := lengthBit(path)
	t.lengths[n/64] |= 1 << (n % 64)
}

func (t *staticTable) finish() {
	for _, leaves := range t.building {
		slices.SortFunc(leaves, newestFirst)
	}
	if len(t.building) == 0 {
		return
	}
	bits := sizeBits(2 * len(t.building))
	t.shift = uint8(64 - bits)
	t.slots = make([]staticSlot, 1<<bits+probes)
	for path, leaves := range t.building {
		if !t.place(staticSlot{path, leaves}) {
			t.crowded, t.slots = true, nil
			return
		}
	}
	t.building = nil
}

func (t *staticTable) place(s staticSlot) bool {
	first := t.slot(s.path)
	for i := first; i < first+probes; i++ {
		if t.slots[i].leaves == nil {
			t.slots[i] = s
			return true
		}
	}
	return false
}

// get returns the leaves of the patterns that are path itself, newest first.
func (t *staticTable) get(path string) []*leaf {
	if n := lengthBit(path); t.lengths[n/64]>>(n%64)&1 == 0 {
		return nil
	}
	if t.crowded {
		return t.building[path]
	}
	first := t.slot(path)
	for i := range t.slots[first : first+probes] {
		s := &t.slots[first+uint64(i)]
		if s.path == path {
			return s.leaves
		}
		if s.leaves == nil {
			break
		}
	}
	return nil
}

func lengthBit(path string) uint { return uint(min(len(path), 255)) }

// slot returns the number of path's own slot.
func (t *staticTable) slot(path string) uint64 {
	const odd, other = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	n := len(path)
	key := uint64(n)
	if n < 8 {
		for i := range n {
			key = key<<8 | uint64(path[i])
		}
		return key * odd >> t.shift
	}
	key += eight(path, n-8)*odd ^ eight(path, (n-8)/2)*other
	return (key ^ key>>32) * odd >> t.shift
}

// eight returns eight bytes of text as a number.
func eight(text string, i int) uint64 {
	b := text[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
