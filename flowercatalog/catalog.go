package flowercatalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

// This file is one state of the catalog in memory: the flowers as JSON, encoded once, with an index
// of the slugs.

// catalog is an immutable list of flowers. It keeps the flowers as one slice of JSON, without
// pointers, so that a large one costs the garbage collector nothing.
type catalog struct {
	list   []byte   // all flowers as one JSON array
	begins []uint32 // where each flower begins in list, and the length of list

	// slugs is a hash table with open addressing. An entry is the number of a flower plus one, or 0
	// if it is empty. At least a third of the entries is empty.
	slugs []uint32
	seed  maphash.Seed

	names *names

	hash string      // of list
	tag  entityTag   // of the list
	tags []entityTag // of the flowers; nil in a large catalog, which makes them on each request
}

// The record of a flower, as encoding/json writes it.
const (
	beforeSlug = `{"slug":`
	beforeName = `,"name":`
)

// newCatalog checks and encodes flowers.
func newCatalog(flowers []Flower) (*catalog, error) {
	slugs, texts := 0, 0
	for i := range flowers {
		if err := CheckFlower(flowers[i]); err != nil {
			return nil, err
		}
		slugs += len(flowers[i].Slug)
		texts += len(flowers[i].Name)
	}
	c := &catalog{
		list:   make([]byte, 0, slugs+texts+len(flowers)*len(beforeSlug+`""`+beforeName+`""},`)+2),
		begins: make([]uint32, 0, len(flowers)+1),
		slugs:  make([]uint32, len(flowers)+len(flowers)/2+1),
		seed:   maphash.MakeSeed(),
	}
	var building errgroup.Group
	building.Go(func() (err error) {
		c.names, err = newNames(flowers)
		return err
	})
	building.Go(func() error { return c.encode(flowers) })
	if err := building.Wait(); err != nil {
		return nil, err
	}
	return c, nil
}

// encode writes the list, and records where each flower begins.
func (c *catalog) encode(flowers []Flower) error {
	c.list = append(c.list, '[')
	for i, f := range flowers {
		if i > 0 {
			c.list = append(c.list, ',')
		}
		if err := c.add(f); err != nil {
			return fmt.Errorf("flower %q: %w", f.Slug, err)
		}
	}
	c.list = append(c.list, ']')
	c.begins = append(c.begins, uint32(len(c.list)))
	c.hash = string(appendHash(nil, c.list))
	c.tag = query{}.tag(c.hash)
	if len(flowers) >= indexedFrom {
		return nil
	}
	c.tags = make([]entityTag, len(flowers))
	for i := range c.tags {
		c.tags[i] = tagOf(c.run(i, i+1))
	}
	return nil
}

// maxSlug is the maximum length of a slug in bytes. Paths below the base path are limited to 8 KiB
// (routing.WithPathLimit).
const maxSlug = 8<<10 - len("/flowers/")

// CheckFlower returns an error if f cannot be in a catalog: if no URL can reach its slug, or if
// JSON or a database cannot hold its text.
func CheckFlower(f Flower) error {
	switch {
	case f.Slug == "":
		return fmt.Errorf("flower %q has an empty slug: write one, such as \"red-rose\"", f.Name)
	case strings.Contains(f.Slug, "/"):
		return fmt.Errorf("flower %q: the slug must not contain a slash: write a dash", f.Slug)
	case f.Slug == "." || f.Slug == "..":
		return fmt.Errorf("flower %q: clients remove dot segments from URLs: write another slug", f.Slug)
	case strings.Contains(f.Slug, "\x00"):
		return fmt.Errorf("flower %q: servers and proxies refuse URLs with a NUL: leave it out of the slug", f.Slug)
	case len(f.Slug) > maxSlug:
		return fmt.Errorf("flower %q…: the slug has %d bytes, but a URL can reach at most %d: write a shorter one", f.Slug[:20], len(f.Slug), maxSlug)
	case !utf8.ValidString(f.Slug):
		return fmt.Errorf("flower %q: the slug is not UTF-8", f.Slug)
	case !utf8.ValidString(f.Name):
		return fmt.Errorf("flower %q: the name %q is not UTF-8", f.Slug, f.Name)
	case strings.Contains(f.Name, "\x00"):
		return fmt.Errorf("flower %q: databases refuse text with a NUL: leave it out of the name", f.Slug)
	}
	return nil
}

