package coffeedemo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
)

// This file is one connection to SQLite. It opens the connection, interrupts it when a context
// ends, waits for locks, and cleans it after a session.

// connection is a connection with its prepared statements and buffers. Only interrupt is safe for
// concurrent use.
type connection struct {
	*sqlite.Conn
	begin, beginExclusive, commit, rollback *sqlite.Stmt
	list                                    *sqlite.Stmt // nil until the tables exist and it was prepared

	// coffee and supplier are buffers for a row.
	coffee, supplier []byte

	lockWait time.Duration

	// dirty says that a session may have left an open transaction, an unfinished statement or an
	// interrupt.
	dirty bool

	// panicked says that a panic ended a session, perhaps in a function called by SQLite.
	panicked bool

	// gone is closed when the session's context ends. unwatch stops watching the context; nil if it
	// is not watched.
	gone    <-chan struct{}
	unwatch func() bool

	mu          sync.Mutex // guards interrupted, and done against being closed twice
	done        chan struct{}
	interrupted bool
}

// openConnection opens a connection to the in-memory database with that name.
func openConnection(name string, lockWait time.Duration) (_ *connection, err error) {
	// Connections share a database only if its name starts with a slash (see the head of SQLite's
	// memdb.c). The flags are zombiezen's defaults without a write-ahead log, which memdb does not
	// have.
	conn, err := sqlite.OpenConn("file:/"+name+"?vfs=memdb", sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			conn.Close()
		}
	}()
	// patiently waits for locks instead: SQLite's own wait ignores the session's context.
	conn.SetBusyTimeout(0)
	c := &connection{Conn: conn, lockWait: lockWait, coffee: make([]byte, 64), supplier: make([]byte, 64)}
	// Foreign keys are off by default, and cannot be switched on in a transaction
	// (sqlite.org/foreignkeys.html, 2).
	if err := c.exec("PRAGMA foreign_keys = ON"); err != nil {
		return nil, err
	}
	for text, statement := range map[string]**sqlite.Stmt{
		"BEGIN":           &c.begin,
		"BEGIN EXCLUSIVE": &c.beginExclusive,
		"COMMIT":          &c.commit,
		"ROLLBACK":        &c.rollback,
	} {
		if *statement, err = conn.Prepare(text); err != nil {
			return nil, err
		}
	}
	c.arm()
	return c, nil
}

// arm clears an interrupt, resets unfinished statements, and prepares the connection for the next
// interrupt.
func (c *connection) arm() {
	c.mu.Lock()
	c.done = make(chan struct{})
	c.interrupted = false
	c.mu.Unlock()
	c.SetInterrupt(c.done)
}

// interrupt makes all statements on the connection fail with SQLITE_INTERRUPT until arm is called.
// It is safe for concurrent use and may be called several times.
func (c *connection) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.interrupted {
		c.interrupted = true
		close(c.done)
	}
}

// watch interrupts the connection when ctx ends. SetInterrupt could watch ctx itself, but it starts
// a goroutine, which takes ten times as long.
func (c *connection) watch(ctx context.Context) {
	if ctx.Done() != nil {
		c.unwatch = context.AfterFunc(ctx, c.interrupt)
	}
}

// clean ends a session and removes what it left: an interrupt, unfinished statements, a
// transaction. After an error the connection must not be used.
func (c *connection) clean() error {
	if c.unwatch != nil && !c.unwatch() {
		// The interrupt has been started. Wait for it; otherwise it would interrupt the next
		// session.
		<-c.done
		c.dirty = true
	}
	c.unwatch, c.gone = nil, nil
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

// step steps the statement, and waits while a connection from outside the pool holds the lock. The
// pool itself never runs readers and writers together.
func (c *connection) step(statement *sqlite.Stmt) (row bool, err error) {
	row, err = statement.Step()
	if isBusy(err) {
		err = c.patiently(func() (err error) {
			row, err = statement.Step()
			return err
		})
	}
	return row, err
}

// prepare returns the statement of that text, which is prepared once for the connection. It may
// wait like step, because preparing reads the schema.
func (c *connection) prepare(text string) (statement *sqlite.Stmt, err error) {
	statement, err = c.Prepare(text)
	if isBusy(err) {
		err = c.patiently(func() (err error) {
			statement, err = c.Prepare(text)
			return err
		})
	}
	return statement, err
}

// patiently tries again while the database is locked, until the session's context ends or the wait
// limit has passed.
func (c *connection) patiently(try func() error) error {
	limit := time.NewTimer(c.lockWait)
	defer limit.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		last := false
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-c.gone:
			last = true
		case <-limit.C:
			last = true
		}
		again.Stop()
		if err := try(); last || !isBusy(err) {
			return err
		}
	}
}

// isBusy reports whether err says that another connection holds a lock.
func isBusy(err error) bool {
	return err != nil && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy
}

// exec runs a statement to its end.
func (c *connection) exec(text string, bind ...any) error {
	statement, err := c.prepare(text)
	if err != nil {
		return err
	}
	for i, value := range bind {
		switch value := value.(type) {
		case int:
			statement.BindInt64(i+1, int64(value))
		case float64:
			statement.BindFloat(i+1, value)
		case string:
			statement.BindText(i+1, value)
		}
	}
	for {
		if row, err := c.step(statement); err != nil || !row {
			return err
		}
	}
}

// number returns the result of a statement that returns one number.
func (c *connection) number(text string) (int, error) {
	statement, err := c.prepare(text)
	if err != nil {
		return 0, err
	}
	row, err := c.step(statement)
	if err != nil || !row {
		return 0, err
	}
	n := statement.ColumnInt(0)
	return n, statement.Reset()
}

// script runs several statements, one after the other.
func (c *connection) script(text string) error {
	for text = strings.TrimSpace(text); text != ""; {
		statement, trailing, err := c.PrepareTransient(text)
		if err != nil {
			return err
		}
		if err := stepOnce(statement); err != nil {
			return err
		}
		text = strings.TrimSpace(text[len(text)-trailing:])
	}
	return nil
}

func stepOnce(statement *sqlite.Stmt) error {
	defer statement.Finalize()
	_, err := statement.Step()
	return err
}

// column copies the text of a column to *buffer, which grows as needed, and returns the text.
func column(statement *sqlite.Stmt, i int, buffer *[]byte) []byte {
	n := statement.ColumnBytes(i, *buffer)
	if n == len(*buffer) { // perhaps there is more
		*buffer = make([]byte, 2*statement.ColumnLen(i)+1)
		n = statement.ColumnBytes(i, *buffer)
	}
	return (*buffer)[:n]
}
