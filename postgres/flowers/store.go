package flowers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres"
	"example.com/flowercafe/postgres/internal/session"
)

// This file reads the flowers.

// Option configures a [Store].
type Option = postgres.StoreOption

// LoadOption is an [Option] for [Load] too.
type LoadOption = postgres.LoadOption

// WithPoolSize is [postgres.WithPoolSize]: the maximum number of connections, 50 by default.
func WithPoolSize(connections int) Option { return session.WithPoolSize(connections) }

// WithAcquireTimeout is [postgres.WithAcquireTimeout]: how long a call may wait for the database, 5
// seconds by default. A list may wait that long for each 2,000 flowers. [Load] has another default.
func WithAcquireTimeout(wait time.Duration) LoadOption { return session.WithAcquireTimeout(wait) }

// WithLogger is [postgres.WithLogger]: the logger for outages, [slog.Default] by default.
func WithLogger(logger *slog.Logger) Option { return session.WithLogger(logger) }

// Store is a [flowercatalog.Store] in PostgreSQL. It is safe for concurrent use.
type Store struct {
	client *session.Client

	// absent is set while statements find no tables. Then the next one looks for them first, since
	// the server logs each statement that fails.
	absent atomic.Bool
}

var _ flowercatalog.Store = (*Store)(nil)

// Open opens a store by a connection string, as pgxpool.ParseConfig reads it: a URL, or pairs of
// key and value. It returns an error if the string is invalid; the error does not repeat it. Open
// does not wait for a connection, and does not use the context: [Store.Ping] checks that the
// database responds and has flowers. The caller must close the store, or pass it to an App, which
// closes it.
//
// A store only reads, so it uses any server, unless the string sets target_session_attrs. A standby
// may show the flowers of an earlier load for a while.
func Open(_ context.Context, dsn string, options ...Option) (*Store, error) {
	client, err := session.OpenClient(dsn, flowercatalog.ErrBusy, flowercatalog.ErrClosed, true, options)
	if err != nil {
		return nil, fmt.Errorf("flowers: %w", err)
	}
	return &Store{client: client}, nil
}

// New returns a store that uses a pool, which other stores may share. Closing the store does not
// close the pool. New panics if pool is nil.
func New(pool *postgres.Pool) *Store {
	if pool == nil {
		panic("flowers: New(nil): open a pool with postgres.Open")
	}
	return &Store{client: session.NewClient(pool, flowercatalog.ErrBusy, flowercatalog.ErrClosed)}
}

// Find implements [flowercatalog.Store].
func (s *Store) Find(ctx context.Context, slug string) (flowercatalog.Flower, error) {
	return queryOne(ctx, s, "find flower", flowercatalog.ErrNotFound, pgx.RowToStructByPos[flowercatalog.Flower],
		`SELECT slug, name FROM flowers WHERE slug = $1`, slug)
}

// Revision implements [flowercatalog.Store]. It reads one short row. Only a [Load] changes it.
func (s *Store) Revision(ctx context.Context) (string, error) {
	return queryOne(ctx, s, "revision of the flowers", errNotLoaded, pgx.RowTo[string], `SELECT revision FROM flower_revision`)
}

// Age is the age of the flowers that a store reads.
type Age struct {
	Loaded time.Time // the beginning of the last load that the server has

	// Lag is 0 on a primary, and on a standby that has all changes of the server that it follows.
	// On another standby it is the time since its last change, or since its start if it has had no
	// change.
	Lag time.Duration
}

// Age returns how old the flowers are. It reads one short row.
func (s *Store) Age(ctx context.Context) (Age, error) {
	return queryOne(ctx, s, "age of the flowers", errNotLoaded, pgx.RowToStructByPos[Age], `SELECT loaded, CASE
		WHEN NOT pg_is_in_recovery() THEN interval '0'
		WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN interval '0'
		ELSE clock_timestamp() - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())
		END FROM flower_revision`)
}

// queryOne reads a single row within the acquire timeout. If there is no row, the error is missing.
func queryOne[T any](ctx context.Context, s *Store, operation string, missing error, row pgx.RowToFunc[T], statement string, args ...any) (result T, err error) {
	err = s.client.Call(ctx, operation, func(ctx context.Context) error {
		all, err := queryTables(ctx, s, s.client.Read, row, statement, args...)
		if err == nil && len(all) == 0 {
			err = missing
		}
		if err == nil {
			result = all[0]
		}
		return err
	})
	return result, err
}

// Ping implements [flowercatalog.Store]. It also returns an error if no flowers were ever loaded,
// or if the role may not read them.
func (s *Store) Ping(ctx context.Context) error {
	return s.client.Call(ctx, "ping", func(ctx context.Context) error { return check(ctx, s.client.Read) })
}

// Stats returns the current use of the connections.
func (s *Store) Stats() postgres.Stats { return s.client.Stats() }

// Close implements [flowercatalog.Store].
func (s *Store) Close() error {
	s.client.Close()
	return nil
}

