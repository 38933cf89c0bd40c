package postgres_test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestRoles: the roles of deploy/roles.sql can do what they are for, and nothing else.
func TestRoles(t *testing.T) {
	script, err := os.ReadFile("deploy/roles.sql")
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.New(t)
	dsn := s.Database(t)
	s.Exec(servertest.DatabaseOf(dsn), string(script))
	as := func(role string) string { return strings.Replace(dsn, "user=cafe", "user="+role, 1) }
	rose := flowercatalog.Flower{Slug: "rose", Name: "Rose"}
	for range 2 {
		if _, err := flowers.Load(t.Context(), as("loader"), func(yield func(flowercatalog.Flower, error) bool) { yield(rose, nil) }); err != nil {
			t.Fatal(err)
		}
	}
	catalog, err := flowers.Open(t.Context(), as("catalog"))
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
	demo, err := coffees.Open(t.Context(), as("coffees"))
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
