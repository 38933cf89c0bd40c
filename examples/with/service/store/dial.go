package store

import (
	"context"
	"errors"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// This file refuses the driver's requests to cancel a statement: PgBouncer 1.18 crashes if they
// wait while its server does not respond. The statement timeout ends the statements.

// neverCancel returns a function that connects sessions by dial.
func neverCancel(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if network == ofSession {
			return nil, errors.New("statements are not canceled")
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return sessionConn{conn}, nil
	}
}

// sessionConn is the connection of a session. To cancel a statement, the driver dials its remote
// address, which has a network of its own.
type sessionConn struct{ net.Conn }

func (c sessionConn) RemoteAddr() net.Addr { return sessionAddr{c.Conn.RemoteAddr()} }

type sessionAddr struct{ net.Addr }

const ofSession = "session"

func (sessionAddr) Network() string { return ofSession }
