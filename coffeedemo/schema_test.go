package coffeedemo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestSchema checks the tables as SQLite reports them.
func TestSchema(t *testing.T) {
	d := openDemo(t, 1, time.Second)
	d.state(t, fullTables)
	read(t, d, func(conn *sqlite.Conn) {
		for query, want := range map[string]string{
			// name, type, NOT NULL, place in the primary key
			`SELECT name || ' ' || type || ' ' || "notnull" || ' ' || pk FROM pragma_table_info('SUPPLIERS') ORDER BY cid`: `
				SUP_ID INTEGER 0 1, SUP_NAME TEXT 1 0, STREET TEXT 1 0, CITY TEXT 1 0, STATE TEXT 1 0, ZIP TEXT 1 0`,
			`SELECT name || ' ' || type || ' ' || "notnull" || ' ' || pk FROM pragma_table_info('COFFEES') ORDER BY cid`: `
				COF_NAME TEXT 1 1, SUP_ID INTEGER 1 0, PRICE REAL 1 0, SALES INTEGER 1 0, TOTAL INTEGER 1 0`,
			`SELECT name || ' strict ' || strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`: `
				COFFEES strict 1, SUPPLIERS strict 1`,
			`SELECT "table" || ' ' || "from" || ' ' || "to" FROM pragma_foreign_key_list('COFFEES')`:                    `SUPPLIERS SUP_ID SUP_ID`,
			`SELECT count(*) FROM pragma_foreign_key_list('SUPPLIERS')`:                                                 `0`,
			`SELECT instr(sql, 'CONSTRAINT SUP_FK FOREIGN KEY (SUP_ID)') > 0 FROM sqlite_schema WHERE name = 'COFFEES'`: `1`,
			`SELECT foreign_keys FROM pragma_foreign_keys`:                                                              `1`,
			`SELECT DISTINCT typeof(PRICE) || ' ' || typeof(SALES) || ' ' || SALES || ' ' || TOTAL FROM COFFEES`:        `real integer 0 0`,
			`SELECT COF_NAME || ' ' || SUP_ID || ' ' || PRICE FROM COFFEES ORDER BY COF_NAME`: `Colombian 101 7.99,
				Colombian_Decaf 101 8.99, Espresso 150 9.99, French_Roast 49 8.99, French_Roast_Decaf 49 9.99`,
			`SELECT SUP_ID || ' ' || SUP_NAME || ' ' || STREET || ' ' || CITY || ' ' || STATE || ' ' || ZIP FROM SUPPLIERS ORDER BY SUP_ID`: `
				49 Superior Coffee 1 Party Place Mendocino CA 95460, 101 Acme, Inc. 99 Market Street Groundsville CA 95199,
				150 The High Ground 100 Coffee Lane Meadows CA 93966`,
		} {
			got, err := texts(conn, query)
			if want := strings.Join(strings.Fields(want), " "); err != nil || strings.Join(got, ", ") != want {
				t.Errorf("%s:\n got %q, %v,\nwant %q", query, strings.Join(got, ", "), err, want)
			}
		}
	})
}

// wrongType is SQLITE_CONSTRAINT_DATATYPE (sqlite.org/rescode.html), for which zombiezen has no
// constant.
const wrongType = sqlite.ResultConstraint | 12<<8

// TestConstraints: SQLite refuses invalid rows, on every connection of the pool.
func TestConstraints(t *testing.T) {
	d := openDemo(t, 5, time.Second)
	d.state(t, fullTables)
	connections, release, err := d.db.TakeAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for i, conn := range connections {
		for statement, want := range map[string]sqlite.ResultCode{
			`INSERT INTO COFFEES VALUES ('Nil', 99, 1.0, 0, 0)`:          sqlite.ResultConstraintForeignKey,
			`DELETE FROM SUPPLIERS WHERE SUP_ID = 49`:                    sqlite.ResultConstraintForeignKey,
			`INSERT INTO COFFEES VALUES ('Espresso', 49, 1.0, 0, 0)`:     sqlite.ResultConstraintPrimaryKey,
			`INSERT INTO COFFEES VALUES (NULL, 49, 1.0, 0, 0)`:           sqlite.ResultConstraintNotNull,
			`INSERT INTO COFFEES VALUES ('Dear', 49, 'a lot', 0, 0)`:     wrongType,
			`UPDATE COFFEES SET SALES = 1.5 WHERE COF_NAME = 'Espresso'`: wrongType,
		} {
			if got := sqlite.ErrCode(sqlitex.ExecuteTransient(conn, statement, nil)); got != want {
				t.Errorf("connection %d: %s: got %v, want %v", i, statement, got, want)
			}
		}
	}
}

