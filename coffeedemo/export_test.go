package coffeedemo

import (
	"context"

	"zombiezen.com/go/sqlite"

	"example.com/flowercafe/coffeedemo/internal/pool"
)

// TakeAll takes all connections up to the limit, outside of any session, and returns a function
// that releases them.
func (db *SQLite) TakeAll(ctx context.Context) (connections []*sqlite.Conn, release func(), err error) {
	var taken []*pool.Conn
	release = func() {
		for _, c := range taken {
			db.pool.Put(c, 1)
		}
	}
	for range db.pool.Limit {
		c, err := db.pool.Take(ctx, 1)
		if err != nil {
			release()
			return nil, nil, err
		}
		taken = append(taken, c)
		connections = append(connections, c.Conn)
	}
	return connections, release, nil
}

// OpenWith makes the pool open connections with open, which gets the previous function, and returns
// a function that undoes this. No session may be in progress.
func (db *SQLite) OpenWith(open func(func() error) error) (undo func()) {
	before := db.pool.Open
	db.pool.Open = func() (c *pool.Conn, err error) {
		err = open(func() error {
			c, err = before()
			return err
		})
		return c, err
	}
	return func() { db.pool.Open = before }
}
