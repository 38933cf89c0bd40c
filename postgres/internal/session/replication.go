package session

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// This file asks whether a failover may lose changes.

// The errors of a pool's own calls.
var (
	errBusy   = errors.New("the database is not available")
	errClosed = errors.New("the pool is closed")
)

// WaitsForStandby reports whether changes of the pool's role wait for a synchronous standby before
// they are acknowledged. If not, a failover may lose them.
func (p *Pool) WaitsForStandby(ctx context.Context) (waits bool, err error) {
	c := NewClient(p, errBusy, errClosed)
	defer c.Close()
	err = c.Call(ctx, "replication", func(ctx context.Context) error {
		return c.Read(ctx, func(ctx context.Context, conn *pgx.Conn) error {
			found, err := Query(ctx, conn, pgx.RowTo[bool], `SELECT current_setting('synchronous_standby_names') <> ''
				AND current_setting('synchronous_commit') IN ('on', 'remote_write', 'remote_apply')`)
			if err == nil {
				waits = found[0]
			}
			return err
		})
	})
	return waits, err
}