// read queries the database of d.
func read(t *testing.T, d *demo, look func(*sqlite.Conn)) {
	t.Helper()
	err := d.db.Read(context.Background(), func(_ context.Context, conn *sqlite.Conn) error {
		look(conn)
		return nil
	})
	if err != nil {
		t.Errorf("Read: %v", err)
	}
}

// TestTablesInOtherLetterCase: SQLite ignores the letter case of names.
func TestTablesInOtherLetterCase(t *testing.T) {
	d := openDemo(t, 2, time.Second)
	if err := d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `CREATE TABLE Coffees (name TEXT)`, nil)
	}); err != nil {
		t.Fatal(err)
	}
	if err := d.db.Create(t.Context()); !errors.Is(err, coffeedemo.ErrTablesExist) {
		t.Errorf("got %v, want %v", err, coffeedemo.ErrTablesExist)
	}
	if w := d.get(t.Context(), createPath); w.Code != 409 {
		t.Errorf("got %d, want 409", w.Code)
	}
	if err := d.db.Drop(t.Context()); err != nil {
		t.Errorf("drop: %v", err)
	}
}

// What a host has put in the place of the tables is a conflict, and clients see no SQL.
func TestOtherTablesAndViews(t *testing.T) {
	const conflict = "409 The database has a table, view, index or trigger of its own, which prevents this. Rename or drop it there."
	const missing = "409 There are no tables. Call db/create-tables first."
	const tables = `CREATE TABLE SUPPLIERS (SUP_ID INTEGER PRIMARY KEY); `
	for script, want := range map[string][4]string{ // create, load, drop, list
		`CREATE VIEW Coffees AS SELECT 1 AS a`:                      {conflict, missing, missing, missing},
		tables + `CREATE VIEW COFFEES AS SELECT 1 AS a`:             {"409 The tables exist already. Call db/drop-tables first.", missing, conflict, missing},
		tables + `CREATE TABLE COFFEES (name TEXT)`:                 {"409 The tables exist already. Call db/drop-tables first.", conflict, "200 Tables dropped.", conflict},
		`CREATE TABLE OTHER (a); CREATE INDEX COFFEES ON OTHER (a)`: {conflict, missing, missing, missing},
	} {
		for i, path := range []string{createPath, loadPath, dropPath, coffeesPath} {
			d := openDemo(t, 2, time.Second)
			if err := d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				return sqlitex.ExecuteScript(conn, script, nil)
			}); err != nil {
				t.Fatal(err)
			}
			if w := d.get(t.Context(), path); fmt.Sprint(w.Code, " ", w.Body) != want[i] {
				t.Errorf("%s: GET %s: got %d %s, want %s", script, path, w.Code, w.Body, want[i])
			}
		}
	}
}

// While a row of a host's own table refers to the tables, dropping them is a conflict.
func TestTablesInUse(t *testing.T) {
	d := openDemo(t, 2, time.Second)
	d.state(t, fullTables)
	write := func(script string) {
		t.Helper()
		if err := d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
			return sqlitex.ExecuteScript(conn, script, nil)
		}); err != nil {
			t.Fatal(err)
		}
	}
	for column, value := range map[string]string{"coffee TEXT REFERENCES COFFEES": "'Espresso'", "supplier INTEGER REFERENCES SUPPLIERS": "49", "c TEXT REFERENCES COFFEES DEFERRABLE INITIALLY DEFERRED": "'Espresso'"} {
		write(`CREATE TABLE ORDERS (` + column + `); INSERT INTO ORDERS VALUES (` + value + `)`)
		w := d.get(t.Context(), dropPath)
		if want := "The database has a table that refers to these, which prevents this. Rename or drop it there."; w.Code != 409 || w.Body.String() != want {
			t.Errorf("%s: got %d %s, want 409 %s", column, w.Code, w.Body, want)
		}
		if w := d.get(t.Context(), coffeesPath); !strings.Contains(w.Body.String(), "Espresso") {
			t.Errorf("%s: the coffees are %d %s, want all", column, w.Code, w.Body)
		}
		write(`DROP TABLE ORDERS`)
	}
	if w := d.get(t.Context(), dropPath); w.Code != 200 {
		t.Errorf("without the table: got %d, want 200", w.Code)
	}
}