// add appends the flower's record and its slug.
func (c *catalog) add(f Flower) error {
	place, taken := c.place(f.Slug)
	if taken {
		return errors.New("the slug occurs twice: write another one")
	}
	c.begins = append(c.begins, uint32(len(c.list)))
	c.slugs[place] = uint32(len(c.begins))
	c.list = appendRecord(c.list, f)
	if uint64(len(c.list)+2) > math.MaxUint32 {
		return errors.New("the catalog would be larger than 4 GiB")
	}
	return nil
}

// place returns the place of a slug in the hash table, or the place to add it.
func (c *catalog) place(slug string) (place int, taken bool) {
	var room [64]byte
	text := appendText(room[:0], slug)
	// The hash, a fraction of 2³², scaled to the table's length.
	place = int(maphash.String(c.seed, slug) >> 32 * uint64(len(c.slugs)) >> 32)
	for ; c.slugs[place] != 0; place = (place + 1) % len(c.slugs) {
		record := c.list[c.begins[c.slugs[place]-1]+uint32(len(beforeSlug)):]
		// text ends with the closing quotation mark, so a longer slug does not match.
		if bytes.HasPrefix(record, text) {
			return place, true
		}
	}
	return place, false
}

// number returns the number of the flower with exactly that slug.
func (c *catalog) number(slug string) (i int, err error) {
	if utf8.ValidString(slug) { // another one would be encoded as a valid one
		if place, ok := c.place(slug); ok {
			return int(c.slugs[place]) - 1, nil
		}
	}
	return 0, fmt.Errorf("flower %q: %w", slug, ErrNotFound)
}

// each calls yield with the number of each flower of the page whose folded name contains folded.
// Every name contains the empty text.
func (c *catalog) each(folded string, page Page, yield func(i int) error) (err error) {
	if page.Revision != "" && page.Revision != c.hash {
		return ErrChanged
	}
	first := 0
	if page.After != "" {
		if first, err = c.number(page.After); err != nil {
			return err
		}
		first++
	}
	left := page.Limit
	next := func(i int) bool {
		err = yield(i)
		left--
		return err == nil && left != 0 // without a limit, left starts at 0 and is never 0 again
	}
	if folded != "" {
		c.names.search(folded, first, next)
		return err
	}
	for i := first; i < len(c.begins)-1 && next(i); i++ {
	}
	return err
}

// run returns the JSON of the flowers from one number up to another, with commas between them.
func (c *catalog) run(from, to int) []byte {
	return c.list[c.begins[from] : c.begins[to]-1 : c.begins[to]-1]
}

// appendRecord appends a flower as encoding/json writes it, with the special characters of HTML
// escaped.
func appendRecord(b []byte, f Flower) []byte {
	b = append(b, beforeSlug...)
	b = appendText(b, f.Slug)
	b = append(b, beforeName...)
	b = appendText(b, f.Name)
	return append(b, '}')
}

// appendText appends text as encoding/json writes it. Most text needs no escape.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c == '"', c == '\\', c == '<', c == '>', c == '&', c == "\u2028"[0]:
			return appendEscaped(b, text)
		}
	}
	if !utf8.ValidString(text) {
		return appendEscaped(b, text)
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

func appendEscaped(b []byte, text string) []byte {
	escaped, err := json.Marshal(text)
	if err != nil {
		panic("flowercatalog: encode a string: " + err.Error()) // cannot happen
	}
	return append(b, escaped...)
}
