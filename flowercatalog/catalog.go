package flowercatalog

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"example.com/flowercafe/flowercatalog/internal/postings"
)

// This file is the catalog without HTTP: the flowers as JSON, encoded once, and how they are found.

// catalog is an immutable list of flowers.
type catalog struct {
	list    []byte   // all flowers as one JSON array
	records []uint32 // where each flower begins in list, and where one more would
	bySlug  map[string]uint32
	tag     string // the list's ETag

	names *postings.Texts // folded
	index *postings.Index // nil for a catalog that is scanned
}

// indexedFrom is the size from which a catalog is searched by its index. Below, scanning the names takes less time than a
// request does otherwise, and the index would only cost memory.
const indexedFrom = 4096

// newCatalog checks and encodes flowers.
func newCatalog(flowers []Flower) (*catalog, error) {
	c := &catalog{
		list:    []byte{'['},
		records: make([]uint32, 0, len(flowers)+1),
		bySlug:  make(map[string]uint32, len(flowers)),
		names:   new(postings.Texts),
	}
	for i, f := range flowers {
		if err := checkFlower(f); err != nil {
			return nil, err
		}
		if _, taken := c.bySlug[f.Slug]; taken {
			return nil, fmt.Errorf("flower %q: the slug is there twice: write another one", f.Slug)
		}
		c.bySlug[f.Slug] = uint32(i)
		record, err := json.Marshal(f)
		if err != nil {
			return nil, fmt.Errorf("flower %q: encode: %w", f.Slug, err)
		}
		c.records = append(c.records, uint32(len(c.list)))
		c.list = append(c.list, record...)
		c.list = append(c.list, ',')
		if len(c.list) > math.MaxUint32 {
			return nil, fmt.Errorf("flower %q: the catalog is larger than 4 GiB", f.Slug)
		}
		if err := c.names.Append(fold(f.Name)); err != nil {
			return nil, fmt.Errorf("flower %q: name: %w", f.Slug, err)
		}
	}
	if len(flowers) == 0 {
		c.list = append(c.list, ',')
	}
	c.list[len(c.list)-1] = ']'
	c.records = append(c.records, uint32(len(c.list)))
	c.tag = tagOf(c.list)
	if len(flowers) >= indexedFrom {
		c.index = postings.NewIndex(c.names)
	}
	return c, nil
}

// checkFlower refuses slugs that no URL reaches, and text that JSON cannot hold.
func checkFlower(f Flower) error {
	switch {
	case f.Slug == "":
		return fmt.Errorf("flower %q has an empty slug: write one, such as \"red-rose\"", f.Name)
	case strings.Contains(f.Slug, "/"):
		return fmt.Errorf("flower %q: a slug with a slash is not reached by any URL: write a dash", f.Slug)
	case f.Slug == "." || f.Slug == "..":
		return fmt.Errorf("flower %q: clients remove dot segments from URLs: write another slug", f.Slug)
	case !utf8.ValidString(f.Slug):
		return fmt.Errorf("flower %q: the slug is not UTF-8", f.Slug)
	case !utf8.ValidString(f.Name):
		return fmt.Errorf("flower %q: the name %q is not UTF-8", f.Slug, f.Name)
	}
	return nil
}

// flower returns the JSON of the flower with exactly that slug.
func (c *catalog) flower(slug string) ([]byte, bool) {
	i, ok := c.bySlug[slug]
	if !ok {
		return nil, false
	}
	return c.run(int(i), int(i)+1), true
}

// run returns the JSON of neighbouring flowers, with commas between them.
func (c *catalog) run(from, to int) []byte {
	return c.list[c.records[from] : c.records[to]-1]
}

// search calls yield with the JSON of the flowers whose folded name contains sought, in catalog order and as long runs of neighbours as
// there are, until yield returns false.
func (c *catalog) search(sought string, yield func(run []byte) bool) {
	find := c.names.Scan
	if c.index != nil {
		find = c.index.Search
	}
	find(sought, func(from, to int) bool { return yield(c.run(from, to)) })
}

// searchTag returns the ETag of a search: it depends on what the catalog holds and what is sought, and so is known before the
// search.
func (c *catalog) searchTag(sought string) string {
	return tagOf([]byte(c.tag + sought))
}

// tagOf returns the ETag of content (RFC 9110, 8.8.3), a strong one.
func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}
