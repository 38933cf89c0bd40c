package coffeedemo_test

import (
	"context"
	"errors"
	"expvar"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/routing"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// visit prints what a handler responds to GET requests.
func visit(handler http.Handler, paths ...string) {
	for _, path := range paths {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(w.Code, strings.ReplaceAll(w.Body.String(), "<br />", "\n   "))
	}
}

func ExampleNew() {
	app, err := coffeedemo.New()
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	server := httptest.NewServer(app)
	defer server.Close()

	for _, path := range []string{"/coffees", "/db/create-tables", "/db/load-data", "/db/load-data", "/coffees", "/db/drop-tables"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		fmt.Printf("%d %s\n", response.StatusCode, body)
	}
	// Output:
	// 409 There are no tables. Call db/create-tables first.
	// 200 Tables created. Call db/load-data next.
	// 200 Data loaded. Call coffees next.
	// 409 The data is loaded already. Call db/drop-tables to begin again.
	// 200   Colombian supplied by Acme, Inc.<br />  Colombian_Decaf supplied by Acme, Inc.<br />  Espresso supplied by The High Ground<br />  French_Roast supplied by Superior Coffee<br />  French_Roast_Decaf supplied by Superior Coffee
	// 200 Tables dropped.
}

// The texts of the responses include the base path. Other paths go to the next handler.
func ExampleWithBasePath() {
	app, err := coffeedemo.New(
		coffeedemo.WithBasePath("/shop"),
		coffeedemo.WithNext(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the host's ", r.URL) })),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	visit(app, "/shop/coffees", "/shop/tea", "/coffees")
	// Output:
	// 409 There are no tables. Call db/create-tables first.
	// 200 the host's /shop/tea
	// 200 the host's /coffees
}

// Requests that match no route go to the next handler.
func ExampleWithNext() {
	last := http.NotFoundHandler()
	app, err := coffeedemo.New(coffeedemo.WithNext(last))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	visit(app, "/coffees", "/tea")
	// Output:
	// 409 There are no tables. Call db/create-tables first.
	// 404 404 page not found
}

// Connections are opened on demand, up to the limit.
func ExampleWithPoolSize() {
	app, err := coffeedemo.New(coffeedemo.WithPoolSize(10))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	fmt.Println(app.Stats().Open)
	// Output: 1
}

// New returns an error for an invalid option.
func ExampleWithPoolSize_mistake() {
	_, err := coffeedemo.New(coffeedemo.WithPoolSize(0))
	fmt.Println(err)
	// Output: coffeedemo: pool size 0: write at least 1
}

// If no connection is free for 200 ms, a request gets a 503. Here one is free.
func ExampleWithAcquireTimeout() {
	app, err := coffeedemo.New(coffeedemo.WithPoolSize(10), coffeedemo.WithAcquireTimeout(200*time.Millisecond))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	visit(app, "/coffees")
	// Output: 409 There are no tables. Call db/create-tables first.
}

func ExampleWithMethodNotAllowed() {
	app, err := coffeedemo.New(coffeedemo.WithMethodNotAllowed())
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("DELETE", "/coffees", nil))
	fmt.Println(w.Code, w.Header().Get("Allow"))
	// Output: 405 GET, HEAD, OPTIONS
}

func ExampleWithSuppliers() {
	app, err := coffeedemo.New(
		coffeedemo.WithSuppliers(coffeedemo.Supplier{ID: 1, Name: "Beans & Sons", City: "Upton"}),
		coffeedemo.WithCoffees(
			coffeedemo.Coffee{Name: "Ristretto", SupplierID: 1, Price: 2.5},
			coffeedemo.Coffee{Name: "Lungo", SupplierID: 1, Price: 3},
		),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	visit(app, "/db/create-tables", "/db/load-data", "/coffees")
	// Output:
	// 200 Tables created. Call db/load-data next.
	// 200 Data loaded. Call coffees next.
	// 200   Lungo supplied by Beans &amp; Sons
	//      Ristretto supplied by Beans &amp; Sons
}

func ExampleWithCoffees() {
	app, err := coffeedemo.New(coffeedemo.WithCoffees(
		coffeedemo.Coffee{Name: "Ristretto", SupplierID: 101, Price: 2.5}, // of a built-in supplier
	))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	visit(app, "/db/create-tables", "/db/load-data", "/coffees")
	// Output:
	// 200 Tables created. Call db/load-data next.
	// 200 Data loaded. Call coffees next.
	// 200   Ristretto supplied by Acme, Inc.
}

// New refuses rows that the database would refuse.
func ExampleWithCoffees_mistake() {
	_, err := coffeedemo.New(coffeedemo.WithCoffees(coffeedemo.Coffee{Name: "Ristretto", SupplierID: 1}))
	fmt.Println(err)
	// Output:
	// coffeedemo: coffee "Ristretto": there is no supplier 1: write the ID of one (WithSuppliers)
}

// A link on another site does not change the tables.
func ExampleWithGuard() {
	app, err := coffeedemo.New(coffeedemo.WithGuard())
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	for _, site := range []string{"cross-site", "same-origin"} {
		r := httptest.NewRequest(http.MethodGet, "/db/create-tables", nil)
		r.Header.Set("Sec-Fetch-Site", site)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println(site, w.Code)
	}
	// Output:
	// cross-site 403
	// same-origin 200
}

// The log has the text of the error, which the client does not see.
func ExampleWithLogger() {
	plain := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})
	app, err := coffeedemo.New(coffeedemo.WithLogger(slog.New(plain)))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	app.Routes().Get("/broken", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("the cup is empty") })
	visit(app, "/broken")
	// Output:
	// level=ERROR msg="request failed" method=GET path=/broken route="GET /broken" status=500 error="the cup is empty"
	// 500 Internal Server Error
}

