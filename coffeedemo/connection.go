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

// This file is one connection to SQLite: how it is opened, interrupted when a context ends, made to
// wait for a lock, and cleaned after a session.

// connection is a connection with what a session needs on it. All but interrupt is for one
// goroutine at a time.
type connection struct {
	*sqlite.Conn
	begin, beginExclusive, commit, rollback *sqlite.Stmt
	list                                    *sqlite.Stmt // nil until it was prepared, which takes the tables

	// coffee and supplier are buffers for the texts of a row.
	coffee, supplier []byte

	lockWait time.Duration

	// dirty says that a session may have left something: a transaction, a statement that is not at its
	// end, an interrupt.
	dirty bool

	// panicked says that a panic ended a session, perhaps inside a function that SQLite called.
	panicked bool

	// gone is closed when the session's context ends. unwatch stops watching it; nil without a watch.
	gone    <-chan struct{}
	unwatch func() bool

	mu          sync.Mutex // guards interrupted, and done against being closed twice
	done        chan struct{}
	interrupted bool
}

// openConnection opens a connection to the database in memory with that name.
func openConnection(name string, lockWait time.Duration) (_ *connection, err error) {
	// All connections of the process share a name that begins with a slash; any other would be a
	// database for this one alone (see the head of SQLite's memdb.c). Without flags zombiezen would
	// try to switch to a write-ahead log at every opening.
	conn, err := sqlite.OpenConn("file:/"+name+"?vfs=memdb", sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			conn.Close()
		}
	}()
	// patiently waits for locks, until the session's context ends. SQLite's own wait ignores it.
	conn.SetBusyTimeout(0)
	c := &connection{Conn: conn, lockWait: lockWait, coffee: make([]byte, 64), supplier: make([]byte, 64)}
	// Foreign keys are off by default and cannot be switched in a transaction
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

// arm makes the connection ready to be interrupted once. It clears an interrupt and resets
// statements that are not at their end.
func (c *connection) arm() {
	c.mu.Lock()
	c.done = make(chan struct{})
	c.interrupted = false
	c.mu.Unlock()
	c.SetInterrupt(c.done)
}

// interrupt makes what runs on the connection fail with SQLITE_INTERRUPT, and everything else until
// it is armed again. It is safe for concurrent use and may be called again.
func (c *connection) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.interrupted {
		c.interrupted = true
		close(c.done)
	}
}

// watch interrupts the connection when ctx ends. SetInterrupt could watch a context too, but starts
// a goroutine, which takes ten times as long.
func (c *connection) watch(ctx context.Context) {
	if ctx.Done() != nil {
		c.unwatch = context.AfterFunc(ctx, c.interrupt)
	}
}

// clean ends a session and makes the connection clean: no interrupt, no statement with rows to
// come, no transaction. After an error the connection must not be used.
func (c *connection) clean() error {
	if c.unwatch != nil && !c.unwatch() {
		// The interrupt is on its way. Wait for it, or it would hit the next session.
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

// errPanicked is why a connection is replaced after a panic: SQLite does not expect to be left in
// the middle of a call. Only closing it is sure to work.
var errPanicked = errors.New("a session on the connection has panicked")

// step steps the statement, and waits while another connection holds the lock. None of ours does,
// because the pool keeps readers and writers apart.
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
// wait as step does, because preparing reads the schema.
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
// limit is over.
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

// number runs a statement whose result is one number.
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
