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

// listed is a row of the list.
type listed struct{ coffee, supplier string }

// longestList is the maximum size of a list, in bytes of its names.
const longestList = 16 << 20

// list collects the rows. They are sorted in Go, because engines have different names for
// collations.
func list(ctx context.Context, conn *pgx.Conn) ([]listed, error) {
	size := 0 // of all names
	found, err := session.QueryAfter(ctx, conn, onlyOurs, func(row pgx.CollectableRow) (l listed, err error) {
		err = row.Scan(&l.coffee, &l.supplier)
		if size += len(l.coffee) + len(l.supplier); size > longestList {
			return l, fmt.Errorf("more than %d bytes of names", longestList)
		}
		return l, err
	}, `SELECT cof_name, sup_name FROM coffees JOIN suppliers USING (sup_id)`)
	if err != nil {
		return nil, listError(ctx, conn, err)
	}
	slices.SortFunc(found, func(a, b listed) int { return strings.Compare(a.coffee, b.coffee) })
	return found, nil
}

// onlyOurs divides by zero if an object with the name of a table is no table, or belongs to another
// role: to read it may execute code of that role with the rights of this one.
const onlyOurs = `SELECT 1 / CASE WHEN EXISTS (
		SELECT FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
			AND relname IN ('suppliers', 'coffees') AND (relkind NOT IN ('r', 'p') OR pg_get_userbyid(relowner) <> current_user)
	) THEN 0 ELSE 1 END`

// listError checks whether a list failed because another object has the name of a table.
func listError(ctx context.Context, conn *pgx.Conn, err error) error {
	if session.CodeOf(err) == "" || session.Repeatable(err) {
		return err
	}
	var obstacle *ObstacleError
	if _, lookErr := look(ctx, conn); errors.As(lookErr, &obstacle) {
		return obstacle
	}
	return missing(err)
}
