package flowers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/internal/session"
)

// This file loads flowers into the database, in one transaction: it copies them into a temporary
// table, and then changes the rows of the table that differ. It does not replace the table, so
// additions by others stay (rights, comments, policies, storage settings, views,
// publications, foreign keys), and no lock stops readers, who see the old rows until the commit. If
// all rows change, this takes about 1.4 times as long as a new table with new indexes.

// LongestSlug is the maximum length of a slug in bytes: an index cannot hold longer ones.
const LongestSlug = 2600

// defaultLoadWait is the default acquire timeout of Load.
const defaultLoadWait = time.Minute

// Load replaces all flowers with the flowers of the sequence, in its order, and returns their
// number. It is a single transaction: an error before the commit, including an error of the
// sequence, changes nothing. Load creates the tables flowers and flower_revision in the current
// schema, and the extension pg_trgm, if they do not exist. It refuses tables of these names that it
// did not make, flowers that [flowercatalog.CheckFlower] refuses, duplicate slugs, and slugs of
// more than [LongestSlug] bytes.
//
// The owner of a table, or a role with the right TRIGGER on it, can make Load execute code with the
// rights of Load's role. So Load refuses tables of another owner, and resolves names in pg_catalog
// first. It does not check triggers: grant TRIGGER only to roles that you trust like this one.
//
// Load waits at most the limit of [WithAcquireTimeout], by default 1 minute, for a free session of
// a server that accepts writes and for another Load to end. After that it takes as long as the
// sequence and the server need; ctx may limit it. If the server has not responded for the time of
// the limit, Load checks by a second session whether the server still works on the flowers, and
// fails if not.
//
// If the connection is lost during the commit, or ctx ends there, it is unknown whether the flowers
// were replaced: load again.
//
// dsn is a connection string as for [Open]. A pooler must be in transaction or session mode.
func Load(ctx context.Context, dsn string, flowers iter.Seq2[flowercatalog.Flower, error], options ...LoadOption) (count int64, err error) {
	l := new(loading)
	l.long, err = session.OpenLong(ctx, dsn, defaultLoadWait, l.begin, options...)
	if err == nil {
		defer l.long.Close(ctx)
		err = l.run(ctx, flowers)
		count = l.count
	}
	switch {
	case err != nil && ctx.Err() != nil && !l.committing:
		return 0, fmt.Errorf("flowers: load: %w", context.Cause(ctx))
	case err != nil:
		return 0, fmt.Errorf("flowers: load: %w", explain(err))
	}
	return count, nil
}

// loading is a load in progress.
type loading struct {
	long       *session.LongTransaction
	tables     tables
	count      int64
	committing bool
}

// beginLoad replaces settings of the role and the database. The settings of TCP and of the client's
// connection, which Windows lacks, let the server notice that the network or Load has ended. With
// row_security off, a policy that hides rows from the loader is an error. lock_timeout is shorter
// than the time after which Load checks the server.
const beginLoad = `BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE;
	SET LOCAL statement_timeout = 0;
	SELECT pg_catalog.set_config(s.name, v.value, true)
	FROM pg_catalog.pg_settings s JOIN (VALUES
		('transaction_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
		('lock_timeout', '%[2]d'), ('tcp_user_timeout', '%[1]d'), ('tcp_keepalives_idle', '15'),
		('tcp_keepalives_interval', '15'), ('tcp_keepalives_count', '3'),
		('client_connection_check_interval',
			CASE WHEN pg_catalog.version() OPERATOR(pg_catalog.~*) 'windows|mingw|visual c' THEN '0' ELSE '1s' END),
		('row_security', 'off'), ('work_mem', '64MB'), ('maintenance_work_mem', '256MB')
	) v (name, value) ON v.name OPERATOR(pg_catalog.=) s.name`

// lockLoads makes two loads into one schema run one after the other. Roles that may only read
// cannot take this lock.
const lockLoads = `LOCK TABLE %[1]s.flower_revision IN SHARE ROW EXCLUSIVE MODE`

