package flowers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file loads flowers beside other sessions and other tables.

// TestOthersTables: a load leaves tables of others alone, and says so.
func TestOthersTables(t *testing.T) {
	s := servertest.New(t)
	for _, test := range []struct{ name, statements string }{
		{"orders", `CREATE TABLE flowers (orders int); INSERT INTO flowers SELECT generate_series(1, 1000)`},
		{"a table with the same columns", `CREATE TABLE flowers AS SELECT i AS position, '' AS slug, '' AS name, '' AS folded FROM generate_series(1, 1000) i`},
		{"a view", `CREATE VIEW flowers AS SELECT generate_series(1, 1000)`},
		{"another revision", `CREATE TABLE flower_revision (revision text); CREATE VIEW flowers AS SELECT generate_series(1, 1000)`},
	} {
		dsn := s.Database(t)
		database := servertest.DatabaseOf(dsn)
		s.Exec(database, test.statements)
		_, err := flowers.Load(t.Context(), dsn, sequence(many(3)...))
		if err == nil || !strings.Contains(err.Error(), "not made by flowerload") || !strings.Contains(err.Error(), `"public".flower`) {
			t.Errorf("%s: got %v, want what stands in the way", test.name, err)
		}
		if got := s.Value(database, `SELECT count(*) FROM flowers`); got != 1000 {
			t.Errorf("%s: got %d rows afterwards, want 1000", test.name, got)
		}
		if err := open(t, dsn).Ping(t.Context()); err == nil {
			t.Errorf("%s: a store takes it for the flowers", test.name)
		}
		s.Exec(database, `CREATE SCHEMA shop`)
		load(t, dsn+" search_path=shop", many(3)...)
		if got := s.Value(database, `SELECT count(*) FROM shop.flowers`); got != 3 {
			t.Errorf("%s: got %d flowers in another schema, want 3", test.name, got)
		}
	}
}

// TestSearchPath: without a schema to load into, the error says what to write.
func TestSearchPath(t *testing.T) {
	s := servertest.New(t)
	dsn := s.DatabaseWith(t, `search_path = 'nowhere'`)
	if _, err := flowers.Load(t.Context(), dsn, sequence()); err == nil || !strings.Contains(err.Error(), "search_path=public") {
		t.Errorf("load: got %v, want what to write", err)
	}
	load(t, dsn+" search_path=public", many(3)...)
	if err := open(t, dsn).Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "search_path") {
		t.Errorf("ping: got %v, want what to look for", err)
	}
}

