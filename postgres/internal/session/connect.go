package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file opens sessions. The driver tries the servers of the connection string, each for
// connect_timeout; waits without a limit get a limit here.

// Idle connections are closed after idleTime and at most another checkPeriod. Other programs share
// the server's sessions.
const (
	idleTime    = 45 * time.Second
	checkPeriod = 15 * time.Second
)

// configure reads a connection string. Its settings of the pool take precedence over options and
// defaults. The error does not contain the connection string.
func configure(dsn string, c config) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("connection string: %s", parseReason(err))
	}
	plain, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("connection string: %s", parseReason(err))
	}
	if plain.RuntimeParams["pool_max_conns"] == "" {
		config.MaxConns = int32(c.size)
	}
	if plain.RuntimeParams["pool_min_conns"] == "" {
		config.MinConns = 1
	}
	if plain.RuntimeParams["pool_max_conn_idle_time"] == "" {
		config.MaxConnIdleTime = idleTime
	}
	if plain.RuntimeParams["pool_health_check_period"] == "" {
		config.HealthCheckPeriod = checkPeriod
	}
	session := config.ConnConfig
	servers := map[string]bool{fmt.Sprint(session.Host, ":", session.Port): true}
	for _, s := range session.Fallbacks { // a server may have two entries, with and without TLS
		servers[fmt.Sprint(s.Host, ":", s.Port)] = true
	}
	limit := limitsFor(c.wait).connect(len(servers))
	if session.ConnectTimeout <= 0 || session.ConnectTimeout > limit {
		session.ConnectTimeout = limit
	}
	session.DialFunc = dialer(limit)
	if session.ValidateConnect == nil && !c.standbys {
		// Not read-write, which refuses a server whose default_transaction_read_only is on.
		session.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	session.RuntimeParams["client_encoding"] = "UTF8" // poolers pass this parameter on
	// Behind a pooler such as PgBouncer each transaction may run in another session of the server,
	// which does not have statements prepared earlier.
	session.DefaultQueryExecMode = pgx.QueryExecModeExec
	session.StatementCacheCapacity, session.DescriptionCacheCapacity = 0, 0
	return config, nil
}

// dialer returns a function that opens a network connection for a session. It refuses the driver's
// requests to cancel the statement of an abandoned session: PgBouncer 1.18 crashes if one arrives
// while its server does not respond. The server ends statements by their statement_timeout.
func dialer(limit time.Duration) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if network == sessionNetwork {
			return nil, errNoCancel
		}
		end := time.Now().Add(limit)
		conn, err := (&net.Dialer{Deadline: end}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		conn.SetDeadline(end) // until the session has begun
		return sessionConn{conn}, nil
	}
}

var errNoCancel = errors.New("statements end by their statement_timeout")

// sessionConn is a network connection of a session. For a request to cancel, the driver dials its
// remote address, which has a network of its own.
type sessionConn struct{ net.Conn }

func (c sessionConn) RemoteAddr() net.Addr { return sessionAddr{c.Conn.RemoteAddr()} }

type sessionAddr struct{ net.Addr }

const sessionNetwork = "session"

func (sessionAddr) Network() string { return sessionNetwork }

// acceptSession is called when a session has begun. It refuses databases that cannot store all
// text.
func acceptSession(conn *pgconn.PgConn) error {
	conn.Conn().SetDeadline(time.Time{})
	if encoding := conn.ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("%w but %s: create one with ENCODING 'UTF8'", errEncoding, encoding)
	}
	return nil
}

// explainPassword adds advice to the error of a server that wants a password, if there is none. The
// driver looks for a line of the first host only.
func explainPassword(err error, config *pgx.ConnConfig) error {
	if config.Password != "" || !HasCode(err, pgerrcode.InvalidPassword) {
		return err
	}
	return fmt.Errorf("there is no password: write the line %s:%d:%s:%s:PASSWORD into the file that PGPASSFILE names: %w",
		config.Host, config.Port, config.Database, config.User, err)
}

// ErrNoSchema means that there is no schema for tables. PgBouncer refuses a search_path in a
// connection string.
var ErrNoSchema = errors.New("search_path names no schema that exists: ALTER ROLE … SET search_path=public, " +
	"or without a pooler write search_path=public into the connection string")

// parseReason returns why a connection string is invalid, without repeating it. The driver's text
// is "cannot parse `STRING`: REASON (DETAILS)", and the details may have the password.
func parseReason(err error) string {
	reason := "cannot be read"
	if _, after, ok := strings.Cut(err.Error(), "`: "); ok {
		reason, _, _ = strings.Cut(after, " (")
		reason, _, _ = strings.Cut(reason, ": ") // some reasons end with the setting's value
	}
	if strings.HasPrefix(reason, "failed to parse as") {
		reason += ": write a URL of postgres, or host=… user=… dbname=…"
	}
	if file := new(fs.PathError); errors.As(err, &file) {
		reason += ": " + file.Err.Error()
	}
	return reason
}

// serverOrder has the server that accepted the last session of a pool. It is tried first for
// the next session: otherwise each new session would first wait for a server that does not respond.
type serverOrder struct {
	names sync.Map     // from addresses to hosts of the connection string
	last  atomic.Value // HOST:PORT
}

// recordHosts returns a lookup function with a time limit that records the hosts of addresses.
func (o *serverOrder) recordHosts(lookup pgconn.LookupFunc, limit time.Duration) pgconn.LookupFunc {
	return func(ctx context.Context, host string) ([]string, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		addresses, err := lookup(ctx, host)
		for _, address := range addresses {
			o.names.Store(address, host)
		}
		return addresses, err
	}
}

// accepted records the server of a session.
func (o *serverOrder) accepted(conn net.Conn) {
	address, port, _ := net.SplitHostPort(conn.RemoteAddr().String()) // fails for a Unix socket
	if host, ok := o.names.Load(address); ok {
		o.last.Store(fmt.Sprint(host, ":", port))
	}
}

// prepare is called before a session is opened, with the session's own configuration.
func (o *serverOrder) prepare(_ context.Context, config *pgx.ConnConfig) error {
	all := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	isLast := func(s *pgconn.FallbackConfig) bool { return o.last.Load() == fmt.Sprint(s.Host, ":", s.Port) }
	if first := slices.IndexFunc(all, isLast); first > 0 {
		all = slices.Concat(all[first:], all[:first])
	}
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
	return nil
}