// createNext creates the temporary table. The server drops it at the end of the transaction,
// however that ends.
const createNext = `CREATE TEMPORARY TABLE flowers_next (
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
const createSearchIndex = `CREATE INDEX ON %[1]s.flowers USING gin (folded %[2]s.gin_trgm_ops)`

const setRevision = `INSERT INTO %[1]s.flower_revision (revision, loaded) VALUES ($1, now())
	ON CONFLICT (one) DO UPDATE SET revision = excluded.revision, loaded = excluded.loaded`

// begin does everything before the first flower. It can be repeated in another session.
func (l *loading) begin(ctx context.Context, long *session.LongTransaction) error {
	wait := long.Wait
	if err := long.Begin(ctx, fmt.Sprintf(beginLoad, wait.Milliseconds(), (wait*3/4).Milliseconds())); err != nil {
		return err
	}
	t, err := findTables(ctx, long.Conn)
	if err == nil {
		err = t.create(ctx, long.Conn)
	}
	if session.HasCode(err, pgerrcode.DuplicateTable, pgerrcode.DuplicateObject, pgerrcode.UniqueViolation) {
		err = fmt.Errorf("%w: %w", session.ErrConflict, err) // another first load has created them
	}
	if err != nil {
		return fmt.Errorf("create the tables: %w", err)
	}
	for _, statement := range []string{fmt.Sprintf(lockLoads, t.schema), createNext} {
		if _, err := long.Conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
	}
	l.tables = t
	return nil
}

func (l *loading) run(ctx context.Context, flowers iter.Seq2[flowercatalog.Flower, error]) error {
	rows, err := l.copy(ctx, flowers)
	if err != nil {
		return err
	}
	if err := l.exec(ctx, "change the flowers", fmt.Sprintf(changes, l.tables.schema)); err != nil {
		return err
	}
	if !l.tables.searchable {
		if err := l.exec(ctx, "create an index", fmt.Sprintf(createSearchIndex, l.tables.schema, l.tables.trigrams)); err != nil {
			return err
		}
	}
	if err := l.exec(ctx, "set the revision", fmt.Sprintf(setRevision, l.tables.schema), rows.revision()); err != nil {
		return err
	}
	l.committing = true
	if err := l.exec(ctx, "commit", `COMMIT`); err != nil {
		return session.CommitError(l.long.Conn, err)
	}
	// Only for the plans of searches: the server does it too, later.
	ctx, cancel := context.WithTimeout(ctx, l.long.Wait)
	defer cancel()
	_, _ = l.long.Conn.Exec(ctx, fmt.Sprintf(`ANALYZE %s.flowers`, l.tables.schema))
	return nil
}

// copy copies the flowers into the temporary table.
func (l *loading) copy(ctx context.Context, flowers iter.Seq2[flowercatalog.Flower, error]) (*rows, error) {
	rows := newRows(flowers)
	defer rows.stop()
	err := l.long.Step(ctx, rows.progress, func(ctx context.Context) (err error) {
		l.count, err = l.long.Conn.CopyFrom(ctx, pgx.Identifier{"pg_temp", "flowers_next"}, []string{"position", "slug", "name", "folded"}, pgx.CopyFromFunc(rows.next))
		return err
	})
	if rows.err != nil { // err has only its text, as the server repeats it
		return nil, fmt.Errorf("read the flowers: %w", rows.err)
	}
	if err != nil {
		return nil, fmt.Errorf("copy: %w", err)
	}
	return rows, nil
}

func (l *loading) exec(ctx context.Context, what, statement string, args ...any) error {
	err := l.long.Step(ctx, func() (int64, bool) { return 0, true }, func(ctx context.Context) error {
		_, err := l.long.Conn.Exec(ctx, statement, args...)
		return err
	})
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
	case pgerrcode.UniqueViolation:
		return fmt.Errorf("a slug occurs twice: %s: %w", response.Detail, err)
	case pgerrcode.LockNotAvailable:
		return fmt.Errorf("another load or session is changing the flowers: try again: %w", err)
	case pgerrcode.ForeignKeyViolation:
		return fmt.Errorf("a flower that is not in the load is still in use: %s: %w", response.Detail, err)
	case pgerrcode.InsufficientPrivilege:
		return fmt.Errorf("the role lacks a right (postgres/README.md has the GRANTs): %w", err)
	}
	return err
}