// TestLoadBesideReader: a session that has read the flowers, such as a dump, stops neither a load
// nor other readers. It still sees the old flowers.
func TestLoadBesideReader(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(10)...)
	store := open(t, dsn)
	dump, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer dump.Close(context.Background())
	count := func() (n int) {
		if err := dump.QueryRow(t.Context(), `SELECT count(*) FROM flowers`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if _, err := dump.Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ`); err != nil {
		t.Fatal(err)
	}
	before := count()
	load(t, dsn, many(20)...)
	if _, err := store.Find(t.Context(), many(20)[19].Slug); err != nil {
		t.Errorf("a new flower: got %v", err)
	}
	if after := count(); before != 10 || after != 10 {
		t.Errorf("the dump sees %d flowers and then %d, want 10 of one state", before, after)
	}
}

// TestLoadKeeps: what others add to the table stays.
func TestLoadKeeps(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	database := servertest.DatabaseOf(dsn)
	s.Exec(database, `CREATE SCHEMA extensions; CREATE EXTENSION pg_trgm SCHEMA extensions; CREATE PUBLICATION everything FOR ALL TABLES`)
	load(t, dsn, many(100)...)
	s.Exec(database, `CREATE ROLE reader LOGIN BYPASSRLS; CREATE ROLE shy LOGIN;
		GRANT SELECT ON flowers, flower_revision TO reader;
		COMMENT ON TABLE flowers IS 'of the shop'; COMMENT ON COLUMN flowers.name IS 'for people';
		ALTER TABLE flowers SET (fillfactor = 70), ENABLE ROW LEVEL SECURITY;
		CREATE POLICY all_of_them ON flowers FOR SELECT TO reader USING (true);
		ALTER TABLE flowers ADD COLUMN color text DEFAULT 'red';
		CREATE INDEX by_color ON flowers (color);
		CREATE VIEW red AS SELECT slug FROM flowers WHERE color = 'red';
		CREATE TABLE orders (slug text COLLATE "C" REFERENCES flowers)`)
	s.Exec(database, `INSERT INTO orders VALUES ('flower-0000007'); UPDATE flowers SET color = 'blue' WHERE slug = 'flower-0000008'`)
	state := `SELECT hashtext(concat(c.oid, relacl, reloptions, relrowsecurity, obj_description(c.oid), col_description(c.oid, 2),
		(SELECT string_agg(indexrelid::text, ',' ORDER BY indexrelid) FROM pg_index WHERE indrelid = c.oid),
		(SELECT string_agg(conname, ',' ORDER BY conname) FROM pg_constraint WHERE conrelid = c.oid),
		(SELECT string_agg(polname, ',') FROM pg_policy WHERE polrelid = c.oid))) FROM pg_class c WHERE relname = 'flowers'`
	before := s.Value(database, state)
	all := many(60)
	all[3].Name, all[4], all[5] = "Renamed", all[5], all[4]
	load(t, dsn, all...)
	if after := s.Value(database, state); after != before {
		t.Error("rights, comments, policies, settings, indexes or constraints have changed")
	}
	if got := s.Value(database, `SELECT count(*) FROM red`); got != 59 {
		t.Errorf("the view has %d rows, want 59", got)
	}
	reader := open(t, strings.Replace(dsn, "user=cafe", "user=reader", 1))
	var got []flowercatalog.Flower
	err := reader.List(t.Context(), flowercatalog.Page{}, func(f flowercatalog.Flower) error { got = append(got, f); return nil })
	if err != nil || len(got) != 60 || got[3].Name != "Renamed" || got[4] != all[4] {
		t.Errorf("the reader: got %d flowers, %v, want the 60 of the load", len(got), err)
	}
	if err := open(t, strings.Replace(dsn, "user=cafe", "user=shy", 1)).Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "GRANT SELECT") {
		t.Errorf("ping without rights: got %v, want the GRANT", err)
	}
	if _, err := flowers.Load(t.Context(), dsn, sequence(many(3)...)); err == nil || !strings.Contains(err.Error(), "still in use: Key (slug)=(flower-0000007)") {
		t.Errorf("a load without a flower that was ordered: got %v, want which", err)
	}
}

// TestLoadTouchesOnlyDifferences: rows that stay are not written.
func TestLoadTouchesOnlyDifferences(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(1000)...)
	all := many(1001)
	all[500].Name = "Renamed"
	load(t, dsn, all[1:]...) // one less, which moves all
	load(t, dsn, all...)
	rows := `SELECT count(*) FROM flowers f JOIN (SELECT max(xmin::text::bigint) AS last FROM flowers) m ON f.xmin::text::bigint = m.last`
	all[700].Name = "Renamed too"
	load(t, dsn, append(all, flowercatalog.Flower{Slug: "new"})...)
	if got := s.Value(servertest.DatabaseOf(dsn), rows); got != 2 {
		t.Errorf("a name changed and a flower added: %d rows were written, want 2", got)
	}
}

// TestLoadThroughPgBouncer loads several times, each time in another session of the server.
func TestLoadThroughPgBouncer(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	pooled := s.Pooled(dsn, servertest.NewPooler(t, s))
	for i := range 4 {
		load(t, pooled, many(10+i)...)
	}
	if got := s.Value(servertest.DatabaseOf(dsn), `SELECT count(*) FROM flowers`); got != 13 {
		t.Errorf("got %d flowers, want 13", got)
	}
}

// TestLoadsAtOnce: concurrent loads, also the first ones, wait for each other.
func TestLoadsAtOnce(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	results := make(chan error)
	for i := range 6 {
		go func() {
			_, err := flowers.Load(t.Context(), dsn, sequence(many(100+i)...))
			results <- err
		}()
	}
	for range 6 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	whole := `SELECT count(*) - max(position) + min(position) - 1 FROM flowers`
	if got := s.Value(servertest.DatabaseOf(dsn), whole); got != 0 {
		t.Error("the flowers are those of several loads")
	}
}

// TestLoadWithoutNetwork: a load whose server stops responding ends, wherever it is, and so does
// one whose connection is cut. The flowers stay, and the next load succeeds.
func TestLoadWithoutNetwork(t *testing.T) {
	t.Parallel() // it mostly waits
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(5)...)
	store := open(t, dsn)
	before, err := store.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const inSequence = -1 // when the load asks for the first flower
	for _, fault := range []servertest.Fault{servertest.Stall, servertest.Cut} {
		for _, after := range []int{0, 100, 600, 1000, 1400, inSequence} { // bytes from the server
			servertest.Steady(t, func() error {
				network := servertest.NewNetwork(t, s.Port)
				all := sequence(many(5000)...)
				if after != inSequence {
					network.After(after, fault)
				} else {
					all = func(yield func(flowercatalog.Flower, error) bool) {
						network.After(0, fault)
						sequence(many(5000)...)(yield)
					}
				}
				silent := strings.Replace(network.Through(dsn), "connect_timeout=30", "", 1) // the limit is the load's own
				_, err := flowers.Load(t.Context(), silent, all, flowers.WithAcquireTimeout(2*time.Second))
				if !network.Happened() {
					t.Logf("fault %d after %d bytes: it ended before", fault, after)
					load(t, dsn, many(5)...)
					return nil
				}
				network.Resume()
				if err == nil {
					load(t, dsn, many(5)...)
					if fault == servertest.Cut && after != inSequence { // it has got another session
						return nil
					}
					return fmt.Errorf("fault %d after %d bytes: got no error", fault, after)
				}
				if now, err := store.Revision(t.Context()); err != nil || now != before {
					t.Errorf("fault %d after %d bytes: then the revision is %q, %v, want %q", fault, after, now, err, before)
				}
				return nil
			})
		}
	}
	load(t, dsn, many(6)...)
}

// TestLoadStalledInput: the time of the sequence does not count.
func TestLoadStalledInput(t *testing.T) {
	t.Parallel() // it mostly waits
	const wait = 2 * time.Second
	s := servertest.New(t)
	slow := func(yield func(flowercatalog.Flower, error) bool) {
		for _, f := range many(2) {
			time.Sleep(wait * 5 / 4)
			if !yield(f, nil) {
				return
			}
		}
	}
	dsn := s.DatabaseWith(t, `idle_in_transaction_session_timeout = '600ms'`, `statement_timeout = '600ms'`)
	servertest.Steady(t, func() error {
		_, err := flowers.Load(t.Context(), dsn, slow, flowers.WithAcquireTimeout(wait))
		return err
	})
}

// TestLoadWaitsForServer: a load waits for a free session, and for a server that restarts.
func TestLoadWaitsForServer(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	s.Exec("postgres", `CREATE ROLE one LOGIN SUPERUSER CONNECTION LIMIT 1`)
	one := strings.Replace(dsn, "user=cafe", "user=one", 1)
	s.Exec("postgres", `ALTER ROLE one NOSUPERUSER`)
	s.Exec("postgres", `GRANT ALL ON DATABASE `+servertest.DatabaseOf(dsn)+` TO one`)
	s.Exec(servertest.DatabaseOf(dsn), `GRANT ALL ON SCHEMA public TO one`)
	other, err := pgx.Connect(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := flowers.Load(t.Context(), one, sequence(), flowers.WithAcquireTimeout(6*time.Second)); err == nil || !strings.Contains(err.Error(), "53300") {
		t.Errorf("without a free session: got %v, want 53300", err)
	}
	time.AfterFunc(time.Second, func() { other.Close(context.Background()) })
	load(t, one, many(3)...)

	s.Kill()
	loaded := make(chan error)
	go func() {
		_, err := flowers.Load(t.Context(), one, sequence(many(4)...))
		loaded <- err
	}()
	time.Sleep(300 * time.Millisecond)
	s.Start()
	if err := <-loaded; err != nil {
		t.Errorf("while the server restarts: got %v", err)
	}
}

// TestLoadSequenceFails: an error of the sequence is that of the load, and changes nothing.
func TestLoadSequenceFails(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(3)...)
	torn := errors.New("the file is torn")
	_, err := flowers.Load(t.Context(), dsn, func(yield func(flowercatalog.Flower, error) bool) {
		if yield(many(1)[0], nil) {
			yield(flowercatalog.Flower{}, torn)
		}
	})
	if !errors.Is(err, torn) || strings.Contains(err.Error(), "SQLSTATE") {
		t.Errorf("got %v, want the error of the sequence, and not what the server says about it", err)
	}
	if got := s.Value(servertest.DatabaseOf(dsn), `SELECT count(*) FROM flowers`); got != 3 {
		t.Errorf("there are %d flowers, want the 3 of before", got)
	}
}

// TestLoadContext: the end of the context ends a load.
func TestLoadContext(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	_, err := flowers.Load(ctx, dsn, func(yield func(flowercatalog.Flower, error) bool) {
		cancel(over)
		for _, f := range many(100_000) {
			if !yield(f, nil) {
				return
			}
		}
	})
	if !errors.Is(err, over) {
		t.Errorf("got %v, want the cause", err)
	}
	if got := s.Value(servertest.DatabaseOf(dsn), `SELECT count(*) FROM pg_class WHERE relname LIKE 'flower%'`); got != 0 {
		t.Errorf("the load has left %d tables and indexes", got)
	}
}

// TestLoadBesideDeadServer: a server that is silent, first in the connection string, takes a part
// of the time only.
func TestLoadBesideDeadServer(t *testing.T) {
	s := servertest.New(t)
	dsn := strings.Replace(s.Database(t), "connect_timeout=30", "", 1)
	dead := servertest.NewNetwork(t, s.Port)
	dead.Stall()
	_, port, _ := strings.Cut(dead.Through(dsn), "port=")
	port, _, _ = strings.Cut(port, " ")
	load(t, strings.Replace(dsn, "host=127.0.0.1 port=", "host=127.0.0.1,127.0.0.1 port="+port+",", 1), many(3)...)
}

// TestLoadWaitsForPrimary: a load waits for a standby that becomes the primary.
func TestLoadWaitsForPrimary(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	standby := s.Standby(t, "standby")
	var promoting sync.WaitGroup
	defer promoting.Wait()
	promoting.Go(func() {
		time.Sleep(500 * time.Millisecond)
		standby.Exec("postgres", `SELECT pg_promote()`)
	})
	load(t, standby.DSN(servertest.DatabaseOf(dsn)), many(3)...)
}

// TestLoadWaitsForPgBouncer: a pooler without a free slot refuses a session with 08P01.
func TestLoadWaitsForPgBouncer(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	pooled := s.Pooled(dsn, servertest.NewPooler(t, s, "max_client_conn = 1"))
	var other *pgx.Conn
	for end := time.Now().Add(hangGuard); other == nil; { // the pooler has one slot, and has just been tried
		var err error
		if other, err = pgx.Connect(t.Context(), pooled); err != nil && time.Now().After(end) {
			t.Fatal(err)
		}
	}
	time.AfterFunc(time.Second, func() { other.Close(context.Background()) })
	load(t, pooled, many(3)...)
}

// TestLockedTable: a load that waits in vain for a lock says so.
func TestLockedTable(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(3)...)
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE flowers`); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		servertest.Steady(t, func() error {
			_, err := flowers.Load(t.Context(), dsn, sequence(many(4)...), flowers.WithAcquireTimeout(2*time.Second))
			if err == nil || !strings.Contains(err.Error(), "another load or session is changing the flowers") {
				return fmt.Errorf("got %v, want that another session is changing the flowers", err)
			}
			return nil
		})
	}
}

