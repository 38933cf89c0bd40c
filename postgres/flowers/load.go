package flowers

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/internal/session"
)

// This file loads flowers into the database. It fills and indexes a new table, while hosts read the
// old one, and replaces the old table at the end.

// LongestSlug is the maximum length of a slug in bytes: an index cannot hold longer ones.
const LongestSlug = 2600

// Load replaces all flowers with those of the sequence, in its order, and returns their number. It
// is one transaction: an error, also one of the sequence, changes nothing. It creates the tables
// and the extension pg_trgm if they do not exist. It refuses flowers that
// [flowercatalog.CheckFlower] refuses, duplicate slugs, and slugs of more than [LongestSlug] bytes.
// A concurrent Load waits for up to 30 seconds and then fails.
//
// dsn is a connection string as for [Open]. A pooler must be in transaction or session mode.
func Load(ctx context.Context, dsn string, flowers iter.Seq2[flowercatalog.Flower, error]) (count int64, err error) {
	conn, err := session.Connect(ctx, dsn)
	if err != nil {
		return 0, fmt.Errorf("flowers: load: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	count, err = load(ctx, conn, flowers)
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, fmt.Errorf("flowers: load: %w", context.Cause(ctx))
	case err != nil:
		return 0, fmt.Errorf("flowers: load: %w", session.WithoutSecrets(err))
	}
	return count, nil
}

// prepare creates the new table. Concurrent loads wait here.
const prepare = `
	SET LOCAL lock_timeout = '30s';
	SET LOCAL maintenance_work_mem = '256MB';
	CREATE EXTENSION IF NOT EXISTS pg_trgm;
	CREATE TABLE IF NOT EXISTS flower_revision (revision text NOT NULL, common text NOT NULL);
	LOCK TABLE flower_revision IN SHARE ROW EXCLUSIVE MODE;
	CREATE TABLE flowers_next (
		position bigint NOT NULL,
		slug     text COLLATE "C" NOT NULL,
		name     text NOT NULL,
		folded   text COLLATE "C" NOT NULL
	)`

// finish replaces the old table with the new one. Readers wait only for the last statements.
const finish = `
	ALTER TABLE flowers_next ADD PRIMARY KEY (position);
	CREATE UNIQUE INDEX ON flowers_next (slug);
	CREATE INDEX ON flowers_next USING gin (folded gin_trgm_ops);
	ANALYZE flowers_next;
	DROP TABLE IF EXISTS flowers;
	ALTER TABLE flowers_next RENAME TO flowers;
	DELETE FROM flower_revision`

func load(ctx context.Context, conn *pgx.Conn, flowers iter.Seq2[flowercatalog.Flower, error]) (count int64, err error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, prepare); err != nil {
		return 0, fmt.Errorf("create a table: %w", explain(err))
	}
	rows := newRows(flowers)
	defer rows.stop()
	columns := []string{"position", "slug", "name", "folded"}
	if count, err = tx.CopyFrom(ctx, pgx.Identifier{"flowers_next"}, columns, rows); err != nil {
		return 0, fmt.Errorf("copy: %w", err)
	}
	if _, err := tx.Exec(ctx, finish); err != nil {
		return 0, fmt.Errorf("replace the flowers: %w", explain(err))
	}
	if _, err := tx.Exec(ctx, `INSERT INTO flower_revision VALUES ($1, $2)`, rows.revision(), rows.census.common()); err != nil {
		return 0, fmt.Errorf("set the revision: %w", err)
	}
	if err := tx.Commit(ctx); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	return count, nil
}

// explain adds the meaning of some errors of the server.
func explain(err error) error {
	var response *pgconn.PgError
	switch {
	case session.HasCode(err, session.UniqueViolation) && errors.As(err, &response):
		return fmt.Errorf("a slug occurs twice: %s: %w", response.Detail, err)
	case session.HasCode(err, session.LockNotAvailable):
		return fmt.Errorf("the flowers are in use, perhaps by another load: try again: %w", err)
	}
	return err
}

// rows passes flowers to COPY, and computes their revision: a hash of all slugs and names in order.
type rows struct {
	pull     func() (flowercatalog.Flower, error, bool)
	stop     func()
	position int64
	flower   flowercatalog.Flower
	folded   string
	census   census
	err      error
	hash     hash.Hash
	buffer   []byte
}

var _ pgx.CopyFromSource = (*rows)(nil)

func newRows(flowers iter.Seq2[flowercatalog.Flower, error]) *rows {
	r := &rows{hash: sha256.New(), census: census{counts: make(map[trigram]seenIn)}}
	r.pull, r.stop = iter.Pull2(flowers)
	return r
}

func (r *rows) Next() bool {
	f, err, ok := r.pull()
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
	if r.position%sample == 0 {
		r.census.add(r.folded)
	}
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

// revision returns the hash as text. 16 bytes are enough to tell all lists apart.
func (r *rows) revision() string {
	return base64.RawURLEncoding.EncodeToString(r.hash.Sum(nil)[:16])
}
