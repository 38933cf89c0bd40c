package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/flowercafe/examples/with/service/booking"
)

// This file works with several servers, and through a pooler such as PgBouncer in transaction mode:
// each transaction may run in another session of the server, so it brings its own settings.

type postgresDB struct {
	pool  *pgxpool.Pool
	calls chan struct{} // one for each call in progress; when it is full, further calls are refused
}

// OpenPostgres opens a PostgreSQL database by its URL or connection string, such as
// postgres://host/name or "host=db1,db2 dbname=name".
func OpenPostgres(ctx context.Context, address string) (*Store, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	config.PingTimeout = time.Second
	session := config.ConnConfig
	session.DefaultQueryExecMode = pgx.QueryExecModeExec // prepares no statements, which other sessions lack
	session.StatementCacheCapacity, session.DescriptionCacheCapacity = 0, 0
	session.DialFunc = neverCancel(session.DialFunc)
	if session.ConnectTimeout == 0 {
		session.ConnectTimeout = 2 * time.Second
	}
	if session.ValidateConnect == nil {
		session.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return &Store{postgresDB{pool, make(chan struct{}, 20*config.MaxConns)}}, nil
}

func (db postgresDB) Close() error {
	db.pool.Close()
	return nil
}

func (db postgresDB) query(ctx context.Context, each func(row) error, sql string, args ...any) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	return db.with(ctx, func(conn *pgx.Conn) error {
		end, _ := ctx.Deadline()
		batch := new(pgx.Batch) // one round trip, and a transaction unless it is part of one
		batch.Queue("SELECT set_config('statement_timeout', $1, true)", fmt.Sprint(max(1, time.Until(end).Milliseconds()*9/10)))
		batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if err := each(rows); err != nil {
					return err
				}
			}
			return rows.Err()
		})
		return explain(ctx, conn, conn.SendBatch(ctx, batch).Close())
	})
}

const (
	// A host that hangs or is cut off keeps its locks no longer than this.
	begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'"

	// A timeout would report a commit that no standby has yet as a success.
	commit = "SET LOCAL statement_timeout = 0; COMMIT"
)

func (db postgresDB) transaction(ctx context.Context, f func(context.Context) error) error {
	return db.with(ctx, func(conn *pgx.Conn) error {
		limit, cancel := limited(ctx)
		defer cancel()
		tx, err := conn.BeginTx(limit, pgx.TxOptions{BeginQuery: begin, CommitQuery: commit})
		if err != nil {
			return fmt.Errorf("%w: begin: %w", booking.ErrUnavailable, err)
		}
		defer func() {
			limit, cancel := limited(context.WithoutCancel(ctx))
			defer cancel()
			_ = tx.Rollback(limit) // does nothing after the commit; if it fails, it closes the connection
		}()
		if err := f(context.WithValue(ctx, txKey{}, conn)); err != nil {
			return err
		}
		limit, cancel = limited(ctx)
		defer cancel()
		err = tx.Commit(limit)
		if err != nil && conn.IsClosed() {
			return fmt.Errorf("%w: commit: %w", booking.ErrUnknown, err)
		}
		return explain(ctx, conn, err)
	})
}

func (db postgresDB) lockMigrations(ctx context.Context) error {
	const key = 7301 // any number that the database's other programs don't lock
	return db.query(ctx, func(row) error { return nil }, "SELECT pg_advisory_xact_lock($1)", key)
}

// with calls f with the connection of the transaction in ctx, or with one from the pool.
func (db postgresDB) with(ctx context.Context, f func(*pgx.Conn) error) error {
	if conn, ok := ctx.Value(txKey{}).(*pgx.Conn); ok {
		return f(conn)
	}
	select {
	case db.calls <- struct{}{}:
		defer func() { <-db.calls }()
	default:
		return fmt.Errorf("%w: too many calls wait", booking.ErrUnavailable)
	}
	limit, cancel := limited(ctx)
	defer cancel()
	conn, err := db.pool.Acquire(limit)
	if err != nil {
		return fmt.Errorf("%w: get a session: %w", booking.ErrUnavailable, err)
	}
	defer conn.Release()
	return f(conn.Conn())
}

// explain wraps the error of a statement in the error of package booking, if there is one for it.
func explain(ctx context.Context, conn *pgx.Conn, err error) error {
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case conn.IsClosed(): // the session was lost, or the time is up
		return fmt.Errorf("%w: %w", booking.ErrUnavailable, err)
	case !errors.As(err, &refused):
		return err
	case refused.Code == pgerrcode.CharacterNotInRepertoire: // not UTF-8, or with a NUL: no row has such a text
		return fmt.Errorf("%w: %w", booking.ErrNotFound, err)
	case refused.Code == pgerrcode.ReadOnlySQLTransaction: // it is a standby now: the next session looks for the primary
		conn.Close(ctx)
		return fmt.Errorf("%w: %w", booking.ErrUnavailable, err)
	case pgerrcode.IsOperatorIntervention(refused.Code), // includes the statement timeout
		pgerrcode.IsInsufficientResources(refused.Code), pgerrcode.IsTransactionRollback(refused.Code):
		return fmt.Errorf("%w: %w", booking.ErrUnavailable, err)
	}
	return err
}
