package postgres

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/flowercafe/coffeedemo"
)

// This file is the SQL of the four routes.

//go:embed schema.sql
var schema string

// tables tells which of the tables there are.
type tables struct{ suppliers, coffees bool }

// look finds out which tables there are, or what has their names.
func look(ctx context.Context, conn *pgx.Conn) (there tables, err error) {
	rows, err := conn.Query(ctx, `SELECT c.relname, CAST(c.relkind AS text)
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relname IN ('suppliers', 'coffees')
		UNION ALL SELECT t.typname, 'c'
		FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
		WHERE n.nspname = current_schema() AND t.typname IN ('suppliers', 'coffees') AND t.typrelid = 0`)
	if err != nil {
		return tables{}, fmt.Errorf("look for the tables: %w", err)
	}
	var obstacle error
	var name, kind string
	_, err = pgx.ForEachRow(rows, []any{&name, &kind}, func() error {
		switch {
		case kind != "r" && kind != "p": // a table, a partitioned table
			obstacle = &coffeedemo.ObstacleError{What: describe(kind) + " named " + name}
		case name == "coffees":
			there.coffees = true
		default:
			there.suppliers = true
		}
		return nil
	})
	if err != nil {
		return tables{}, fmt.Errorf("look for the tables: %w", err)
	}
	return there, obstacle
}

// describe names a kind of relation (PostgreSQL documentation, 53.11); "c" also stands for types that
// are none.
func describe(relkind string) string {
	switch relkind {
	case "v":
		return "a view"
	case "m":
		return "a materialized view"
	case "f":
		return "a foreign table"
	case "S":
		return "a sequence"
	case "i", "I":
		return "an index"
	case "c":
		return "a type"
	}
	return "an object"
}

func create(ctx context.Context, t *transaction) error {
	there, err := look(ctx, t.conn)
	if err != nil {
		return err
	}
	if there.suppliers || there.coffees {
		return coffeedemo.ErrTablesExist
	}
	for statement := range strings.SplitSeq(schema, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		err := t.exec(ctx, statement)
		if hasCode(err, duplicateTable, duplicateObject, uniqueViolation) {
			// Another transaction was faster. The object is the type that each table has, the unique
			// violation is of the system's own tables.
			return coffeedemo.ErrTablesExist
		}
		if err != nil {
			return fmt.Errorf("create: %w", err)
		}
	}
	return nil
}

func load(ctx context.Context, t *transaction, suppliers []coffeedemo.Supplier, coffees []coffeedemo.Coffee) error {
	there, err := look(ctx, t.conn)
	if err != nil {
		return err
	}
	if !there.suppliers || !there.coffees {
		return coffeedemo.ErrTablesMissing
	}
	// COFFEES first, the order in which the others lock the tables.
	var loaded bool
	batch := &pgx.Batch{}
	batch.Queue(`SELECT EXISTS (SELECT 1 FROM coffees) OR EXISTS (SELECT 1 FROM suppliers)`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&loaded) })
	if err := t.send(ctx, batch); err != nil {
		return fmt.Errorf("look for rows: %w", missing(err))
	}
	if loaded {
		return coffeedemo.ErrDataLoaded
	}
	batch = &pgx.Batch{}
	for _, s := range suppliers {
		batch.Queue(`INSERT INTO suppliers VALUES ($1, $2, $3, $4, $5, $6)`, s.ID, s.Name, s.Street, s.City, s.State, s.ZIP)
	}
	for _, c := range coffees {
		batch.Queue(`INSERT INTO coffees VALUES ($1, $2, $3, 0, 0)`, c.Name, c.SupplierID, c.Price)
	}
	if err := t.send(ctx, batch); err != nil {
		return fmt.Errorf("insert: %w", missing(err))
	}
	return nil
}

func drop(ctx context.Context, t *transaction) error {
	there, err := look(ctx, t.conn)
	if err != nil {
		return err
	}
	// One statement, since some engines have no transactions around such statements.
	var statement string
	switch {
	case there.coffees && there.suppliers:
		statement = `DROP TABLE coffees, suppliers`
	case there.coffees:
		statement = `DROP TABLE coffees`
	case there.suppliers:
		statement = `DROP TABLE suppliers`
	default:
		return coffeedemo.ErrTablesMissing
	}
	err = t.exec(ctx, statement)
	if hasCode(err, dependentObjects) {
		return &coffeedemo.ObstacleError{What: "something that depends on the tables"}
	}
	if err != nil {
		return fmt.Errorf("drop: %w", missing(err))
	}
	return nil
}

// listed is a row of the list.
type listed struct{ coffee, supplier []byte }

// longestList is how many bytes of names a list may have.
const longestList = 16 << 20

// list collects the rows. Everything is sent at once, and nothing is left to do when the last row has
// come. The rows are sorted here, since engines differ in the names of their collations.
func list(ctx context.Context, conn *pgx.Conn) ([]listed, error) {
	defer rollBack(ctx, conn)
	results := conn.PgConn().Exec(ctx, `BEGIN TRANSACTION READ ONLY; `+limitStatement(ctx)+`;
		SELECT cof_name, sup_name FROM coffees JOIN suppliers USING (sup_id); COMMIT`)
	var found []listed
	var text []byte // of all names; when it grows, earlier names stay where they were
	keep := func(name []byte) []byte {
		begin := len(text)
		text = append(text, name...)
		return text[begin:len(text):len(text)]
	}
	for results.NextResult() {
		for rows := results.ResultReader(); rows.NextRow(); {
			values := rows.Values()
			found = append(found, listed{keep(values[0]), keep(values[1])})
			if len(text) > longestList {
				conn.Close(ctx)
				return nil, fmt.Errorf("more than %d bytes of names", longestList)
			}
		}
	}
	if err := results.Close(); err != nil {
		return nil, listError(ctx, conn, err)
	}
	slices.SortFunc(found, func(a, b listed) int { return bytes.Compare(a.coffee, b.coffee) })
	return found, nil
}

// listError finds out whether a list failed because of what else has the name of a table.
func listError(ctx context.Context, conn *pgx.Conn, err error) error {
	var response *pgconn.PgError
	if !errors.As(err, &response) || repeatable(err) {
		return err
	}
	rollBack(ctx, conn)
	var obstacle *coffeedemo.ObstacleError
	if _, lookErr := look(ctx, conn); errors.As(lookErr, &obstacle) {
		return obstacle
	}
	return missing(err)
}

// missing translates the error of a statement about a table that is not there.
func missing(err error) error {
	if hasCode(err, undefinedTable) {
		return coffeedemo.ErrTablesMissing
	}
	return err
}
