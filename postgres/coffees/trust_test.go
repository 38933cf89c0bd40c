package coffees_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestTablesOfAnotherOwner: who may create objects in the schema cannot make the store execute
// their code, neither by a trigger, a view or a policy, nor by an operator in place of one of
// pg_catalog.
func TestTablesOfAnotherOwner(t *testing.T) {
	s := servertest.New(t)
	for name, planted := range map[string]string{
		"triggers": `CREATE TABLE theirs.suppliers (sup_id int PRIMARY KEY, sup_name text, street text, city text, state text, zip text);
			CREATE TABLE theirs.coffees (cof_name text PRIMARY KEY, sup_id int, price float8, sales int, total int);
			CREATE TRIGGER trap AFTER INSERT ON theirs.suppliers FOR EACH STATEMENT EXECUTE FUNCTION theirs.trigger_trap();
			CREATE TRIGGER trap AFTER INSERT ON theirs.coffees FOR EACH STATEMENT EXECUTE FUNCTION theirs.trigger_trap()`,
		"views": `CREATE TABLE theirs.suppliers (sup_id int PRIMARY KEY, sup_name text);
			CREATE VIEW theirs.coffees AS SELECT 'a'::text AS cof_name, 1 AS sup_id WHERE theirs.trap() = 1;
			INSERT INTO theirs.suppliers VALUES (1, 's')`,
		"policies": `CREATE TABLE theirs.suppliers (sup_id int PRIMARY KEY, sup_name text, street text, city text, state text, zip text);
			CREATE TABLE theirs.coffees (cof_name text PRIMARY KEY, sup_id int, price float8, sales int, total int);
			INSERT INTO theirs.suppliers VALUES (1, 's'); INSERT INTO theirs.coffees VALUES ('a', 1);
			ALTER TABLE theirs.coffees ENABLE ROW LEVEL SECURITY; CREATE POLICY trap ON theirs.coffees USING (theirs.trap() = 1)`,
		"operators": `CREATE FUNCTION theirs.equal(name, name) RETURNS boolean LANGUAGE sql AS 'SELECT theirs.trap() = 1';
			CREATE OPERATOR theirs.= (LEFTARG = name, RIGHTARG = name, FUNCTION = theirs.equal);
			CREATE FUNCTION theirs.equal(integer, integer) RETURNS boolean LANGUAGE sql AS 'SELECT theirs.trap() OPERATOR(pg_catalog.=) 1';
			CREATE OPERATOR theirs.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = theirs.equal)`,
	} {
		dsn := s.Database(t)
		database := servertest.DatabaseOf(dsn)
		s.Exec("postgres", `DO $$ BEGIN CREATE ROLE mallory LOGIN; CREATE ROLE victim LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
			ALTER ROLE victim IN DATABASE `+database+` SET search_path = theirs, pg_catalog`)
		s.Exec(database, `CREATE SCHEMA theirs AUTHORIZATION mallory; GRANT ALL ON SCHEMA theirs TO victim;
			CREATE TABLE public.sprung (role text); GRANT ALL ON public.sprung TO PUBLIC`)
		mallory, err := pgx.Connect(t.Context(), strings.Replace(dsn, "user=cafe", "user=mallory", 1))
		if err != nil {
			t.Fatal(err)
		}
		defer mallory.Close(context.Background())
		_, err = mallory.Exec(t.Context(), `CREATE FUNCTION theirs.trap() RETURNS int LANGUAGE plpgsql AS
				'BEGIN IF current_user::text OPERATOR(pg_catalog.=) ''victim'' THEN RAISE LOG ''TRAP''; INSERT INTO public.sprung VALUES (current_user); END IF; RETURN 1; END';
			CREATE FUNCTION theirs.trigger_trap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM theirs.trap(); RETURN NULL; END';
			`+planted)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name != "operators" {
			s.Exec(database, `GRANT ALL ON ALL TABLES IN SCHEMA theirs TO victim`)
		}
		store := open(t, strings.Replace(dsn, "user=cafe", "user=victim", 1))
		defer store.Close()
		for _, call := range calls {
			err := call.do(t.Context(), store)
			if obstacle := new(coffees.ObstacleError); name != "operators" && call.name != "ping" && !errors.As(err, &obstacle) {
				t.Errorf("%s: %s: got %v, want what is in the way", name, call.name, err)
			}
			if err != nil && strings.Contains(err.Error(), "read-only transaction") {
				t.Errorf("%s: %s: the trap was sprung, but could not write: %v", name, call.name, err)
			}
		}
		if got := s.Value(database, `SELECT count(*) FROM public.sprung`); got != 0 {
			t.Errorf("%s: the trap was sprung %d times", name, got)
		}
	}
}
