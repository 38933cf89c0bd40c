package session

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file opens a connection outside a pool, for work that takes longer than a call.

// Long is a connection outside a pool. Nothing but its user limits what it does.
type Long struct {
	*pgx.Conn
	Wait time.Duration // how long to wait for the server
}

// OpenLong opens a connection to the server that accepts writes. If the server has no free session
// or is restarting, OpenLong tries again for at most the wait limit, by default wait. A lost
// network is noticed within about the same time. The errors have no secrets.
func OpenLong(ctx context.Context, dsn string, wait time.Duration, options ...Option) (*Long, error) {
	c := config{size: 1, wait: wait}
	if err := c.set(options); err != nil {
		return nil, err
	}
	settings, err := longConfig(dsn, c.wait)
	if err != nil {
		return nil, fmt.Errorf("connection string: %w", WithoutSecrets(err))
	}
	for end := time.Now().Add(c.wait); ; {
		conn, err := pgx.ConnectConfig(ctx, settings)
		switch {
		case err == nil:
			if err := requireUTF8(conn.PgConn()); err != nil {
				conn.Close(ctx)
				return nil, err
			}
			return &Long{conn, c.wait}, nil
		case time.Now().After(end), !HasCode(err, tooManyConnections, cannotConnectNow) && !errors.Is(err, syscall.ECONNREFUSED):
			return nil, WithoutSecrets(err)
		}
		select {
		case <-time.After(longestPause):
		case <-ctx.Done():
			return nil, WithoutSecrets(err)
		}
	}
}

func longConfig(dsn string, wait time.Duration) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	setDefaults(config)
	config.ConnectTimeout = min(config.ConnectTimeout, wait) // 2 minutes by default
	config.DialFunc = dialerFor(wait).DialContext
	return config, nil
}
