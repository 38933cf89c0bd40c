package coffees_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/coffees"
)

// The connection string names two servers. The store uses the one that accepts writes. The app
// closes the store.
func ExampleOpen() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	store, err := coffees.Open(ctx, "postgres://cafe@db1.example.com,db2.example.com/cafe", coffees.WithPoolSize(20))
	if err != nil {
		log.Fatal(err)
	}
	app, err := flowercafe.New(flowercafe.WithCoffee(coffeedemo.WithStore(store)))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	log.Print(http.ListenAndServe("127.0.0.1:8080", app))
}

func ExampleWithPoolSize() {
	_, err := coffees.Open(context.Background(), "postgres://cafe@localhost/cafe", coffees.WithPoolSize(0))
	fmt.Println(err)
	// Output: coffees: pool size 0: write at least 1
}

func ExampleWithAcquireTimeout() {
	_, err := coffees.Open(context.Background(), "postgres://cafe@localhost/cafe", coffees.WithAcquireTimeout(-time.Second))
	fmt.Println(err)
	// Output: coffees: acquire timeout -1s: write at least 10ms
}
