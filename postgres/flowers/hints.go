package flowers

import (
	"context"
	"unicode"
)

// This file chooses the part of a search text that the index searches. The index checks candidates
// under every trigram of the text, so a long text of common words takes 100 ms among a million
// names. Its rarest few letters take 1 ms, and the rest of the text is compared afterwards. Load
// records which trigrams are common. If that is out of date, searches are slower, but still
// correct.

// window is the maximum number of characters that the index searches.
const window = 10

// hints are the common trigrams of a revision.
type hints struct {
	revision string
	common   map[trigram]bool
}

type trigram [3]rune

// at returns the trigram at i, if it has only letters and digits, like those of the index.
func at(text []rune, i int) (t trigram, ok bool) {
	copy(t[:], text[i:i+3])
	for _, r := range t {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return t, false
		}
	}
	return t, true
}

// indexed reports whether a folded text has a trigram, by which the index finds it. Without one, a
// search reads all names.
func indexed(folded string) bool {
	text := []rune(folded)
	for i := range len(text) - 2 {
		if _, ok := at(text, i); ok {
			return true
		}
	}
	return false
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

// rareWeight is the weight of a rare trigram: more than all common ones together.
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

// hints returns the hints for a search. They are read once for each revision.
func (s *Store) searchHints(ctx context.Context) (*hints, error) {
	if h := s.hints.Load(); h != nil {
		return h, nil
	}
	rows, err := query(ctx, s.client.Read, func(values [][]byte) (*hints, error) {
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

// census counts trigrams in a sample of the names.
type census struct {
	names  int
	counts map[trigram]seenIn
}

type seenIn struct{ names, last int }

// One of sample names is counted. A trigram is common if more than one of rareIn names has it.
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

// common returns the common trigrams, concatenated.
func (c *census) common() string {
	var all []rune
	for t, seen := range c.counts {
		if seen.names > c.names/rareIn {
			all = append(all, t[:]...)
		}
	}
	return string(all)
}
