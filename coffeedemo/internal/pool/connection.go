package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// This file is a connection to SQLite. It opens the connection, interrupts it when a context
// ends, and cleans it after a session.

// Conn is a connection with its prepared statements. Only interrupt is safe for concurrent use.
type Conn struct {
	*sqlite.Conn
	begin, commit, rollback *sqlite.Stmt

	// dirty means that a session may have left an open transaction, an unfinished statement or an
	// interrupt.
	dirty bool

	// panicked means that a panic ended a session, perhaps in a function called by SQLite.
	panicked bool

	unwatch func() bool // stops watching the session's context; nil if it is not watched

	mu          sync.Mutex // guards interrupted, and done against being closed twice
	done        chan struct{}
	interrupted bool
}

// addresses is held while a connection opens or closes. Package sqlite knows the callbacks of a
// connection by its address, and removes them after SQLite has freed it. By then they could
// belong to a new connection with the same address.
var addresses sync.Mutex

// Open opens a connection to the in-memory database with that name.
func Open(name string) (_ *Conn, err error) {
	// Connections share a database only if its name starts with a slash (see the head of SQLite's
	// memdb.c). The flags are zombiezen's defaults without a write-ahead log, which memdb does not
	// have.
	addresses.Lock()
	conn, err := sqlite.OpenConn("file:/"+name+"?vfs=memdb", sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	addresses.Unlock()
	if err != nil {
		return nil, err
	}
	c := &Conn{Conn: conn}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	// Foreign keys are off by default, and cannot be switched on in a transaction
	// (sqlite.org/foreignkeys.html, 2).
	if err := c.Exec("PRAGMA foreign_keys = ON"); err != nil {
		return nil, err
	}
	for text, statement := range map[string]**sqlite.Stmt{
		"BEGIN":    &c.begin,
		"COMMIT":   &c.commit,
		"ROLLBACK": &c.rollback,
	} {
		if *statement, err = conn.Prepare(text); err != nil {
			return nil, err
		}
	}
	c.arm()
	return c, nil
}

// Close closes the connection.
func (c *Conn) Close() error {
	addresses.Lock()
	defer addresses.Unlock()
	return c.Conn.Close()
}

// arm clears an interrupt, resets unfinished statements, and prepares the connection for the next
// interrupt.
func (c *Conn) arm() {
	c.mu.Lock()
	c.done = make(chan struct{})
	c.interrupted = false
	c.mu.Unlock()
	c.SetInterrupt(c.done)
}

// interrupt makes all statements on the connection fail with SQLITE_INTERRUPT until arm is called.
// It is safe for concurrent use and may be called several times.
func (c *Conn) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.interrupted {
		c.interrupted = true
		close(c.done)
	}
}

// watch interrupts the connection when ctx ends. SetInterrupt could watch ctx itself, but it starts
// a goroutine, which takes ten times as long.
func (c *Conn) watch(ctx context.Context) {
	if ctx.Done() != nil {
		c.unwatch = context.AfterFunc(ctx, c.interrupt)
	}
}

// clean ends a session and removes its leftovers: an interrupt, unfinished statements, a
// transaction. After an error the connection must not be used.
func (c *Conn) clean() error {
	if c.unwatch != nil && !c.unwatch() {
		// The interrupt has been started. Wait for it; otherwise it would interrupt the next
		// session.
		<-c.done
		c.dirty = true
	}
	c.unwatch = nil
	if !c.dirty {
		return nil
	}
	if c.panicked {
		return errPanicked
	}
	c.arm() // first, because a ROLLBACK fails while the connection is interrupted
	if !c.AutocommitEnabled() {
		if _, err := c.rollback.Step(); err != nil {
			return fmt.Errorf("roll back: %w", err)
		}
	}
	if statement := c.CheckReset(); statement != "" || !c.AutocommitEnabled() {
		return fmt.Errorf("the connection is in use after a rollback: %q", statement)
	}
	c.dirty = false
	return nil
}

// errPanicked is why a connection is replaced after a panic: SQLite does not support leaving a call
// in the middle, so the connection can only be closed.
var errPanicked = errors.New("a session on the connection has panicked")

// Exec runs a statement, which is prepared once for the connection, to its end.
func (c *Conn) Exec(text string, arguments ...any) error {
	return sqlitex.Execute(c.Conn, text, &sqlitex.ExecOptions{Args: arguments})
}

// Number returns the result of a statement that returns one number.
func (c *Conn) Number(text string) (n int, err error) {
	err = sqlitex.Execute(c.Conn, text, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		n = row.ColumnInt(0)
		return nil
	}})
	return n, err
}
