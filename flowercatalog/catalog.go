package flowercatalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

// This file is the catalog without HTTP: the flowers as JSON, encoded once, and how one is found by its slug.

// catalog is an immutable list of flowers. It keeps nothing of the flowers it was made of but one slice of JSON, so that a large one
// costs the garbage collector nothing.
type catalog struct {
	list    []byte   // all flowers as one JSON array
	records []uint32 // where each flower begins in list, and where one more would

	// slugs is a hash table with open addressing: one more than the number of a flower, 0 for none, next to where its slug's hash
	// points. At least a third of it is empty.
	slugs []uint32
	seed  maphash.Seed

	names *names

	tag  entityTag   // the list's
	tags []entityTag // of the flowers; a large catalog makes them when they are asked for

	arrays sync.Pool // of *array, for searches
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
		if err := checkFlower(flowers[i]); err != nil {
			return nil, err
		}
		slugs += len(flowers[i].Slug)
		texts += len(flowers[i].Name)
	}
	c := &catalog{
		list:    make([]byte, 0, slugs+texts+len(flowers)*len(beforeSlug+`""`+beforeName+`""},`)+2),
		records: make([]uint32, 0, len(flowers)+1),
		slugs:   make([]uint32, len(flowers)+len(flowers)/2+1),
		seed:    maphash.MakeSeed(),
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

// encode writes the list, and keeps where each flower is in it.
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
	c.records = append(c.records, uint32(len(c.list)))
	c.tag = tagOf(c.list)
	if len(flowers) >= indexedFrom {
		return nil
	}
	c.tags = make([]entityTag, len(flowers))
	for i := range c.tags {
		c.tags[i] = tagOf(c.run(i, i+1))
	}
	return nil
}

// maxSlug is the longest slug that a URL reaches: paths below the base path end at 8 KiB (routing.WithPathLimit).
const maxSlug = 8<<10 - len("/flowers/")

// checkFlower refuses slugs that no URL reaches, and text that JSON cannot hold.
func checkFlower(f Flower) error {
	switch {
	case f.Slug == "":
		return fmt.Errorf("flower %q has an empty slug: write one, such as \"red-rose\"", f.Name)
	case strings.Contains(f.Slug, "/"):
		return fmt.Errorf("flower %q: a slug with a slash is not reached by any URL: write a dash", f.Slug)
	case f.Slug == "." || f.Slug == "..":
		return fmt.Errorf("flower %q: clients remove dot segments from URLs: write another slug", f.Slug)
	case strings.Contains(f.Slug, "\x00"):
		return fmt.Errorf("flower %q: servers and proxies refuse URLs with a NUL: leave it out of the slug", f.Slug)
	case len(f.Slug) > maxSlug:
		return fmt.Errorf("flower %q…: a slug of %d bytes is not reached by any URL: write one of at most %d", f.Slug[:20], len(f.Slug), maxSlug)
	case !utf8.ValidString(f.Slug):
		return fmt.Errorf("flower %q: the slug is not UTF-8", f.Slug)
	case !utf8.ValidString(f.Name):
		return fmt.Errorf("flower %q: the name %q is not UTF-8", f.Slug, f.Name)
	}
	return nil
}

// add appends the flower's record and its slug.
func (c *catalog) add(f Flower) error {
	place, taken := c.place(f.Slug)
	if taken {
		return errors.New("the slug is there twice: write another one")
	}
	c.records = append(c.records, uint32(len(c.list)))
	c.slugs[place] = uint32(len(c.records))
	c.list = appendRecord(c.list, f)
	if uint64(len(c.list)+2) > math.MaxUint32 {
		return errors.New("the catalog is larger than 4 GiB with it")
	}
	return nil
}

// place returns where in the hash table the flower of a slug is, or where it would be.
func (c *catalog) place(slug string) (place int, taken bool) {
	var room [64]byte
	text := appendText(room[:0], slug)
	// The hash, a fraction of 2³², scaled to the table's length.
	place = int(maphash.String(c.seed, slug) >> 32 * uint64(len(c.slugs)) >> 32)
	for ; c.slugs[place] != 0; place = (place + 1) % len(c.slugs) {
		record := c.list[c.records[c.slugs[place]-1]+uint32(len(beforeSlug)):]
		// The text ends with a quotation mark, and a longer slug goes on where it has its own.
		if bytes.HasPrefix(record, text) {
			return place, true
		}
	}
	return place, false
}

// flower returns the JSON of the flower with exactly that slug, and its tag.
func (c *catalog) flower(slug string) (body []byte, tag entityTag, ok bool) {
	if !utf8.ValidString(slug) { // which would be encoded as another one
		return nil, nil, false
	}
	place, ok := c.place(slug)
	if !ok {
		return nil, nil, false
	}
	i := int(c.slugs[place]) - 1
	body = c.run(i, i+1)
	if c.tags != nil {
		return body, c.tags[i], true
	}
	return body, tagOf(body), true
}

// run returns the JSON of neighbouring flowers, with commas between them.
func (c *catalog) run(from, to int) []byte {
	return c.list[c.records[from] : c.records[to]-1 : c.records[to]-1]
}

// appendRecord appends a flower as encoding/json writes it, with what HTML gives a meaning to escaped.
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
		panic("flowercatalog: a string was not encoded: " + err.Error()) // there is none that cannot be
	}
	return append(b, escaped...)
}
