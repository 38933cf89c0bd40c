package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type postgresDB struct{ pool *pgxpool.Pool }

// OpenPostgres opens a PostgreSQL database by its address, such as postgres://host/name.
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
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (db postgresDB) transaction(ctx context.Context, f func(context.Context) error) error {
	return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error { return f(context.WithValue(ctx, txKey{}, tx)) })
}
