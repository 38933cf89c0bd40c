package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file decides which connections of the pool are used again. A call that loses its connection
// raises suspicion against all others. None is dropped before its server has failed to respond.

// trusted is how long after a response a connection is used without a ping.
const trusted = time.Second

// together marks the context of a check of all idle connections.
type together struct{}

// connected is called when a session has begun.
func (p *Pool) connected(_ context.Context, conn *pgx.Conn) error {
	l := linkOf(conn.PgConn())
	l.used, l.epoch = time.Now(), p.epoch.Load()
	return requireUTF8(conn.PgConn())
}

// ready is called before a connection is used. It returns false for one to drop.
func (p *Pool) ready(ctx context.Context, conn *pgx.Conn) (bool, error) {
	l := linkOf(conn.PgConn())
	if ctx.Value(together{}) != nil || l.epoch == p.epoch.Load() && time.Since(l.used) < trusted {
		return true, nil
	}
	if p.works(conn) {
		return true, nil
	}
	p.suspect()
	return false, nil
}

// works reports whether the server responds and may still be used: a primary may have become a
// standby. It does not depend on the context of a call, whose end says nothing about the server.
func (p *Pool) works(conn *pgx.Conn) bool {
	ctx, cancel := context.WithTimeout(p.life, p.limits.ping)
	defer cancel()
	epoch := p.epoch.Load()
	err := p.validate(ctx, conn.PgConn())
	var notPreferred *pgconn.NotPreferredError
	if err != nil && !errors.As(err, &notPreferred) {
		return false
	}
	l := linkOf(conn.PgConn())
	l.used, l.epoch = time.Now(), epoch
	return true
}

// suspect makes every connection prove that it works before it is used again. The idle ones do it
// now, all at once: one after the other would take longer than a call.
func (p *Pool) suspect() {
	p.epoch.Add(1)
	if !p.checking.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer p.checking.Store(false)
		var all sync.WaitGroup
		for _, conn := range p.pool.AcquireAllIdle(context.WithValue(p.life, together{}, true)) {
			all.Go(func() {
				if !p.works(conn.Conn()) {
					conn.Conn().Close(p.life)
				}
				conn.Release()
			})
		}
		all.Wait()
	}()
}
