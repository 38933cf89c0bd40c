package flowercatalog_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

func Example() {
	catalog, err := flowercatalog.New(flowercatalog.WithFlowers(
		flowercatalog.Flower{Slug: "edelweiss", Name: "Edelweiß"},
		flowercatalog.Flower{Slug: "rose", Name: "Rose"},
	))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/flowers?name=WEISS").Body)
	// Output: [{"slug":"edelweiss","name":"Edelweiß"}]
}

func ExampleNew() {
	_, err := flowercatalog.New(flowercatalog.WithFlowers(flowercatalog.Flower{Slug: "a/b", Name: "Unreachable"}))
	fmt.Println(err)
	// Output: flowercatalog: flower "a/b": a slug with a slash is not reached by any URL: write a dash
}

// A later route goes before the catalog's own.
func ExampleApp_Routes() {
	catalog, err := flowercatalog.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog.Routes().Get("/flowers/special", func(c routing.Context) (routing.Result, error) {
		return c.Text("today: roses"), nil
	})
	fmt.Println(ask(catalog, "GET", "/flowers/special").Body)
	// Output: today: roses
}

func ExampleApp_Document() {
	catalog, err := flowercatalog.New(flowercatalog.WithInfo(apidoc.Info{Title: "Corner shop", Version: "3"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	document, err := catalog.Document()
	fmt.Println(strings.Contains(string(document.Spec()), `"title": "Corner shop"`), err)
	// Output: true <nil>
}

func ExampleWithOpenRoutes() {
	catalog, err := flowercatalog.New(flowercatalog.WithAllowedOrigins("https://docs.example.com"), flowercatalog.WithOpenRoutes())
	if err != nil {
		fmt.Println(err)
		return
	}
	w := ask(catalog, "GET", "/flowers/rose", "Origin", "https://docs.example.com")
	fmt.Println(w.Header().Get("Access-Control-Allow-Origin"))
	// Output: https://docs.example.com
}

func ExampleWithViewer() {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "a viewer of the host's own") })
	catalog, err := flowercatalog.New(flowercatalog.WithViewer(page))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/api-docs/").Header().Get("Location"))
	fmt.Println(ask(catalog, "GET", "/api-docs/ui/").Body)
	// Output:
	// ui/
	// a viewer of the host's own
}

func ExampleWithNext() {
	catalog, err := flowercatalog.New(flowercatalog.WithBasePath("/shop"), flowercatalog.WithNext(http.NotFoundHandler()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(ask(catalog, "GET", "/shop/bouquets").Body)
	// Output: 404 page not found
}
