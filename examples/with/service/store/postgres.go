package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/flowercafe/examples/with/service/booking"
)

type postgresDB struct{ pool *pgxpool.Pool }

// OpenPostgres opens a PostgreSQL database by its URL, such as postgres://host/name.
func OpenPostgres(ctx context.Context, address string) (*Store, error) {
	pool, err := pgxpool.New(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return &Store{postgresDB{pool}}, nil
}

func (db postgresDB) Close() error {
	db.pool.Close()
	return nil
}

func (db postgresDB) query(ctx context.Context, each func(row) error, sql string, args ...any) error {
	query := db.pool.Query
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		query = tx.Query
	}
	rows, err := query(ctx, sql, args...)
	if err != nil {
		return translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return translate(rows.Err())
}

func (db postgresDB) transaction(ctx context.Context, f func(context.Context) error) error {
	return translate(pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error { return f(context.WithValue(ctx, txKey{}, tx)) }))
}

// translate wraps an error of PostgreSQL in the error of package booking, if there is one for it.
func translate(err error) error {
	var pgErr *pgconn.PgError
	switch {
	case errors.As(err, &pgErr) && pgErr.Code == "22021": // not UTF-8, or with a NUL: no row has such a text
		return fmt.Errorf("%w: %w", booking.ErrNotFound, err)
	case pgErr != nil && strings.HasPrefix(pgErr.Code, "57P"), // the server is starting or stopping
		errors.As(err, new(*pgconn.ConnectError)), errors.As(err, new(net.Error)), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", booking.ErrUnavailable, err)
	}
	return err
}
