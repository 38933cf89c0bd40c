package flowers_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
)

// The connection string names two servers. The store uses the one that accepts writes. The app
// closes the store.
func ExampleOpen() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	store, err := flowers.Open(ctx, "postgres://cafe@db1.example.com,db2.example.com/cafe", flowers.WithPoolSize(20))
	if err != nil {
		log.Fatal(err)
	}
	app, err := flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithStore(store), flowercatalog.WithPageSize(100)))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	log.Print(http.ListenAndServe("127.0.0.1:8080", app))
}

// The sequence may be read from a file or another database, or made by code as here.
func ExampleLoad() {
	roses := func(yield func(flowercatalog.Flower, error) bool) {
		for i := range 1000 {
			if !yield(flowercatalog.Flower{Slug: fmt.Sprint("rose-", i), Name: fmt.Sprint("Rose No. ", i)}, nil) {
				return
			}
		}
	}
	count, err := flowers.Load(context.Background(), "postgres://cafe@db1.example.com/cafe", roses)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%d roses", count)
}

func ExampleWithPoolSize() {
	_, err := flowers.Open(context.Background(), "postgres://cafe@localhost/cafe", flowers.WithPoolSize(0))
	fmt.Println(err)
	// Output: flowers: pool size 0: write at least 1
}

func ExampleWithAcquireTimeout() {
	_, err := flowers.Open(context.Background(), "postgres://cafe@localhost/cafe", flowers.WithAcquireTimeout(-time.Second))
	fmt.Println(err)
	// Output: flowers: acquire timeout -1s: write at least 10ms
}