// List implements [flowercatalog.Store].
func (s *Store) List(ctx context.Context, page flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	return s.client.Stream(ctx, "list flowers", func(ctx context.Context) error {
		return s.read(ctx, "", page, each)
	})
}

// Search implements [flowercatalog.Store].
func (s *Store) Search(ctx context.Context, folded string, page flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	return s.client.Stream(ctx, "search flowers", func(ctx context.Context) error {
		return s.read(ctx, folded, page, each)
	})
}

// errNotLoaded is also for a first load that has not been committed yet: clients try again.
var errNotLoaded = fmt.Errorf("%w: no flowers were loaded into the schemas of search_path: load some with flowerload", flowercatalog.ErrBusy)

// reader is the Read or the Scan of a client.
type reader func(ctx context.Context, do func(context.Context, *pgx.Conn) error) error

// query runs one statement and returns the results of row. It collects them all, so that the
// statement can be repeated.
func query[T any](ctx context.Context, read reader, row pgx.RowToFunc[T], statement string, args ...any) (all []T, err error) {
	err = read(ctx, func(ctx context.Context, conn *pgx.Conn) (err error) {
		all, err = session.Query(ctx, conn, row, statement, args...)
		return err
	})
	if session.HasCode(err, pgerrcode.UndefinedTable) {
		return nil, errNotLoaded
	}
	return all, err
}

// queryTables is query for the tables of the flowers.
func queryTables[T any](ctx context.Context, s *Store, read reader, row pgx.RowToFunc[T], statement string, args ...any) ([]T, error) {
	if s.absent.Load() {
		exist, err := query(ctx, s.client.Read, pgx.RowTo[bool], `SELECT to_regclass('flowers') IS NOT NULL AND to_regclass('flower_revision') IS NOT NULL`)
		if err == nil && !exist[0] {
			err = errNotLoaded
		}
		if err != nil {
			return nil, err
		}
	}
	all, err := query(ctx, read, row, statement, args...)
	s.absent.Store(errors.Is(err, errNotLoaded))
	return all, err
}

// batchSize is the number of flowers that a list holds in memory.
const batchSize = 2000

// read calls each for the flowers of the page whose folded name contains folded. It reads them in
// batches. Each batch also reads the revision, so that all flowers are of the same one.
func (s *Store) read(ctx context.Context, folded string, page flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	for left := page.Limit; ; {
		size := batchSize
		if page.Limit > 0 {
			size = min(left, batchSize)
		}
		var all []flowercatalog.Flower
		err := s.client.Limit(ctx, func(ctx context.Context) (err error) {
			all, err = s.batch(ctx, folded, &page, size)
			return err
		})
		if err != nil {
			return err
		}
		for _, f := range all {
			if err := s.client.Cause(ctx); err != nil {
				return err
			}
			if err := each(f); err != nil {
				return err
			}
		}
		if left -= len(all); len(all) < size || left == 0 {
			return nil
		}
		page.After = all[len(all)-1].Slug
	}
}

// batch reads at most size flowers of the page in one statement, and sets the page's revision. If
// no flower is left, it still reads a row with the revision.
func (s *Store) batch(ctx context.Context, folded string, page *flowercatalog.Page, size int) ([]flowercatalog.Flower, error) {
	condition, args, read := "true", []any{size, page.After}, s.client.Read
	if page.After != "" {
		condition = "position > (SELECT position FROM flowers WHERE slug = $2)"
	}
	if folded != "" {
		// Common letters cost as much as a scan, even with an index of trigrams.
		condition, args, read = condition+" AND folded LIKE $3", append(args, containing(folded)), s.client.Scan
	}
	type found struct {
		Revision             string
		After                bool // the flower before the page is there
		flowercatalog.Flower      // without a slug if no flower is left
	}
	rows, err := queryTables(ctx, s, read, pgx.RowToStructByPos[found], `SELECT r.revision, $2 = '' OR EXISTS (SELECT FROM flowers WHERE slug = $2),
			coalesce(f.slug, ''), coalesce(f.name, '')
		FROM (SELECT revision FROM flower_revision LIMIT 1) r LEFT JOIN (
			SELECT position, slug, name FROM flowers WHERE `+condition+` ORDER BY position LIMIT $1
		) f ON true ORDER BY f.position`, args...)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, errNotLoaded
	case page.Revision != "" && page.Revision != rows[0].Revision:
		return nil, flowercatalog.ErrChanged
	case !rows[0].After:
		return nil, flowercatalog.ErrNotFound
	}
	page.Revision = rows[0].Revision
	var all []flowercatalog.Flower
	for _, row := range rows {
		if row.Flower.Slug != "" {
			all = append(all, row.Flower)
		}
	}
	return all, nil
}

// containing returns the LIKE pattern that matches texts with this text in them.
func containing(text string) string { return "%" + likeEscaper.Replace(text) + "%" }

// likeEscaper escapes the special characters of LIKE.
var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
