package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestRoles: the roles of deploy/ can do what they are for, and nothing else.
func TestRoles(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	s.Exec(servertest.DatabaseOf(dsn), `GRANT CREATE ON SCHEMA public TO PUBLIC`) // as until PostgreSQL 14
	for range 2 {
		s.Exec(servertest.DatabaseOf(dsn), read(t, "deploy/roles.sql"))
		s.Exec(servertest.DatabaseOf(dsn), read(t, "deploy/schemas.sql"))
	}
	as := func(role string) string { return strings.Replace(dsn, "user=cafe", "user="+role, 1) }
	rose := flowercatalog.Flower{Slug: "rose", Name: "Rose"}
	for range 2 {
		if _, err := flowers.Load(t.Context(), as("loader"), func(yield func(flowercatalog.Flower, error) bool) { yield(rose, nil) }); err != nil {
			t.Fatal(err)
		}
	}
	catalog, err := flowers.Open(t.Context(), as("catalog"), flowers.WithAcquireTimeout(hangGuard))
	if err != nil {
		t.Fatal(err)
	}
	defer catalog.Close()
	if got, err := catalog.Find(t.Context(), "rose"); err != nil || got != rose {
		t.Errorf("catalog: got %v, %v, want the rose", got, err)
	}
	if err := catalog.Ping(t.Context()); err != nil {
		t.Errorf("catalog: ping: %v", err)
	}
	demo, err := coffees.Open(t.Context(), as("coffees"), coffees.WithAcquireTimeout(hangGuard))
	if err != nil {
		t.Fatal(err)
	}
	defer demo.Close()
	for range 2 {
		err := demo.Create(t.Context())
		if err == nil {
			err = demo.Load(t.Context(), []coffeedemo.Supplier{{ID: 1}}, []coffeedemo.Coffee{{Name: "Colombian", SupplierID: 1}})
		}
		if err == nil {
			err = demo.List(t.Context(), func(coffee, supplier string) error { return nil })
		}
		if err == nil {
			err = demo.Drop(t.Context())
		}
		if err != nil {
			t.Fatalf("coffees: %v", err)
		}
	}
	if err := demo.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ role, statement string }{
		{"catalog", `UPDATE flowers.flowers SET name = ''`}, {"catalog", `DROP TABLE flowers.flowers`}, {"catalog", `CREATE TABLE flowers.x ()`},
		{"catalog", `CREATE TEMPORARY TABLE x ()`}, {"catalog", `SELECT * FROM coffees.coffees`}, {"coffees", `SELECT * FROM flowers.flowers`},
		{"loader", `SELECT * FROM coffees.coffees`}, {"loader", `CREATE SCHEMA x`}, {"coffees", `CREATE SCHEMA x`},
		{"catalog", `CREATE TABLE public.x ()`}, {"coffees", `CREATE TABLE public.x ()`},
	} {
		conn, err := pgx.Connect(t.Context(), as(test.role))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), test.statement); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("%s: %s: got %v, want permission denied", test.role, test.statement, err)
		}
		conn.Close(t.Context())
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks returns the code of a section of the README in a language.
func blocks(t *testing.T, section, language string) (all []string) {
	t.Helper()
	return blocksOf(t, "README.md", section, language)
}

