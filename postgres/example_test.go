package postgres_test

import (
	"context"
	"log"
	"net/http"

	"example.com/flowercafe"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/flowers"
)

// Both stores of a host use one pool. The host starts without its database.
func ExampleOpen() {
	ctx := context.Background()
	pool, err := postgres.Open(ctx, "host=db1,db2 user=cafe dbname=cafe sslmode=verify-full", postgres.WithPoolSize(20))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	app, err := flowercafe.New(
		flowercafe.WithHealth(), // balancers ask /readyz
		flowercafe.WithCoffee(coffeedemo.WithStore(coffees.New(pool))),
		flowercafe.WithCatalog(flowercatalog.WithStore(flowers.New(pool))),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	log.Print(http.ListenAndServe("127.0.0.1:8080", app))
}
