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

// listed is one row of the list.
type listed struct{ coffee, supplier string }

// longestList is the maximum size of a list, in bytes of its names.
const longestList = 16 << 20

// list collects the rows. All statements are sent together, so the transaction has ended when the
// last row arrives. The rows are sorted in Go, because engines have different names for collations.
func list(ctx context.Context, conn *pgx.Conn) ([]listed, error) {
	defer session.RollBack(ctx, conn)
	results := conn.PgConn().Exec(ctx, session.BeginRead+`; `+session.LimitStatement(ctx)+`;
		SELECT cof_name, sup_name FROM coffees JOIN suppliers USING (sup_id); COMMIT`)
	var found []listed
	size := 0 // of all names
	for results.NextResult() {
		for rows := results.ResultReader(); rows.NextRow(); {
			values := rows.Values()
			found = append(found, listed{string(values[0]), string(values[1])})
			if size += len(values[0]) + len(values[1]); size > longestList {
				conn.Close(ctx)
				return nil, fmt.Errorf("more than %d bytes of names", longestList)
			}
		}
	}
	if err := results.Close(); err != nil {
		return nil, listError(ctx, conn, err)
	}
	slices.SortFunc(found, func(a, b listed) int { return strings.Compare(a.coffee, b.coffee) })
	return found, nil
}

// listError checks whether a list failed because another object has the name of a table.
func listError(ctx context.Context, conn *pgx.Conn, err error) error {
	if session.CodeOf(err) == "" || session.Repeatable(err) {
		return err
	}
	session.RollBack(ctx, conn)
	var obstacle *ObstacleError
	if _, lookErr := look(ctx, conn); errors.As(lookErr, &obstacle) {
		return obstacle
	}
	return missing(err)
}
