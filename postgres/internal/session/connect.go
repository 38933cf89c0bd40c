package session

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file opens connections and ensures that none hangs: while it is opened, when it is idle and
// the network fails, and when it is abandoned.

// Idle connections are closed after idleTime and at most another checkPeriod. Other programs share
// the server's sessions.
const (
	idleTime    = 45 * time.Second
	checkPeriod = 15 * time.Second
)

// poolConfig reads a connection string. What it says about the pool comes before the options and
// the defaults.
func poolConfig(dsn string, c config) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	plain, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
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
	if c.reads && config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = responds
	}
	setDefaults(config.ConnConfig)
	return config, nil
}

// responds accepts any server that responds.
func responds(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, `-- ping`).Close()
}

// connector opens connections for pgx.
type connector struct {
	life   context.Context // of the pool
	limits limits
	last   atomic.Pointer[string] // the address of the server that accepted the last session
}

// prepare is called before a connection is opened, with a configuration for it alone. It resolves
// the servers' names, puts the last good address first, and divides the time among all.
func (c *connector) prepare(ctx context.Context, config *pgx.ConnConfig) error {
	servers, distinct := c.servers(ctx, config)
	if len(servers) > 0 { // otherwise pgx says why
		config.Host, config.Port, config.TLSConfig = servers[0].Host, servers[0].Port, servers[0].TLSConfig
		config.Fallbacks = servers[1:]
	}
	config.ConnectTimeout = c.limits.connect(distinct)
	d := &dialer{connector: c, limit: config.ConnectTimeout}
	config.DialFunc = d.dial
	config.AfterConnect = d.connected
	return nil
}

// servers returns the addresses to try, in order, and the number of different ones. There may be
// several entries for an address, with and without TLS.
func (c *connector) servers(ctx context.Context, config *pgx.ConnConfig) (servers []*pgconn.FallbackConfig, distinct int) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.connect(2))
	defer cancel()
	order := make(map[string]int)
	if last := c.last.Load(); last != nil {
		order[*last] = -1
	}
	seen := make(map[string]bool)
	named := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	for _, server := range named {
		hosts := []string{server.Host}
		if network, _ := pgconn.NetworkAddress(server.Host, server.Port); network != "unix" {
			hosts, _ = config.LookupFunc(ctx, server.Host)
		}
		for _, host := range hosts {
			_, address := pgconn.NetworkAddress(host, server.Port)
			if _, ok := order[address]; !ok {
				order[address] = len(order)
			}
			seen[address] = true
			servers = append(servers, &pgconn.FallbackConfig{Host: host, Port: server.Port, TLSConfig: server.TLSConfig})
		}
	}
	place := func(server *pgconn.FallbackConfig) int {
		_, address := pgconn.NetworkAddress(server.Host, server.Port)
		return order[address]
	}
	slices.SortStableFunc(servers, func(a, b *pgconn.FallbackConfig) int { return cmp.Compare(place(a), place(b)) })
	return servers, len(seen)
}

// dialerFor returns a dialer for connections whose lost peer is noticed within wait, also while
// they are idle.
func dialerFor(wait time.Duration) *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: wait / 2, Interval: max(time.Second, wait/8), Count: 4},
		Control:         limitUnacknowledged(wait),
	}
}

// dialer dials for one connection.
type dialer struct {
	*connector
	limit  time.Duration // for each server
	opened atomic.Bool   // the session has begun; then only cancel requests are dialled
}

// dial opens a network connection, for a session or for a cancel request. That for a session is
// closed if the pool ends before the session begins.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	limit, life := d.limit, d.life
	if d.opened.Load() {
		limit = d.limits.ping
	}
	if life.Err() != nil { // cancel requests are still sent
		life = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(life, cancel)()
	conn, err := dialerFor(d.limits.call).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if d.opened.Load() {
		conn.SetDeadline(time.Now().Add(limit))
		return conn, nil
	}
	l := &link{Conn: conn, address: address, goodbye: d.limits.ping}
	ended := context.AfterFunc(life, func() { conn.Close() })
	l.release = func() { ended() }
	return l, nil
}

// connected is called when the session has begun.
func (d *dialer) connected(_ context.Context, conn *pgconn.PgConn) error {
	d.opened.Store(true)
	l := linkOf(conn)
	l.release()
	d.last.Store(&l.address)
	return nil
}

// link is a network connection to the server.
type link struct {
	net.Conn
	address string
	goodbye time.Duration // how long the abandoned connection may wait for the server to close it
	release func()        // ends the limits for opening it

	used  time.Time // when the server last responded
	epoch int64     // of the pool, when the server was last checked
}

// linkOf returns the link of a session.
func linkOf(conn *pgconn.PgConn) *link {
	network := conn.Conn()
	if secure, ok := network.(*tls.Conn); ok {
		network = secure.NetConn()
	}
	return network.(*link) // made by dial
}

func (l *link) Close() error {
	l.release()
	return l.Conn.Close()
}

// SetDeadline shortens deadlines. pgx sets a deadline in the future, of 15 seconds, only for a
// connection that it abandons, and the pool counts that connection until then.
func (l *link) SetDeadline(t time.Time) error {
	if latest := time.Now().Add(l.goodbye); t.After(latest) {
		t = latest
	}
	return l.Conn.SetDeadline(t)
}
