package urlencoded

import "sync/atomic"

// Short is the maximum length of texts that are always searched: that takes less time than an
// index, which allocates.
const Short = 256

// Index makes many lookups in one text take linear time: the first lookup searches the text, the
// second parses it, and later calls read the parsed values.
//
// The zero Index is ready for use. It is safe for concurrent use, and begins again if the text
// changes. A nil Index always searches.
type Index struct {
	last atomic.Pointer[Fields] // immutable; without values after the first lookup
}

// NewIndex returns an index for lookups in text, or nil if text is not longer than [Short].
func NewIndex(text string) *Index {
	if len(text) <= Short {
		return nil
	}
	return new(Index)
}

// Fields returns the fields of text, for a lookup.
func (in *Index) Fields(text string) Fields {
	if in == nil || len(text) <= Short {
		return Of(text)
	}
	last := in.last.Load()
	switch {
	case last == nil || last.text != text:
		last = &Fields{text: text}
	case last.values == nil:
		last = &Fields{text, Parse(text)}
	default:
		return *last
	}
	in.last.Store(last)
	return *last
}
