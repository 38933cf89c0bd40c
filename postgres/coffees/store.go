package coffees

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres"
	"example.com/flowercafe/postgres/internal/session"
)

// This file is the store: its options and its methods.

// Option configures a [Store].
type Option = postgres.StoreOption

// WithPoolSize is [postgres.WithPoolSize]: the maximum number of connections, 50 by default.
func WithPoolSize(connections int) Option { return session.WithPoolSize(connections) }

// WithAcquireTimeout is [postgres.WithAcquireTimeout]: how long a call may wait for the database, 5
// seconds by default.
func WithAcquireTimeout(wait time.Duration) Option { return session.WithAcquireTimeout(wait) }

// WithLogger is [postgres.WithLogger]: the logger for outages, [slog.Default] by default.
func WithLogger(logger *slog.Logger) Option { return session.WithLogger(logger) }

// Store is a [coffeedemo.Store] in PostgreSQL. It is safe for concurrent use.
type Store struct {
	client *session.Client

	// absent is set while lists find no tables. Then a list looks for them first, since the server
	// logs each statement that fails.
	absent atomic.Bool
}

var _ coffeedemo.Store = (*Store)(nil)

// Open opens a store by a connection string, as pgxpool.ParseConfig reads it: a URL, or pairs of
// key and value. It returns an error if the string is invalid; the error does not repeat it. Open
// does not wait for a connection, and does not use the context: [Store.Ping] checks that the
// database responds. The caller must close the store, or pass it to an App, which closes it.
func Open(_ context.Context, dsn string, options ...Option) (*Store, error) {
	client, err := session.OpenClient(dsn, coffeedemo.ErrBusy, coffeedemo.ErrClosed, false, options)
	if err != nil {
		return nil, fmt.Errorf("coffees: %w", err)
	}
	return &Store{client: client}, nil
}

// New returns a store that uses a pool, which other stores may share. Closing the store does not
// close the pool. New panics if pool is nil.
func New(pool *postgres.Pool) *Store {
	if pool == nil {
		panic("coffees: New(nil): open a pool with postgres.Open")
	}
	return &Store{client: session.NewClient(pool, coffeedemo.ErrBusy, coffeedemo.ErrClosed)}
}

// Create implements [coffeedemo.Store]. The error is a [*ObstacleError] if something else in the
// schema has the name of a table.
func (s *Store) Create(ctx context.Context) error {
	return s.write(ctx, "create tables", create)
}

// Load implements [coffeedemo.Store].
func (s *Store) Load(ctx context.Context, suppliers []coffeedemo.Supplier, coffees []coffeedemo.Coffee) error {
	again := true
	return s.write(ctx, "load data", func(ctx context.Context, t *session.Transaction) error {
		err := load(ctx, t, suppliers, coffees)
		if again && session.HasCode(err, pgerrcode.UniqueViolation, pgerrcode.ForeignKeyViolation) {
			// Perhaps another session has replaced and filled the tables meanwhile: the transaction
			// does not see the new rows, but the constraints of the new tables apply to them.
			again = false
			return fmt.Errorf("%w: %w", session.ErrConflict, err)
		}
		return err
	})
}

// Drop implements [coffeedemo.Store]. The error is a [*ObstacleError] if something else in the
// schema has the name of a table, or something depends on one.
func (s *Store) Drop(ctx context.Context) error {
	return s.write(ctx, "drop tables", drop)
}

func (s *Store) write(ctx context.Context, operation string, do session.Work) error {
	err := s.client.Call(ctx, operation, func(ctx context.Context) error { return s.client.Write(ctx, do) })
	if errors.Is(err, session.ErrUnknown) {
		return fmt.Errorf("%w: %w", coffeedemo.ErrOutcomeUnknown, err)
	}
	return err
}

// List implements [coffeedemo.Store]. It collects all rows and releases the connection before it
// calls row. So List can repeat the query after a lost connection, and holds no connection while
// row runs. More than 16 MiB of names are an error.
func (s *Store) List(ctx context.Context, row func(coffee, supplier string) error) error {
	return s.client.Stream(ctx, "list coffees", func(ctx context.Context) error {
		var found []listRow
		err := s.client.Limit(ctx, func(ctx context.Context) error {
			return s.client.Read(ctx, func(ctx context.Context, conn *pgx.Conn) (err error) {
				if s.absent.Load() {
					if existing, err := findTables(ctx, conn); err != nil {
						return err
					} else if !existing.coffees || !existing.suppliers {
						return coffeedemo.ErrTablesMissing
					}
				}
				found, err = list(ctx, conn)
				s.absent.Store(errors.Is(err, coffeedemo.ErrTablesMissing))
				return err
			})
		})
		if err != nil {
			return err
		}
		for _, f := range found {
			if err := s.client.Cause(ctx); err != nil {
				return err
			}
			if err := row(f.coffee, f.supplier); err != nil {
				return fmt.Errorf("row: %w", err)
			}
		}
		return nil
	})
}

// Ping implements [coffeedemo.Store]. It also returns an error if there is no schema for the
// tables.
func (s *Store) Ping(ctx context.Context) error {
	return s.client.Call(ctx, "ping", func(ctx context.Context) error {
		return s.client.Read(ctx, func(ctx context.Context, conn *pgx.Conn) error {
			var ok bool
			err := conn.QueryRow(ctx, `SELECT current_schema() IS NOT NULL`).Scan(&ok)
			if err == nil && !ok {
				err = session.ErrNoSchema
			}
			return err
		})
	})
}

// Stats implements [coffeedemo.Store].
func (s *Store) Stats() coffeedemo.Stats {
	p := s.client.Stats()
	return coffeedemo.Stats{Open: p.InUse + p.Idle, InUse: p.InUse, Idle: p.Idle, Waiting: p.Waiting, TimedOut: p.TimedOut}
}

// Shutdown implements [coffeedemo.Store]. It ends within ctx, even while connections are being
// opened.
func (s *Store) Shutdown(ctx context.Context) error {
	if err := s.client.Shutdown(ctx); err != nil {
		return fmt.Errorf("coffees: %w", err)
	}
	return nil
}

// Close implements [coffeedemo.Store].
func (s *Store) Close() error {
	s.client.Close()
	return nil
}