// Open the database yourself to use its tables in your own routes.
func ExampleWithStore() {
	db, err := coffeedemo.OpenSQLite(50, 5*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	app, err := coffeedemo.New(coffeedemo.WithStore(db))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close() // closes the database too

	app.Routes().Get("/coffees/cheapest", func(c routing.Context) (routing.Result, error) {
		var cheapest string
		err := db.Read(c.Request().Context(), func(_ context.Context, conn *sqlite.Conn) (err error) {
			cheapest, err = sqlitex.ResultText(conn.Prep(`SELECT COF_NAME FROM COFFEES ORDER BY PRICE LIMIT 1`))
			return err
		})
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(cheapest), nil
	})
	visit(app, "/db/create-tables", "/db/load-data", "/coffees/cheapest")
	// Output:
	// 200 Tables created. Call db/load-data next.
	// 200 Data loaded. Call coffees next.
	// 200 Colombian
}

// The statistics of the pool can be published, for example with package expvar.
func ExampleApp_Stats() {
	app, err := coffeedemo.New()
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	figures := expvar.Func(func() any { return app.Stats() }) // for expvar.Publish
	visit(app, "/db/create-tables")
	fmt.Println(figures)
	// Output:
	// 200 Tables created. Call db/load-data next.
	// {"Open":1,"InUse":0,"Idle":1,"Waiting":0,"TimedOut":0}
}

// A filter can require authentication for the routes that change data.
func ExampleApp_Routes() {
	app, err := coffeedemo.New()
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	app.Routes().Before(func(c routing.Context) error {
		if c.Request().Header.Get("Authorization") == "" {
			return &routing.HaltError{Status: http.StatusUnauthorized, Body: routing.Text("Who are you?")}
		}
		return nil
	}, routing.On("/db/*"))
	visit(app, "/db/drop-tables", "/coffees")
	// Output:
	// 401 Who are you?
	// 409 There are no tables. Call db/create-tables first.
}

// Shut the server down first, so that no more requests arrive, then the app.
func ExampleApp_Shutdown() {
	app, err := coffeedemo.New()
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(app)

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := server.Config.Shutdown(ctx); err != nil {
		log.Print(err)
	}
	if err := app.Shutdown(ctx); err != nil {
		log.Print(err)
	}
	visit(app, "/coffees")
	// Output:
	// 503 The database is closed.
}

// An error rolls the session back.
func ExampleSQLite_Write() {
	db, err := coffeedemo.OpenSQLite(1, time.Second)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	if err := db.Create(ctx); err != nil {
		log.Fatal(err)
	}
	err = db.Write(ctx, func(_ context.Context, conn *sqlite.Conn) error {
		err := sqlitex.Execute(conn, `INSERT INTO SUPPLIERS VALUES (1, 'Beans & Sons', '', '', '', '')`, nil)
		if err != nil {
			return err
		}
		return errors.New("changed my mind")
	})
	fmt.Println(err)
	err = db.Read(ctx, func(_ context.Context, conn *sqlite.Conn) error {
		count, err := sqlitex.ResultInt(conn.Prep(`SELECT count(*) FROM SUPPLIERS`))
		fmt.Println("suppliers:", count)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// changed my mind
	// suppliers: 0
}

// A session inside a session could wait for itself, so it is an error. Use the connection of the
// outer session.
func ExampleSQLite_Read() {
	db, err := coffeedemo.OpenSQLite(1, time.Second)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	err = db.Read(context.Background(), func(ctx context.Context, _ *sqlite.Conn) error {
		return db.Ping(ctx)
	})
	fmt.Println(err)
	// Output:
	// ping: coffeedemo: a session inside a session: use the connection of the outer one
}

// The database can be used without the App.
func ExampleOpenSQLite() {
	database, err := coffeedemo.OpenSQLite(10, time.Second)
	if err != nil {
		log.Fatal(err)
	}
	defer database.Close()
	ctx := context.Background()
	fmt.Println(database.Load(ctx, nil, nil)) // refused, and nothing is changed
	fmt.Println(database.Create(ctx))
	fmt.Println(errors.Is(database.Create(ctx), coffeedemo.ErrTablesExist))
	// Output:
	// load data: coffeedemo: the tables do not exist
	// <nil>
	// true
}

// A program may use the database of an App through its Store. Errors say what state it is in.
func ExampleStore() {
	database, err := coffeedemo.OpenSQLite(1, time.Second)
	if err != nil {
		log.Fatal(err)
	}
	var store coffeedemo.Store = database
	defer store.Close()
	ctx := context.Background()
	row := func(coffee, supplier string) error {
		fmt.Println(coffee, "from", supplier)
		return nil
	}
	fmt.Println(errors.Is(store.List(ctx, row), coffeedemo.ErrTablesMissing))
	if err := store.Create(ctx); err != nil {
		log.Fatal(err)
	}
	suppliers := []coffeedemo.Supplier{{ID: 1, Name: "Ann"}}
	coffees := []coffeedemo.Coffee{{Name: "Mocha", SupplierID: 1, Price: 9.5}}
	fmt.Println(store.Load(ctx, suppliers, coffees), store.List(ctx, row))
	fmt.Println(errors.Is(store.Load(ctx, suppliers, coffees), coffeedemo.ErrDataLoaded))
	// Output:
	// true
	// Mocha from Ann
	// <nil> <nil>
	// true
}

// A load balancer requests /readyz to decide whether to send requests to this host.
func ExampleWithHealth() {
	app, err := coffeedemo.New(coffeedemo.WithHealth())
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	fmt.Println(app.Ping(context.Background()))
	visit(app, "/readyz")
	// Output:
	// <nil>
	// 200 ready
}

func ExampleWithHome() {
	app, err := coffeedemo.New(coffeedemo.WithHome(), coffeedemo.WithBasePath("/cafe"))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/cafe/", nil))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), `href="coffees"`))
	// Output: 200 true
}
