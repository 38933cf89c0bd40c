package flowercafe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

// show prints the response of h: the status and the body's first line.
func show(h http.Handler, method, target string, headers ...string) {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	line, _, _ := strings.Cut(w.Body.String(), "\n")
	fmt.Println(w.Code, line)
}

// A program with a mux of its own. It serves until the process ends.
func Example() {
	mux := http.NewServeMux()
	app, err := flowercafe.Mount(mux, flowercafe.WithBasePath("/shop"), flowercafe.WithHome(),
		flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())))
	if err != nil {
		log.Fatal(err)
	}
	defer app.Close()
	log.Print(http.ListenAndServe("127.0.0.1:8080", mux))
}

// New returns a ready http.Handler.
func ExampleNew() {
	app, err := flowercafe.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(app, "GET", "/flowers/rose")
	show(app, "GET", "/db/create-tables")
	// Output:
	// 200 {"slug":"rose","name":"Rose"}
	// 200 Tables created. Call db/load-data next.
}

// Mount serves the app below a prefix of your mux. More specific patterns of the mux win.
func ExampleMount() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /shop/hours", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "9 to 5") })
	app, err := flowercafe.Mount(mux, flowercafe.WithBasePath("/shop"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(mux, "GET", "/shop/flowers/rose")
	show(mux, "GET", "/shop/hours")
	// Output:
	// 200 {"slug":"rose","name":"Rose"}
	// 200 9 to 5
}

// Requests that match no route go to your own handler, unchanged.
func ExampleWithNext() {
	notFound := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, "no page at %s", r.URL.Path)
	})
	app, err := flowercafe.New(flowercafe.WithNext(notFound))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(app, "GET", "/bouquets")
	// Output: 404 no page at /bouquets
}

// The option restricts which origins may load the description. The default is all.
func ExampleWithAllowedOrigins() {
	app, err := flowercafe.New(flowercafe.WithAllowedOrigins("https://docs.example.com"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	for _, origin := range []string{"https://docs.example.com", "https://elsewhere.example"} {
		r := httptest.NewRequest("GET", "/api-docs/openapi.json", nil)
		r.Header.Set("Origin", origin)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Printf("%q\n", w.Header().Get("Access-Control-Allow-Origin"))
	}
	// Output:
	// "https://docs.example.com"
	// ""
}

// An empty list is an error. It does not allow all origins.
func ExampleWithAllowedOrigins_mistake() {
	var configured []string // not set in a configuration file
	_, err := flowercafe.New(flowercafe.WithAllowedOrigins(configured...))
	fmt.Println(err)
	// Output: flowercafe: flowercatalog: allowed origins: the list is empty, which would allow nobody: write the origins, or "*" for all
}

func ExampleWithFlowers() {
	app, err := flowercafe.New(flowercafe.WithFlowers(
		flowercatalog.Flower{Slug: "gul", Name: "Gül"},
		flowercatalog.Flower{Slug: "daisy", Name: "Daisy"},
	))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(app, "GET", "/flowers?name=G%C3%9CL")
	// Output: 200 [{"slug":"gul","name":"Gül"}]
}

func ExampleWithBasePath() {
	app, err := flowercafe.New(flowercafe.WithBasePath("/shop"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(app, "GET", "/shop/flowers/rose")
	// Output: 200 {"slug":"rose","name":"Rose"}
}

// The error says what to write instead.
func ExampleWithBasePath_mistake() {
	_, err := flowercafe.New(flowercafe.WithBasePath("shop"))
	fmt.Println(err)
	// Output: flowercafe: base path "shop": must start with /: write "/shop"
}

// A mount serves one more path segment with your own handler.
func ExampleWithMount() {
	health := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "fine") })
	app, err := flowercafe.New(flowercafe.WithBasePath("/shop"), flowercafe.WithMount("/health", health))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(app, "GET", "/shop/health")
	// Output: 200 fine
}

// The option turns a 404 into a 405 if the path exists for other methods.
func ExampleWithMethodNotAllowed() {
	app, err := flowercafe.New(flowercafe.WithMethodNotAllowed())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("DELETE", "/coffees", nil))
	fmt.Println(w.Code, w.Header().Get("Allow"))
	// Output: 405 GET, HEAD, OPTIONS
}

func ExampleWithPoolSize() {
	app, err := flowercafe.New(flowercafe.WithPoolSize(10))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(app, "GET", "/db/create-tables")
	fmt.Println(app.Coffee().Stats().Open) // connections are opened on demand
	// Output:
	// 200 Tables created. Call db/load-data next.
	// 1
}