// TestTablesOfAnotherOwner: who may create tables in the schema cannot make a load execute a
// trigger, nor a function in place of one of pg_catalog.
func TestTablesOfAnotherOwner(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	database := servertest.DatabaseOf(dsn)
	load(t, dsn, many(3)...)
	s.Exec(database, `CREATE ROLE mallory LOGIN; GRANT CREATE ON SCHEMA public TO mallory; CREATE SCHEMA theirs AUTHORIZATION mallory;
		ALTER ROLE cafe IN DATABASE `+database+` SET search_path = theirs, pg_catalog`)
	mallory, err := pgx.Connect(t.Context(), strings.Replace(dsn, "user=cafe", "user=mallory", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer mallory.Close(context.Background())
	_, err = mallory.Exec(t.Context(), `CREATE TABLE theirs.trap (role text);
		CREATE FUNCTION theirs.spring() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO theirs.trap VALUES (current_user); RETURN NULL; END';
		CREATE FUNCTION theirs.pg_get_userbyid(oid) RETURNS name LANGUAGE plpgsql AS 'BEGIN INSERT INTO theirs.trap VALUES (current_user); RETURN current_user; END';
		CREATE TABLE theirs.flowers (slug text PRIMARY KEY, name text, folded text, position bigint CONSTRAINT flowercafe_2 CHECK (position > 0));
		CREATE TABLE theirs.flower_revision (one boolean PRIMARY KEY CONSTRAINT flowercafe_2 CHECK (one), revision text, loaded timestamptz);
		CREATE TRIGGER trap AFTER INSERT ON theirs.flowers FOR EACH STATEMENT EXECUTE FUNCTION theirs.spring()`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = flowers.Load(t.Context(), dsn, sequence(many(4)...))
	if err == nil || !strings.Contains(err.Error(), "belongs to the role mallory") {
		t.Errorf("got %v, want whose the table is", err)
	}
	if got := s.Value(database, `SELECT count(*) FROM theirs.trap`); got != 0 {
		t.Errorf("the trap was sprung %d times", got)
	}
}
