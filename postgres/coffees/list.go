package coffees

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/postgres/internal/session"
)

// This file is the SQL of the list.

// listRow is a row of the list.
type listRow struct{ coffee, supplier string }

// maxListBytes is the maximum size of a list, in bytes of its names.
const maxListBytes = 16 << 20

// list collects the rows. They are sorted in Go, so that the database's collation does not matter.
func list(ctx context.Context, conn *pgx.Conn) ([]listRow, error) {
	size := 0 // of all names
	found, err := session.QueryAfter(ctx, conn, checkOwner, func(row pgx.CollectableRow) (l listRow, err error) {
		err = row.Scan(&l.coffee, &l.supplier)
		if size += len(l.coffee) + len(l.supplier); size > maxListBytes {
			return l, fmt.Errorf("more than %d bytes of names", maxListBytes)
		}
		return l, err
	}, `SELECT cof_name, sup_name FROM coffees JOIN suppliers USING (sup_id)`)
	if err != nil {
		return nil, explainListError(ctx, conn, err)
	}
	slices.SortFunc(found, func(a, b listRow) int { return strings.Compare(a.coffee, b.coffee) })
	return found, nil
}

// checkOwner divides by zero if an object with the name of a table is not a table, or belongs to
// another role: reading it may execute code of that role with the rights of the store's role.
const checkOwner = `SELECT 1 / CASE WHEN EXISTS (
		SELECT FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
			AND relname IN ('suppliers', 'coffees') AND (relkind NOT IN ('r', 'p') OR pg_get_userbyid(relowner) <> current_user)
	) THEN 0 ELSE 1 END`

// explainListError checks whether a list failed because another object has the name of a table.
func explainListError(ctx context.Context, conn *pgx.Conn, err error) error {
	if session.CodeOf(err) == "" || session.Repeatable(err) {
		return err
	}
	var obstacle *ObstacleError
	if _, lookErr := findTables(ctx, conn); errors.As(lookErr, &obstacle) {
		return obstacle
	}
	return missing(err)
}
