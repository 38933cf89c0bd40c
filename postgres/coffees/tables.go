package coffees

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/internal/session"
)

// This file is the SQL that changes the tables.

//go:embed schema.sql
var schema string

// tables has a field for each table, true if it exists.
type tables struct{ suppliers, coffees bool }

// findTables returns the tables that exist, or an error for another object with the name of a
// table. A table of another role is also an error, since its triggers would have the rights of the
// store's role.
func findTables(ctx context.Context, conn *pgx.Conn) (existing tables, err error) {
	rows, err := conn.Query(ctx, `SELECT c.relname, c.relkind IN ('r', 'p'), pg_get_userbyid(c.relowner) = current_user
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relname IN ('suppliers', 'coffees')
		UNION ALL SELECT t.typname, false, false
		FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
		WHERE n.nspname = current_schema() AND t.typname IN ('suppliers', 'coffees') AND t.typrelid = 0`)
	if err != nil {
		return tables{}, fmt.Errorf("look for the tables: %w", err)
	}
	var obstacle error
	var name string
	var table, ours bool
	_, err = pgx.ForEachRow(rows, []any{&name, &table, &ours}, func() error {
		switch {
		case !table:
			obstacle = &ObstacleError{What: "an object named " + name + " that is not a table"}
		case !ours:
			obstacle = &ObstacleError{What: "a table named " + name + " of another role"}
		case name == "coffees":
			existing.coffees = true
		default:
			existing.suppliers = true
		}
		return nil
	})
	if err != nil {
		return tables{}, fmt.Errorf("look for the tables: %w", err)
	}
	return existing, obstacle
}

func create(ctx context.Context, t *session.Transaction) error {
	existing, err := findTables(ctx, t.Conn)
	if err != nil {
		return err
	}
	if existing.suppliers || existing.coffees {
		return coffeedemo.ErrTablesExist
	}
	for statement := range strings.SplitSeq(schema, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		err := t.Exec(ctx, statement)
		if session.HasCode(err, pgerrcode.DuplicateTable, pgerrcode.DuplicateObject, pgerrcode.UniqueViolation) {
			// Another transaction has created the tables first. The existing object is then the
			// table or its row type, and a unique violation is one of a system catalog.
			return coffeedemo.ErrTablesExist
		}
		if err != nil {
			return fmt.Errorf("create: %w", err)
		}
	}
	return nil
}

func load(ctx context.Context, t *session.Transaction, suppliers []coffeedemo.Supplier, coffees []coffeedemo.Coffee) error {
	existing, err := findTables(ctx, t.Conn)
	if err != nil {
		return err
	}
	if !existing.suppliers || !existing.coffees {
		return coffeedemo.ErrTablesMissing
	}
	// COFFEES first: all statements lock the tables in this order.
	var loaded bool
	batch := &pgx.Batch{}
	batch.Queue(`SELECT EXISTS (SELECT 1 FROM coffees) OR EXISTS (SELECT 1 FROM suppliers)`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&loaded) })
	if err := t.Send(ctx, batch); err != nil {
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
	if err := t.Send(ctx, batch); err != nil {
		return fmt.Errorf("insert: %w", missing(err))
	}
	return nil
}

func drop(ctx context.Context, t *session.Transaction) error {
	existing, err := findTables(ctx, t.Conn)
	if err != nil {
		return err
	}
	var statement string
	switch {
	case existing.coffees && existing.suppliers:
		statement = `DROP TABLE coffees, suppliers`
	case existing.coffees:
		statement = `DROP TABLE coffees`
	case existing.suppliers:
		statement = `DROP TABLE suppliers`
	default:
		return coffeedemo.ErrTablesMissing
	}
	err = t.Exec(ctx, statement)
	if session.HasCode(err, pgerrcode.DependentObjectsStillExist) {
		return &ObstacleError{What: "something that depends on the tables"}
	}
	if err != nil {
		return fmt.Errorf("drop: %w", missing(err))
	}
	return nil
}

// missing turns the error for a missing table into coffeedemo.ErrTablesMissing.
func missing(err error) error {
	if session.HasCode(err, pgerrcode.UndefinedTable) {
		return coffeedemo.ErrTablesMissing
	}
	return err
}

// ObstacleError is returned if another object in the database prevents the operation, such as a
// view with the name of a table, or a table of another role. Rename or drop that object.
type ObstacleError struct {
	// What names the object for clients: "an object named coffees that is not a table".
	What string
}

// Error returns a text with What.
func (e *ObstacleError) Error() string { return "coffeedemo: " + e.What + " is in the way" }

// Obstacle returns What, for the response of package coffeedemo.
func (e *ObstacleError) Obstacle() string { return e.What }
