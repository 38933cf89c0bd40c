package coffees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/internal/session"
)

// This file is the SQL of the list.

// listed is one row of the list.
type listed struct{ coffee, supplier []byte }

// longestList is the maximum size of a list, in bytes of its names.
const longestList = 16 << 20

// list collects the rows. All statements are sent together, so the transaction has ended when the
// last row arrives. The rows are sorted in Go, because engines have different names for collations.
func list(ctx context.Context, conn *pgx.Conn) ([]listed, error) {
	defer session.RollBack(ctx, conn)
	results := conn.PgConn().Exec(ctx, `BEGIN TRANSACTION READ ONLY; `+session.LimitStatement(ctx)+`;
		SELECT cof_name, sup_name FROM coffees JOIN suppliers USING (sup_id); COMMIT`)
	var found []listed
	var text []byte // of all names; earlier names stay valid when it grows
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

// listError checks whether a list failed because another object has the name of a table.
func listError(ctx context.Context, conn *pgx.Conn, err error) error {
	var response *pgconn.PgError
	if !errors.As(err, &response) || session.Repeatable(err) {
		return err
	}
	session.RollBack(ctx, conn)
	var obstacle *coffeedemo.ObstacleError
	if _, lookErr := look(ctx, conn); errors.As(lookErr, &obstacle) {
		return obstacle
	}
	return missing(err)
}
