package flowers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/internal/session"
)

// This file loads flowers into the database, in one transaction: it copies them into a temporary
// table, and then changes the rows of the table that differ. It does not replace the table. So what
// others have added to the table stays (rights, comments, policies, storage settings, views,
// publications, foreign keys), and no lock stops readers, who see the old rows until the commit. If
// all rows change, this takes about 1.4 times as long as a new table with new indexes.

// LongestSlug is the maximum length of a slug in bytes: an index cannot hold longer ones.
const LongestSlug = 2600

// patience is the default of the wait limit. A statement may take longer by perFlower for each
// flower.
const (
	patience  = time.Minute
	perFlower = 200 * time.Microsecond
)

// Load replaces all flowers with those of the sequence, in its order, and returns their number. It
// is one transaction: an error, also one of the sequence, changes nothing. Load creates the tables
// flowers and flower_revision in the current schema, and the extension pg_trgm, if they do not
// exist. It refuses tables of these names that it did not make, flowers that
// [flowercatalog.CheckFlower] refuses, duplicate slugs, and slugs of more than [LongestSlug] bytes.
//
// Whoever owns a table, or has the right TRIGGER on it, can make Load execute code with the rights
// of its role. So Load refuses tables of another owner, and asks pg_catalog before the other
// schemas. It does not look for triggers: grant TRIGGER only to roles that you trust like this one.
//
// Load waits at most the limit of [WithWaitLimit], by default 1 minute, for each of these: a free
// session of a server that accepts writes, another Load to end, and a response. Once the server has
// all flowers, it may take longer, by 200 seconds for each million. The sequence may take any time.
// If the connection is lost during the commit, it is unknown whether the flowers were replaced:
// load again.
//
// dsn is a connection string as for [Open]. A pooler must be in transaction or session mode.
func Load(ctx context.Context, dsn string, flowers iter.Seq2[flowercatalog.Flower, error], options ...LoadOption) (count int64, err error) {
	conn, wait, err := session.Long(ctx, dsn, patience, options...)
	if err == nil {
		l := &loading{conn: conn, wait: wait}
		defer l.end(ctx)
		err = l.run(ctx, flowers)
		count = l.count
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, fmt.Errorf("flowers: load: %w", context.Cause(ctx))
	case err != nil:
		return 0, fmt.Errorf("flowers: load: %w", explain(err))
	}
	return count, nil
}

// loading is a load in progress.
type loading struct {
	conn   *pgx.Conn
	wait   time.Duration // how long to wait for the server
	tables tables
	count  int64
}

// begin names what roles and databases may set otherwise. The server too notices a lost network.
// With row_security off, a policy that hides rows from the loader is an error. Two loads into one
// schema run one after the other. The server gives up a lock before the client gives up the server.
const begin = `BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE;
	SET LOCAL statement_timeout = 0;
	SELECT pg_catalog.set_config(s.name, v.value, true)
	FROM pg_catalog.pg_settings s JOIN (VALUES
		('transaction_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
		('lock_timeout', '%[2]d'), ('tcp_user_timeout', '%[1]d'), ('tcp_keepalives_idle', '15'),
		('tcp_keepalives_interval', '15'), ('tcp_keepalives_count', '3'),
		('row_security', 'off'), ('work_mem', '64MB'), ('maintenance_work_mem', '256MB')
	) v (name, value) ON v.name OPERATOR(pg_catalog.=) s.name;
	SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('flowerload'), pg_catalog.hashtext(pg_catalog.current_schema()))`

// next is the temporary table. The server drops it at the end of the transaction, however that
// ends.
const next = `CREATE TEMPORARY TABLE flowers_next (
		position bigint NOT NULL,
		slug     text COLLATE "C" PRIMARY KEY,
		name     text NOT NULL,
		folded   text COLLATE "C" NOT NULL
	) ON COMMIT DROP`

// changes make the flowers equal to the temporary table. They do not touch rows that are equal.
const changes = `
	ANALYZE pg_temp.flowers_next;
	DELETE FROM %[1]s.flowers f WHERE NOT EXISTS (SELECT FROM pg_temp.flowers_next n WHERE n.slug = f.slug);
	UPDATE %[1]s.flowers f SET position = n.position, name = n.name, folded = n.folded
		FROM pg_temp.flowers_next n
		WHERE n.slug = f.slug AND (n.position, n.name, n.folded) IS DISTINCT FROM (f.position, f.name, f.folded);
	INSERT INTO %[1]s.flowers (position, slug, name, folded)
		SELECT position, slug, name, folded FROM pg_temp.flowers_next n
		WHERE NOT EXISTS (SELECT FROM %[1]s.flowers f WHERE f.slug = n.slug)
		ORDER BY position`

