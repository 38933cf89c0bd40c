package main

import (
	"context"
	"database/sql"
	"fmt"
	"html"
	"net/http"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"example.com/flowercafe/coffeedemo"
)

// The list of coffees: this module's route with its session, transaction and cancellation; the
// floor, which steps and renders one prepared join on one connection; typical handlers with
// database/sql and two drivers; and gin with gorm.

const (
	coffeeTables = `CREATE TABLE SUPPLIERS (SUP_ID INTEGER PRIMARY KEY, SUP_NAME TEXT NOT NULL);
CREATE TABLE COFFEES (COF_NAME TEXT PRIMARY KEY, SUP_ID INTEGER NOT NULL REFERENCES SUPPLIERS, PRICE REAL NOT NULL);
INSERT INTO SUPPLIERS VALUES (101, 'Acme, Inc.'), (49, 'Superior Coffee'), (150, 'The High Ground');
INSERT INTO COFFEES VALUES ('Colombian', 101, 7.99), ('French_Roast', 49, 8.99), ('Espresso', 150, 9.99),
	('Colombian_Decaf', 101, 8.99), ('French_Roast_Decaf', 49, 9.99);`
	coffeeJoin = `SELECT COF_NAME, SUP_NAME FROM COFFEES JOIN SUPPLIERS USING (SUP_ID) ORDER BY COF_NAME`
)

func coffees(ctx context.Context) (*benchmark, error) {
	app, err := loadedCoffees(ctx)
	if err != nil {
		return nil, err
	}
	asked := []call{{
		request: newRequest(ctx, http.MethodGet, coffeesPath),
		want:    response{http.StatusOK, "text/html; charset=utf-8", responseOf(ctx, app, coffeesPath).Body.String()},
	}}
	b := &benchmark{about: "the list of five coffees with their suppliers", reference: "floor"}
	b.enter("flowercafe", app, asked)
	floor, closeFloor, err := coffeeFloor()
	if err != nil {
		return nil, err
	}
	b.enter("floor", floor, asked)
	closes := func(stop func() error) { b.closers = append(b.closers, func() { stop() }) }
	closes(app.Close)
	closes(closeFloor)
	for _, d := range sqlDrivers() {
		h, stop, err := coffeesBySQL(d.driver, d.dsn)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		b.enter(d.name, h, asked)
		closes(stop)
	}
	if hasCgo {
		h, stop, err := ginWithGorm()
		if err != nil {
			return nil, fmt.Errorf("gin+gorm: %w", err)
		}
		b.enter("gin+gorm", h, asked)
		closes(stop)
	} else {
		for _, name := range []string{"database/sql+mattn", "gin+gorm"} {
			b.leaveOut(name, "needs cgo, which this build does not have")
		}
	}
	return b, nil
}

// loadedCoffees returns a coffee demo whose tables have data.
func loadedCoffees(ctx context.Context, options ...coffeedemo.Option) (*coffeedemo.App, error) {
	app, err := coffeedemo.New(options...)
	if err != nil {
		return nil, err
	}
	for _, path := range []string{"/db/create-tables", "/db/load-data"} {
		if recorder := responseOf(ctx, app, path); recorder.Code != http.StatusOK {
			return nil, fmt.Errorf("%s: status %d", path, recorder.Code)
		}
	}
	return app, nil
}

// A sqlDriver is a way to reach SQLite by database/sql.
type sqlDriver struct{ name, driver, dsn string }

func sqlDrivers() []sqlDriver {
	return append([]sqlDriver{{"database/sql+modernc", "sqlite", "file:/benchmark?vfs=memdb"}}, cgoDrivers...)
}

func coffeeFloor() (http.Handler, func() error, error) {
	conn, err := sqlite.OpenConn("file:/floor?vfs=memdb", sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return nil, nil, err
	}
	if err := sqlitex.ExecuteScript(conn, coffeeTables, nil); err != nil {
		return nil, nil, err
	}
	join, err := conn.Prepare(coffeeJoin)
	if err != nil {
		return nil, nil, err
	}
	var body []byte
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body = body[:0]
		for {
			row, err := join.Step()
			if err != nil {
				http.Error(w, "failed", http.StatusInternalServerError)
				return
			}
			if !row {
				break
			}
			body = appendCoffee(body, join.ColumnText(0), join.ColumnText(1))
		}
		join.Reset()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(body)
	}), conn.Close, nil
}

func appendCoffee(body []byte, coffee, supplier string) []byte {
	if len(body) > 0 {
		body = append(body, "<br />"...)
	}
	body = append(body, "  "...)
	body = append(body, html.EscapeString(coffee)...)
	body = append(body, " supplied by "...)
	return append(body, html.EscapeString(supplier)...)
}

func coffeesBySQL(driver, dsn string) (http.Handler, func() error, error) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(50)
	db.SetMaxIdleConns(50)
	if _, err := db.Exec(coffeeTables); err != nil {
		return nil, nil, err
	}
	join, err := db.Prepare(coffeeJoin)
	if err != nil {
		return nil, nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := coffeesInTransaction(r.Context(), db, join)
		if err != nil {
			http.Error(w, "failed", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(body)
	}), db.Close, nil
}

func coffeesInTransaction(ctx context.Context, db *sql.DB, join *sql.Stmt) ([]byte, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	rows, err := tx.StmtContext(ctx, join).QueryContext(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var body []byte
	for rows.Next() {
		var coffee, supplier string
		if err := rows.Scan(&coffee, &supplier); err != nil {
			return nil, err
		}
		body = appendCoffee(body, coffee, supplier)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return body, tx.Commit()
}
