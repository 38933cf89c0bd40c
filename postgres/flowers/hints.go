package flowers

import (
	"context"
	"unicode"
)

// This file chooses by which part of a text the index is asked. It looks each candidate up under
// every trigram of the text, so a long text of words that most names have takes 100 ms among a
// million names, where its rarest few letters take one. The rest of the text is compared
// afterwards. Load notes which trigrams are common; a note that is out of date costs time, and
// never a wrong result.

// window is how many characters the index is asked for at most.
const window = 10

// hints are the common trigrams of a revision.
type hints struct {
	revision string
	common   map[trigram]bool
}

type trigram [3]rune

// at returns the trigram at i, if it is of letters and digits alone, as those of the index are.
func at(text []rune, i int) (t trigram, ok bool) {
	copy(t[:], text[i:i+3])
	for _, r := range t {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return t, false
		}
	}
	return t, true
}

// rarest returns the part of a folded text with the most rare trigrams, or the whole text.
func (h *hints) rarest(folded string) string {
	text := []rune(folded)
	if len(text) <= window {
		return folded
	}
	best, most := 0, 0
	for begin := range len(text) - window + 1 {
		if score := h.score(text[begin : begin+window]); score > most {
			best, most = begin, score
		}
	}
	if most < rareWeight {
		return folded
	}
	return string(text[best : best+window])
}

// rareWeight is how many common trigrams a rare one is worth: more than there are.
const rareWeight = window

func (h *hints) score(part []rune) (score int) {
	seen := make(map[trigram]bool, window)
	for i := range len(part) - 2 {
		t, ok := at(part, i)
		switch {
		case !ok || seen[t]:
			continue
		case h.common[t]:
			score++
		default:
			score += rareWeight
		}
		seen[t] = true
	}
	return score
}

// hints returns the hints for a search; they are read once for each revision.
func (s *Store) searchHints(ctx context.Context) (*hints, error) {
	if h := s.hints.Load(); h != nil {
		return h, nil
	}
	rows, err := query(ctx, s.pool, func(values [][]byte) (*hints, error) {
		h := &hints{revision: string(values[0]), common: make(map[trigram]bool)}
		common := []rune(string(values[1]))
		for i := 0; i+3 <= len(common); i += 3 {
			h.common[trigram(common[i:i+3])] = true
		}
		return h, nil
	}, `SELECT revision, common FROM flower_revision`)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNotLoaded
	}
	s.hints.Store(rows[0])
	return rows[0], nil
}

// census counts trigrams in a part of the names.
type census struct {
	names  int
	counts map[trigram]seenIn
}

type seenIn struct{ names, last int }

// sample is of how many names one is counted; a trigram is common if more than one in rareIn has
// it.
const (
	sample = 16
	rareIn = 50
)

func (c *census) add(folded string) {
	c.names++
	text := []rune(folded)
	for i := range len(text) - 2 {
		t, ok := at(text, i)
		if seen := c.counts[t]; ok && seen.last != c.names {
			c.counts[t] = seenIn{seen.names + 1, c.names}
		}
	}
}

// common returns the common trigrams, one behind the other.
func (c *census) common() string {
	var all []rune
	for t, seen := range c.counts {
		if seen.names > c.names/rareIn {
			all = append(all, t[:]...)
		}
	}
	return string(all)
}