// WithCoffee passes options to the coffee demo.
func ExampleWithCoffee() {
	app, err := flowercafe.New(flowercafe.WithCoffee(coffeedemo.WithGuard()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(app, "GET", "/db/create-tables", "Sec-Fetch-Site", "cross-site")
	show(app, "GET", "/db/create-tables")
	// Output:
	// 403 This changes data: open it yourself, not by a link or form of another site, or in a frame.
	// 200 Tables created. Call db/load-data next.
}

func ExampleWithCatalog() {
	app, err := flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithInfo(apidoc.Info{Title: "Corner shop", Version: "2.1"})))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	document, err := app.Catalog().Document()
	fmt.Println(err, strings.Contains(string(document.OpenAPI()), `"title": "Corner shop"`))
	// Output: <nil> true
}

// You can add routes to the catalog. They appear in the description if they have an operation.
func ExampleApp_Catalog() {
	app, err := flowercafe.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	type bySlug struct {
		Slug string `path:"slug"`
	}
	app.Catalog().Routes().Get("/flowers/:slug/price", func(c routing.Context) (routing.Result, error) {
		slug, err := c.Params().Require("slug")
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(slug + ": 3.50"), nil
	}, apidoc.Describe(apidoc.NewOperation[bySlug, string]("getPrice", "Tell the price")))
	show(app, "GET", "/flowers/rose/price")
	document, err := app.Catalog().Document()
	fmt.Println(err, strings.Contains(string(document.Swagger()), "getPrice"))
	// Output:
	// 200 rose: 3.50
	// <nil> true
}

// Authentication is a before filter that returns a HaltError.
func ExampleApp_Coffee() {
	app, err := flowercafe.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	app.Coffee().Routes().Before(func(c routing.Context) error {
		if _, password, ok := c.Request().BasicAuth(); ok && password == "open sesame" {
			return nil
		}
		return &routing.HaltError{Status: 401, Header: http.Header{"WWW-Authenticate": {`Basic realm="tables"`}}, Body: routing.Text("who are you?")}
	}, routing.On("/db/*"))
	show(app, "GET", "/db/create-tables")
	show(app, "GET", "/coffees")
	stats := app.Coffee().Stats()
	fmt.Println(stats.Open, stats.InUse)
	// Output:
	// 401 who are you?
	// 409 There are no tables. Call db/create-tables first.
	// 1 0
}

// Shut the server down first, then the app.
func ExampleApp_Shutdown() {
	app, err := flowercafe.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(app)
	ctx := context.Background()
	err = errors.Join(server.Config.Shutdown(ctx), app.Shutdown(ctx))
	fmt.Println(err)
	show(app, "GET", "/coffees")
	show(app, "GET", "/flowers/rose")
	// Output:
	// <nil>
	// 503 The database is closed.
	// 200 {"slug":"rose","name":"Rose"}
}

func ExampleApp_Close() {
	app, err := flowercafe.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(app.Close(), app.Close())
	// Output: <nil> <nil>
}

// The logger gets the text of errors. Clients never see it.
func ExampleWithLogger() {
	var logged strings.Builder
	app, err := flowercafe.New(flowercafe.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	app.Coffee().Routes().Get("/coffees/today", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, errors.New("the machine is being cleaned")
	})
	show(app, "GET", "/coffees/today")
	fmt.Println(strings.Contains(logged.String(), "the machine is being cleaned"))
	// Output:
	// 500 Internal Server Error
	// true
}

// A load balancer requests /readyz to decide whether to send requests to this host.
func ExampleWithHealth() {
	app, err := flowercafe.New(flowercafe.WithHealth(), flowercafe.WithBasePath("/shop"))
	if err != nil {
		fmt.Println(err)
		return
	}
	show(app, "GET", "/shop/healthz")
	show(app, "GET", "/shop/readyz")
	app.Close() // within a second, /shop/readyz responds 503
	show(app, "GET", "/shop/healthz")
	// Output:
	// 200 ok
	// 200 ready
	// 200 ok
}

// WithHome puts a page with links at the base path.
func ExampleWithHome() {
	app, err := flowercafe.New(flowercafe.WithHome(), flowercafe.WithBasePath("/shop"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close()
	show(app, "GET", "/shop/")
	// Output: 200 <!DOCTYPE html>
}