// The index is made last, because it is faster to build than to fill.
const makeSearchable = `CREATE INDEX ON %[1]s.flowers USING gin (folded %[2]s.gin_trgm_ops)`

const setRevision = `INSERT INTO %[1]s.flower_revision (revision, loaded) VALUES ($1, now())
	ON CONFLICT (one) DO UPDATE SET revision = excluded.revision, loaded = excluded.loaded`

func (l *loading) run(ctx context.Context, flowers iter.Seq2[flowercatalog.Flower, error]) error {
	if err := l.exec(ctx, "begin", fmt.Sprintf(begin, l.wait.Milliseconds(), (l.wait*3/4).Milliseconds())); err != nil {
		return err
	}
	err := l.step(ctx, "create the tables", func(ctx context.Context) (err error) {
		if l.tables, err = look(ctx, l.conn); err == nil {
			err = l.tables.create(ctx, l.conn)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := l.exec(ctx, "create a temporary table", next); err != nil {
		return err
	}
	rows, err := l.copy(ctx, flowers)
	if err != nil {
		return err
	}
	if err := l.exec(ctx, "change the flowers", fmt.Sprintf(changes, l.tables.schema)); err != nil {
		return err
	}
	if !l.tables.searchable {
		if err := l.exec(ctx, "create an index", fmt.Sprintf(makeSearchable, l.tables.schema, l.tables.trigrams)); err != nil {
			return err
		}
	}
	if err := l.exec(ctx, "set the revision", fmt.Sprintf(setRevision, l.tables.schema), rows.revision()); err != nil {
		return err
	}
	if err := l.exec(ctx, "commit", `COMMIT`); err != nil {
		return err
	}
	// Only for the plans of searches: the server does it too, later.
	_ = l.exec(ctx, "analyze", fmt.Sprintf(`ANALYZE %s.flowers`, l.tables.schema))
	return nil
}

// copy copies the flowers into the temporary table.
func (l *loading) copy(ctx context.Context, flowers iter.Seq2[flowercatalog.Flower, error]) (*rows, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rows := newRows(flowers, l.wait, func() { cancel(errSilent) })
	defer rows.close()
	count, err := l.conn.CopyFrom(ctx, pgx.Identifier{"pg_temp", "flowers_next"}, []string{"position", "slug", "name", "folded"}, rows)
	l.count = count
	if rows.err != nil { // err has only its text, as the server repeats it
		return nil, fmt.Errorf("read the flowers: %w", rows.err)
	}
	return rows, failed(ctx, "copy", err)
}

func (l *loading) exec(ctx context.Context, what, statement string, args ...any) error {
	return l.step(ctx, what, func(ctx context.Context) error {
		_, err := l.conn.Exec(ctx, statement, args...)
		return err
	})
}

// step runs a part of the load within its time.
func (l *loading) step(ctx context.Context, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, l.wait+time.Duration(l.count)*perFlower, errSilent)
	defer cancel()
	return failed(ctx, what, do(ctx))
}

// end closes the connection, which ends the transaction.
func (l *loading) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	l.conn.Close(ctx)
}

var errSilent = errors.New("the database does not respond")

// failed returns the error of a part of the load.
func failed(ctx context.Context, what string, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		err = fmt.Errorf("%w: %w", errSilent, err)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// explain adds the meaning of some errors of the server.
func explain(err error) error {
	var response *pgconn.PgError
	if !errors.As(err, &response) {
		return err
	}
	switch response.Code {
	case session.UniqueViolation:
		return fmt.Errorf("a slug occurs twice: %s: %w", response.Detail, err)
	case session.LockNotAvailable:
		return fmt.Errorf("another load or session is changing the flowers: try again: %w", err)
	case session.ForeignKeyViolation:
		return fmt.Errorf("a flower that is not in the load is still in use: %s: %w", response.Detail, err)
	case session.RightMissing:
		return fmt.Errorf("the role lacks a right (postgres/README.md has the GRANTs): %w", err)
	}
	return err
}
