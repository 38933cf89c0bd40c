package flowers

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/internal/session"
)

// This file creates the tables, and recognizes tables of other owners.

// mark is the name of a constraint of each table that Load made, with the version of the schema. A
// dump has it too. A comment would not do: comments are for the tables' users.
const mark = "flowercafe_2"

// anyMark matches the marks of all versions.
const anyMark = "^flowercafe_[0-9]+$"

// Both tables have a primary key, without which a publication of all tables would refuse changes.
const (
	createFlowers = `CREATE TABLE %[1]s.flowers (
		slug     text COLLATE "C" PRIMARY KEY,
		name     text NOT NULL,
		folded   text COLLATE "C" NOT NULL,
		position bigint NOT NULL CONSTRAINT ` + mark + ` CHECK (position > 0)
	);
	CREATE INDEX ON %[1]s.flowers (position)`

	createRevision = `CREATE TABLE %[1]s.flower_revision (
		one      boolean PRIMARY KEY DEFAULT true CONSTRAINT ` + mark + ` CHECK (one),
		revision text NOT NULL,
		loaded   timestamptz NOT NULL
	)`
)

// tables describes the tables of a schema.
type tables struct {
	schema            string // quoted
	flowers, revision bool
	trigrams          string // the quoted schema of pg_trgm, or empty
	searchable        bool   // there is an index of trigrams
}

// check returns an error if the tables that a store reads were not made by a load, or if it may not
// read them.
func check(ctx context.Context, read reader) error {
	marks, err := query(ctx, read, pgx.RowTo[string],
		`SELECT conname FROM pg_constraint WHERE conname ~ $1 AND conrelid IN (to_regclass('flowers'), to_regclass('flower_revision'))`, anyMark)
	if err == nil {
		if other := slices.IndexFunc(marks, func(m string) bool { return m != mark }); other >= 0 {
			err = fmt.Errorf("%w: the tables have the version %s of the schema, and this program reads %s", flowercatalog.ErrBusy, marks[other], mark)
		} else if len(marks) != 2 {
			err = errNotLoaded
		}
	}
	if err == nil {
		_, err = query(ctx, read, func(pgx.CollectableRow) (any, error) { return nil, nil },
			`SELECT r.revision, r.loaded, f.position, f.slug, f.name, f.folded FROM flower_revision r LEFT JOIN flowers f ON f.position = 1`)
	}
	if session.HasCode(err, pgerrcode.InsufficientPrivilege) {
		err = fmt.Errorf("the role may not read the tables: GRANT SELECT ON flowers, flower_revision TO it: %w", err)
	}
	return err
}

// findTables returns the tables of the current schema, and puts pg_catalog first in search_path. A
// table of one of these names that Load did not make, or of another owner, is an error.
func findTables(ctx context.Context, conn *pgx.Conn) (t tables, err error) {
	var schema *string
	if err := conn.QueryRow(ctx, `SELECT pg_catalog.current_schema()`).Scan(&schema); err != nil {
		return t, err
	}
	if schema == nil {
		return t, session.ErrNoSchema
	}
	t.schema = pgx.Identifier{*schema}.Sanitize()
	if _, err := conn.Exec(ctx, `SELECT pg_catalog.set_config('search_path',
		pg_catalog.concat('pg_catalog, ', pg_catalog.current_setting('search_path')), true)`); err != nil {
		return t, err
	}
	if err := conn.QueryRow(ctx, `SELECT coalesce((SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'pg_trgm'), '')`).
		Scan(&t.trigrams); err != nil {
		return t, err
	}
	rows, err := conn.Query(ctx, `SELECT c.relname, pg_get_userbyid(c.relowner), current_user,
			coalesce((SELECT min(k.conname) FROM pg_constraint k WHERE k.conrelid = c.oid AND k.conname ~ $2 AND c.relkind = 'r'), ''),
			EXISTS (SELECT FROM pg_index i JOIN pg_opclass o ON o.oid = ANY (i.indclass) WHERE i.indrelid = c.oid AND o.opcname = 'gin_trgm_ops')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname IN ('flowers', 'flower_revision')`, *schema, anyMark)
	if err != nil {
		return t, err
	}
	var name, owner, role, version string
	var searchable bool
	_, err = pgx.ForEachRow(rows, []any{&name, &owner, &role, &version, &searchable}, func() error {
		switch {
		case version == "":
			return fmt.Errorf("%s.%s was not made by flowerload, which leaves it alone: rename it, "+
				"or name another schema in the connection string, such as search_path=shop", t.schema, name)
		case version != mark:
			return fmt.Errorf("%s.%s has the version %s of the schema, and this flowerload has %s: "+
				"name another schema in the connection string, such as search_path=flowers2", t.schema, name, version, mark)
		case owner != role:
			return fmt.Errorf("%s.%s belongs to the role %s, which could execute code with the rights of %s: load as %[3]s", t.schema, name, owner, role)
		case name == "flowers":
			t.flowers, t.searchable = true, searchable
		default:
			t.revision = true
		}
		return nil
	})
	return t, err
}

// create creates the tables that do not exist.
func (t *tables) create(ctx context.Context, conn *pgx.Conn) error {
	var statements []string
	if t.trigrams == "" {
		t.trigrams = t.schema
		statements = append(statements, `CREATE EXTENSION pg_trgm SCHEMA %[1]s`)
	}
	if !t.flowers {
		statements = append(statements, createFlowers)
	}
	if !t.revision {
		statements = append(statements, createRevision)
	}
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, fmt.Sprintf(statement, t.schema)); err != nil {
			return err
		}
	}
	return nil
}
