package flowers

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/flowercatalog"
)

// This file passes flowers to COPY.

// rows checks flowers on their way, and computes their revision: a hash of all slugs and names in
// order.
type rows struct {
	pull     func() (flowercatalog.Flower, error, bool)
	stop     func()
	silent   *time.Timer // runs while the server, and not the sequence, is waited for
	wait     time.Duration
	position int64
	flower   flowercatalog.Flower
	folded   string
	err      error
	hash     hash.Hash
	buffer   []byte
}

var _ pgx.CopyFromSource = (*rows)(nil)

// newRows returns the rows of flowers. It calls silent if the server does not take a row for wait.
func newRows(flowers iter.Seq2[flowercatalog.Flower, error], wait time.Duration, silent func()) *rows {
	r := &rows{hash: sha256.New(), wait: wait, silent: time.AfterFunc(wait, silent)}
	r.pull, r.stop = iter.Pull2(flowers)
	return r
}

func (r *rows) Next() bool {
	r.silent.Stop()
	f, err, ok := r.pull()
	r.silent.Reset(r.wait)
	if !ok {
		return false
	}
	if err == nil {
		err = flowercatalog.CheckFlower(f)
	}
	if err == nil && len(f.Slug) > LongestSlug {
		err = fmt.Errorf("flower %q…: the slug has %d bytes: write one of at most %d", f.Slug[:20], len(f.Slug), LongestSlug)
	}
	if err != nil {
		r.err = err
		return false
	}
	r.flower, r.folded = f, flowercatalog.Fold(f.Name)
	r.position++
	r.buffer = r.buffer[:0]
	for _, text := range []string{f.Slug, f.Name} {
		r.buffer = binary.AppendUvarint(r.buffer, uint64(len(text)))
		r.buffer = append(r.buffer, text...)
	}
	r.hash.Write(r.buffer)
	return true
}

func (r *rows) Values() ([]any, error) {
	return []any{r.position, r.flower.Slug, r.flower.Name, r.folded}, nil
}

func (r *rows) Err() error { return r.err }

// close ends the sequence and the timer.
func (r *rows) close() {
	r.silent.Stop()
	r.stop()
}

// revision returns the hash as text. 16 bytes are enough to tell all lists apart.
func (r *rows) revision() string {
	return base64.RawURLEncoding.EncodeToString(r.hash.Sum(nil)[:16])
}
