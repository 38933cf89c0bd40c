package session

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file opens connections and ensures that none hangs: while it is opened, when it is idle and
// the network fails, and when it is abandoned.

// poolConfig reads a connection string.
func poolConfig(dsn string, size int, c *connector) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.MinConns = 1
	config.MaxConns = int32(size)
	config.PingTimeout = c.limits.ping
	config.AfterConnect = c.connected
	conn := config.ConnConfig
	useUTF8(&conn.Config)
	conn.ConnectTimeout = c.limits.connect
	conn.DialFunc = c.dial
	if conn.ValidateConnect == nil {
		conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	// Behind a pooler such as PgBouncer each transaction may run in another session of the server,
	// which does not have statements prepared earlier.
	conn.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn.StatementCacheCapacity = 0
	conn.DescriptionCacheCapacity = 0
	return config, nil
}

// connector dials for pgx.
type connector struct {
	life   context.Context // of the pool
	limits limits
}

// dial opens a network connection, for a session or for a cancel request. It is closed if it does
// not become a session in time, or if the pool ends before. Cancel requests after that are still
// sent.
func (c *connector) dial(ctx context.Context, network, address string) (net.Conn, error) {
	life := c.life
	if life.Err() != nil {
		life = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.connect)
	defer cancel()
	defer context.AfterFunc(life, cancel)()
	dialer := net.Dialer{
		// A lost peer of an idle connection is noticed within the wait limit.
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: c.limits.call / 2, Interval: max(time.Second, c.limits.call/8), Count: 4,
		},
		Control: limitUnacknowledged(c.limits.call),
	}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l := &link{Conn: conn}
	tooLate := time.AfterFunc(c.limits.connect, func() { conn.Close() })
	ended := context.AfterFunc(life, func() { conn.Close() })
	l.release = func() { tooLate.Stop(); ended() }
	return l, nil
}

// connected is called by the pool when a session has begun.
func (c *connector) connected(_ context.Context, conn *pgx.Conn) error {
	network := conn.PgConn().Conn()
	if secure, ok := network.(*tls.Conn); ok {
		network = secure.NetConn()
	}
	if l, ok := network.(*link); ok {
		l.release()
	}
	return requireUTF8(conn.PgConn())
}

// link is a network connection to the server.
type link struct {
	net.Conn
	release func() // ends the limits for opening it
}

func (l *link) Close() error {
	l.release()
	return l.Conn.Close()
}

// goodbye is how long an abandoned connection may wait for the server to close it.
const goodbye = time.Second

// SetDeadline shortens deadlines. pgx sets a deadline in the future, of 15 seconds, only for a
// connection that it abandons, and the pool counts that connection until then.
func (l *link) SetDeadline(t time.Time) error {
	if latest := time.Now().Add(goodbye); t.After(latest) {
		t = latest
	}
	return l.Conn.SetDeadline(t)
}

// Connect opens one connection without limits, for long work. Its errors have no secrets.
func Connect(ctx context.Context, dsn string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("connection string: %w", WithoutSecrets(err))
	}
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, WithoutSecrets(err)
	}
	return conn, nil
}
