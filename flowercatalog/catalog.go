package flowercatalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

// This file is one state of the catalog in memory: the flowers as JSON, encoded once, with an index
// of the slugs.

// catalog is an immutable list of flowers.
type catalog struct {
	list    []byte            // all flowers as one JSON array
	begins  []uint32          // where each flower begins in list, and the length of list
	numbers map[string]uint32 // of the flowers, by their slugs
	names   *names

	hash string    // of list
	tag  entityTag // of list
}

// newCatalog checks and encodes flowers.
func newCatalog(flowers []Flower) (*catalog, error) {
	c := &catalog{begins: make([]uint32, 0, len(flowers)+1), numbers: make(map[string]uint32)}
	for i, f := range flowers {
		if err := CheckFlower(f); err != nil {
			return nil, err
		}
		if _, taken := c.numbers[f.Slug]; taken {
			return nil, fmt.Errorf("flower %q: the slug occurs twice: write another one", f.Slug)
		}
		c.numbers[f.Slug] = uint32(i)
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
	list := bytes.NewBufferString("[")
	records := json.NewEncoder(list)
	for i := range flowers {
		c.begins = append(c.begins, uint32(list.Len()))
		if err := records.Encode(&flowers[i]); err != nil {
			return fmt.Errorf("flower %q: %w", flowers[i].Slug, err)
		}
		list.Bytes()[list.Len()-1] = ',' // in place of the line break
		if uint64(list.Len()) > math.MaxUint32 {
			return errors.New("the catalog is larger than 4 GiB")
		}
	}
	if len(flowers) > 0 {
		list.Truncate(list.Len() - 1)
	}
	list.WriteByte(']')
	c.list = bytes.Clone(list.Bytes()) // without the room to grow
	c.begins = append(c.begins, uint32(len(c.list)))
	c.hash = string(appendHash(nil, c.list))
	c.tag = query{}.tag(c.hash)
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

// number returns the number of the flower with exactly that slug.
func (c *catalog) number(slug string) (int, error) {
	i, ok := c.numbers[slug]
	if !ok {
		return 0, fmt.Errorf("flower %q: %w", slug, ErrNotFound)
	}
	return int(i), nil
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

// record returns the JSON of the flower with that number.
func (c *catalog) record(i int) []byte {
	end := c.begins[i+1] - 1
	return c.list[c.begins[i]:end:end]
}
