package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
)

// This file is the work of the four routes. What changes the tables takes a lock of the database's first, so that hosts that do
// so at the same time come one after the other, and what each finds is still so when it commits.

//go:embed schema.sql
var schema string

// writersLock is the key of that lock (pg_advisory_xact_lock), any number that nothing else in the database uses.
const writersLock = 0x666c6f776572 // "flower"

// tables tells which of the tables there are.
type tables struct{ suppliers, coffees bool }

func lockAndLook(ctx context.Context, tx pgx.Tx) (there tables, err error) {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(writersLock)); err != nil {
		return tables{}, fmt.Errorf("lock: %w", err)
	}
	// The system table itself, since to_regclass may answer from a cache that does not know yet what the last holder of the lock did.
	err = tx.QueryRow(ctx, `SELECT coalesce(bool_or(relname = 'suppliers'), false), coalesce(bool_or(relname = 'coffees'), false)
		FROM pg_catalog.pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`).
		Scan(&there.suppliers, &there.coffees)
	if err != nil {
		return tables{}, fmt.Errorf("look for the tables: %w", err)
	}
	return there, nil
}

func create(ctx context.Context, tx pgx.Tx) error {
	there, err := lockAndLook(ctx, tx)
	if err != nil {
		return err
	}
	if there.suppliers || there.coffees {
		return coffeedemo.ErrTablesExist
	}
	_, err = tx.Exec(ctx, schema)
	if hasCode(err, duplicateTable) || hasCode(err, uniqueViolation) {
		// Somebody without the lock was faster; the unique violation is of the system's own table of types.
		return coffeedemo.ErrTablesExist
	}
	return err
}

func load(ctx context.Context, tx pgx.Tx, suppliers []coffeedemo.Supplier, coffees []coffeedemo.Coffee) error {
	there, err := lockAndLook(ctx, tx)
	if err != nil {
		return err
	}
	if !there.suppliers || !there.coffees {
		return coffeedemo.ErrTablesMissing
	}
	var rows bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM suppliers) OR EXISTS (SELECT FROM coffees)`).Scan(&rows)
	if err != nil {
		return missing(err)
	}
	if rows {
		return coffeedemo.ErrDataLoaded
	}
	batch := &pgx.Batch{}
	for _, s := range suppliers {
		batch.Queue(`INSERT INTO suppliers VALUES ($1, $2, $3, $4, $5, $6)`, s.ID, s.Name, s.Street, s.City, s.State, s.ZIP)
	}
	for _, c := range coffees {
		batch.Queue(`INSERT INTO coffees VALUES ($1, $2, $3, 0, 0)`, c.Name, c.SupplierID, c.Price)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("insert: %w", missing(err))
	}
	return nil
}

func drop(ctx context.Context, tx pgx.Tx) error {
	there, err := lockAndLook(ctx, tx)
	if err != nil {
		return err
	}
	if !there.suppliers && !there.coffees {
		return coffeedemo.ErrTablesMissing
	}
	// COFFEES first, in the order in which a list locks them.
	if there.coffees {
		if _, err := tx.Exec(ctx, `DROP TABLE coffees`); err != nil {
			return err
		}
	}
	if there.suppliers {
		if _, err := tx.Exec(ctx, `DROP TABLE suppliers`); err != nil {
			return err
		}
	}
	return nil
}

// errRowsSeen marks a list that ended when its caller had seen rows, and so cannot be begun again.
var errRowsSeen = errors.New("the list ended early")

func list(ctx context.Context, tx pgx.Tx, row func(coffee, supplier []byte) error) error {
	rows, err := tx.Query(ctx, `SELECT cof_name, sup_name FROM coffees JOIN suppliers USING (sup_id) ORDER BY cof_name COLLATE "C"`)
	if err != nil {
		return missing(err)
	}
	defer rows.Close()
	seen := false
	for rows.Next() {
		seen = true
		values := rows.RawValues() // text is sent as it is
		if err := row(values[0], values[1]); err != nil {
			return fmt.Errorf("%w: row: %w", errRowsSeen, err)
		}
	}
	if err := rows.Err(); err != nil && seen {
		return fmt.Errorf("%w: %w", errRowsSeen, err)
	} else if err != nil {
		return missing(err)
	}
	return nil
}

// missing translates the error of a statement about a table that is not there.
func missing(err error) error {
	if hasCode(err, undefinedTable) {
		return coffeedemo.ErrTablesMissing
	}
	return err
}

// isBroken reports whether err is that of a connection that has ended.
func isBroken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
