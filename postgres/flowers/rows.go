package flowers

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"iter"
	"sync/atomic"

	"example.com/flowercafe/flowercatalog"
)

// This file passes flowers to COPY.

// rows checks flowers while they are copied, and computes their revision: a hash of all slugs and
// names in order.
type rows struct {
	pull     func() (flowercatalog.Flower, error, bool)
	stop     func()
	position int64
	err      error
	hash     hash.Hash
	buffer   []byte

	pulled  atomic.Int64 // flowers so far
	pulling atomic.Bool  // the sequence, and not the server, is waited for
}

func newRows(flowers iter.Seq2[flowercatalog.Flower, error]) *rows {
	r := &rows{hash: sha256.New()}
	r.pull, r.stop = iter.Pull2(flowers)
	return r
}

// progress returns the number of flowers so far, and whether the server is waited for.
func (r *rows) progress() (int64, bool) { return r.pulled.Load(), !r.pulling.Load() }

// next returns the next row, and nil after the last one.
func (r *rows) next() (row []any, err error) {
	r.pulling.Store(true)
	f, err, ok := r.pull()
	r.pulling.Store(false)
	r.pulled.Add(1)
	if !ok {
		return nil, nil
	}
	if err == nil {
		err = flowercatalog.CheckFlower(f)
	}
	if err == nil && len(f.Slug) > LongestSlug {
		err = fmt.Errorf("flower %q…: the slug has %d bytes: write one of at most %d", f.Slug[:20], len(f.Slug), LongestSlug)
	}
	if err != nil {
		r.err = err
		return nil, err
	}
	r.position++
	r.buffer = r.buffer[:0]
	for _, text := range []string{f.Slug, f.Name} {
		r.buffer = binary.AppendUvarint(r.buffer, uint64(len(text)))
		r.buffer = append(r.buffer, text...)
	}
	r.hash.Write(r.buffer)
	return []any{r.position, f.Slug, f.Name, flowercatalog.Fold(f.Name)}, nil
}

// revision returns the hash as text. Different lists have different revisions.
func (r *rows) revision() string {
	return base64.RawURLEncoding.EncodeToString(r.hash.Sum(nil)[:16])
}
