package routing

// lookup is an immutable table with texts for keys, for the two places where the index looks texts up: whole paths and
// segments. A few texts are compared one after the other, more are hashed: by their length and sixteen of their bytes at most,
// which tell the texts of nearly every application apart; only where they don't, a map does.
type lookup[V any] struct {
	slots []entry[V]
	few   bool // the slots are to be compared one after the other
	shift uint8
	rest  map[string]V // used if there are no slots
}

// fewTexts is how many texts are compared in no more time than hashing one takes.
const fewTexts = 3

type entry[V any] struct {
	key   string
	used  bool
	value V
}

// probes is how many slots behind its own a text may be in.
const probes = 4

// newLookup makes the table of all that values has.
func newLookup[V any](values map[string]V) lookup[V] {
	if len(values) == 0 {
		return lookup[V]{}
	}
	if len(values) <= fewTexts {
		t := lookup[V]{few: true}
		for key, value := range values {
			t.slots = append(t.slots, entry[V]{key, true, value})
		}
		return t
	}
	for bits := sizeBits(2 * len(values)); bits <= sizeBits(16*len(values)); bits++ {
		t := lookup[V]{slots: make([]entry[V], 1<<bits+probes), shift: uint8(64 - bits)}
		if t.fill(values) {
			return t
		}
	}
	return lookup[V]{rest: values}
}

// sizeBits returns the binary logarithm of the smallest power of two that is at least n.
func sizeBits(n int) int {
	bits := 0
	for 1<<bits < n {
		bits++
	}
	return bits
}

// fill puts every value into a slot; it reports false if too many fall together.
func (t *lookup[V]) fill(values map[string]V) bool {
	for key, value := range values {
		i := slotOf(key, t.shift)
		for last := i + probes; t.slots[i].used; i++ {
			if i == last {
				return false
			}
		}
		t.slots[i] = entry[V]{key, true, value}
	}
	return true
}

// get returns the value of key, or the zero value.
func (t *lookup[V]) get(key string) (value V) {
	if t.few {
		for i := range t.slots {
			if e := &t.slots[i]; e.key == key {
				return e.value
			}
		}
		return value
	}
	if t.slots == nil {
		if t.rest != nil {
			value = t.rest[key]
		}
		return value
	}
	first := slotOf(key, t.shift)
	for i := first; i <= first+probes; i++ {
		e := &t.slots[i]
		if !e.used {
			break
		}
		if e.key == key {
			return e.value
		}
	}
	return value
}

// slotOf returns the number of the slot of a text.
func slotOf(text string, shift uint8) uint64 {
	const odd, other = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	n := len(text)
	key := uint64(n)
	if n < 8 {
		for i := range n {
			key = key<<8 | uint64(text[i])
		}
		return key * odd >> shift
	}
	key += eight(text, n-8)*odd ^ eight(text, (n-8)/2)*other
	return (key ^ key>>32) * odd >> shift
}

// eight returns eight bytes of text as a number.
func eight(text string, i int) uint64 {
	b := text[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