func blocksOf(t *testing.T, file, section, language string) (all []string) {
	t.Helper()
	_, text, _ := strings.Cut(read(t, file), "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, block := range strings.Split(text, "```"+language+"\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		all = append(all, block)
	}
	return all
}

// cafe loads flowers and makes coffees as the roles of deploy/.
func cafe(t *testing.T, dsn string, number int) {
	t.Helper()
	_, err := flowers.Load(t.Context(), strings.Replace(dsn, "user=cafe", "user=loader", 1), func(yield func(flowercatalog.Flower, error) bool) {
		for i := range number {
			if !yield(flowercatalog.Flower{Slug: fmt.Sprint("f", i), Name: "Rose"}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// found returns how many flowers the role catalog finds, in all sessions of a pool.
func found(t *testing.T, dsn string) (number int) {
	t.Helper()
	store, err := flowers.Open(t.Context(), strings.Replace(dsn, "user=cafe", "user=catalog", 1), flowers.WithAcquireTimeout(hangGuard))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.List(t.Context(), flowercatalog.Page{}, func(flowercatalog.Flower) error { number++; return nil }); err != nil {
		t.Fatal(err)
	}
	return number
}

// TestRestore does what the README says: it dumps, restores into another database and exchanges the
// two, in the same cluster, where there is a second schema, and in a new one. Then everything works
// as before.
func TestRestore(t *testing.T) {
	old, other := servertest.New(t), servertest.New(t)
	folder := servertest.Folder(t)
	run := func(s *servertest.Server, script string) {
		t.Helper()
		script = strings.NewReplacer("cafe.dump", folder+"/cafe.dump", "/usr/local/share/flowercafe", "deploy").Replace(script)
		cmd := exec.Command("sh", "-e", "-c", script) // by its port, so not as the server's user
		cmd.Env = append(os.Environ(), "PATH="+s.Bin+":"+os.Getenv("PATH"), "PGHOST=127.0.0.1", "PGUSER=cafe", "PGDATABASE=postgres", fmt.Sprint("PGPORT=", s.Port))
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, output)
		}
	}
	scripts := blocks(t, "Backup and restore", "sh")
	dump, restore := scripts[0], scripts[1]
	exchange := blocks(t, "Backup and restore", "sql")[0]
	const create = "createdb --template=template0 --encoding=UTF8 --locale=C.UTF-8 cafe"
	run(old, create+"; cat deploy/roles.sql deploy/schemas.sql | psql -v ON_ERROR_STOP=1 -d cafe")
	cafe(t, old.DSN("cafe"), 7)
	coffee := func(s *servertest.Server) *coffees.Store {
		store, err := coffees.Open(t.Context(), strings.Replace(s.DSN("cafe"), "user=cafe", "user=coffees", 1), coffees.WithAcquireTimeout(hangGuard))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return store
	}
	first := coffee(old)
	fill(t, first)
	first.Close()
	run(old, dump)
	for _, statement := range strings.Split(strings.TrimSpace(blocks(t, "Upgrades of the schema", "sql")[0]), ";\n") {
		old.Exec("cafe", statement)
	}
	cafe(t, old.DSN("cafe")+" search_path=flowers2", 5)
	for _, s := range []*servertest.Server{old, other} {
		run(s, restore)
		statements := strings.Split(strings.TrimSpace(exchange), "\n")
		if s == other {
			statements = statements[3:]
		}
		for _, statement := range statements {
			s.Exec("postgres", statement)
		}
		if got := found(t, s.DSN("cafe")); got != 7 {
			t.Errorf("restored: got %d flowers, want 7", got)
		}
		cafe(t, s.DSN("cafe"), 9)
		if got := found(t, s.DSN("cafe")); got != 9 {
			t.Errorf("restored, and loaded again: got %d flowers, want 9", got)
		}
		store := coffee(s)
		if err := errors.Join(list(t.Context(), store), store.Drop(t.Context()), store.Create(t.Context())); err != nil {
			t.Errorf("restored: coffees: %v", err)
		}
		store.Close()
		conn, err := pgx.Connect(t.Context(), strings.Replace(s.DSN("cafe"), "user=cafe", "user=catalog", 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), `CREATE TEMPORARY TABLE x ()`); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("restored: the rights on the database are more than before: %v", err)
		}
		conn.Close(t.Context())
	}
}

// TestUpgrade does what the README says: each host reads the schema of its version, until the old
// one is dropped.
func TestUpgrade(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	database := servertest.DatabaseOf(dsn)
	s.Exec(database, read(t, "deploy/roles.sql"))
	s.Exec(database, read(t, "deploy/schemas.sql"))
	cafe(t, dsn, 7)
	scripts := blocks(t, "Upgrades of the schema", "sql")
	prepare, end := scripts[0], scripts[1]
	for range 2 {
		s.Exec(database, prepare)
	}
	cafe(t, dsn+" search_path=flowers2", 9)
	for range 3 { // new sessions of both versions
		if before, after := found(t, dsn), found(t, dsn+" search_path=flowers2"); before != 7 || after != 9 {
			t.Errorf("got %d and %d flowers, want 7 for the old hosts and 9 for the new ones", before, after)
		}
	}
	s.Exec(database, end)
	cafe(t, dsn, 11)
	if got := found(t, dsn); got != 11 {
		t.Errorf("in the end: got %d flowers, want 11", got)
	}
}
