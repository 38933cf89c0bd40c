package flowercatalog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/cors"

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
	catalog, err := flowercatalog.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/flowers/rose").Body)
	// Output: {"slug":"rose","name":"Rose"}
}

// The error names the flower and says what to write instead.
func ExampleNew_mistake() {
	_, err := flowercatalog.New(flowercatalog.WithFlowers(flowercatalog.Flower{Slug: "a/b", Name: "Unreachable"}))
	fmt.Println(err)
	// Output: flowercatalog: flower "a/b": the slug must not contain a slash: write a dash
}

// A later route runs before the catalog's own.
func ExampleApp_Routes() {
	catalog, err := flowercatalog.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog.Routes().Get("/flowers/special", func(c routing.Context) (routing.Result, error) {
		return routing.Text("today: roses"), nil
	})
	fmt.Println(ask(catalog, "GET", "/flowers/special").Body)
	// Output: today: roses
}

// Your own typed operations appear in the catalog's description. The title is set by
// [flowercatalog.WithInfo], so the Info here is empty.
func ExampleApp_Routes_typed() {
	catalog, err := flowercatalog.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	type input struct {
		Slug string `path:"slug" doc:"Slug of the flower"`
	}
	type price struct {
		Cents int `json:"cents"`
	}
	api := apidoc.NewAPI(catalog.Routes(), apidoc.Info{})
	apidoc.Get(api, "/flowers/:slug/price", "Read a price", func(_ context.Context, in input) (price, error) {
		return price{100 * len(in.Slug)}, nil
	})
	document, err := catalog.Document()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/flowers/rose/price").Body)
	fmt.Println(strings.Contains(string(document.OpenAPI()), `"/flowers/{slug}/price"`))
	// Output:
	// {"cents":400}
	// true
}

func ExampleApp_Document() {
	catalog, err := flowercatalog.New(flowercatalog.WithInfo(apidoc.Info{Title: "Corner shop", Version: "3"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	document, err := catalog.Document()
	fmt.Println(strings.Contains(string(document.Swagger()), `"title": "Corner shop"`), err)
	// Output: true <nil>
}

func ExampleWithCORSOnFlowers() {
	catalog, err := flowercatalog.New(flowercatalog.WithAllowedOrigins("https://docs.example.com"), flowercatalog.WithCORSOnFlowers())
	if err != nil {
		fmt.Println(err)
		return
	}
	w := ask(catalog, "GET", "/flowers/rose", "Origin", "https://docs.example.com")
	fmt.Println(w.Header().Get("Access-Control-Allow-Origin"))
	// Output: https://docs.example.com
}

func ExampleWithViewer() {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "my own viewer") })
	catalog, err := flowercatalog.New(flowercatalog.WithViewer(page))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/api-docs/").Header().Get("Location"))
	fmt.Println(ask(catalog, "GET", "/api-docs/ui/").Body)
	// Output:
	// ui/
	// my own viewer
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

func ExampleWithFlowers() {
	catalog, err := flowercatalog.New(flowercatalog.WithFlowers(flowercatalog.Flower{Slug: "daisy", Name: "Daisy"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/flowers/").Body)
	// Output: [{"slug":"daisy","name":"Daisy"}]
}

// Each slug may occur once.
func ExampleWithFlowers_mistake() {
	_, err := flowercatalog.New(flowercatalog.WithFlowers(
		flowercatalog.Flower{Slug: "rose", Name: "Rose"},
		flowercatalog.Flower{Slug: "rose", Name: "Another rose"},
	))
	fmt.Println(err)
	// Output: flowercatalog: flower "rose": the slug occurs twice: write another one
}

// The flowers are read from a file, and read again when it has changed, for example on SIGHUP.
func ExampleApp_SetFlowers() {
	file := filepath.Join(os.TempDir(), "flowers.json")
	defer os.Remove(file)
	catalog, err := flowercatalog.New(flowercatalog.WithFlowers())
	if err != nil {
		fmt.Println(err)
		return
	}
	reload := func() error {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		flowers, err := flowercatalog.ReadJSON(f)
		if err != nil {
			return err
		}
		return catalog.SetFlowers(flowers...)
	}
	for _, text := range []string{`[{"slug":"rose","name":"Rose"}]`, `[{"slug":"rose","name":7}]`, `[{"slug":"lily","name":"Lily"}]`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
		if err := reload(); err != nil {
			fmt.Println(err)
		}
		fmt.Println(ask(catalog, "GET", "/flowers/").Body)
	}
	// Output:
	// [{"slug":"rose","name":"Rose"}]
	// flowercatalog: read flowers: flower 1: the member "name": write a string
	// [{"slug":"rose","name":"Rose"}]
	// [{"slug":"lily","name":"Lily"}]
}

func ExampleWithPageSize() {
	catalog, err := flowercatalog.New(flowercatalog.WithPageSize(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	w := ask(catalog, "GET", "/flowers/?name=rose&limit=1")
	fmt.Println(w.Body)
	fmt.Println(w.Header().Get("Link"))
	fmt.Println(ask(catalog, "GET", "/flowers/?name=rose&limit=3").Body)
	// Output:
	// [{"slug":"red-rose","name":"Red Rose"}]
	// <?after=red-rose&limit=1&name=rose>; rel="next"
	// {"status":400,"message":"limit must be a number from 1 to 2","type":"about:blank","title":"Bad Request"}
}

// Two apps share one catalog in memory.
func ExampleWithStore() {
	memory, err := flowercatalog.NewMemory(flowercatalog.Flower{Slug: "rose", Name: "Rose"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, base := range []string{"/shop", "/partner"} {
		catalog, err := flowercatalog.New(flowercatalog.WithStore(memory), flowercatalog.WithBasePath(base))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(ask(catalog, "GET", base+"/flowers/rose").Body)
	}
	// Output:
	// {"slug":"rose","name":"Rose"}
	// {"slug":"rose","name":"Rose"}
}

// A Store compares folded names with the folded search text.
func ExampleFold() {
	fmt.Println(flowercatalog.Fold("STRASSE") == flowercatalog.Fold("straße"))
	fmt.Println(flowercatalog.Fold("GU\u0308L") == flowercatalog.Fold("Gül"))
	// Output:
	// true
	// true
}

// The description has the base path, so that clients call the right URLs.
func ExampleWithBasePath() {
	catalog, err := flowercatalog.New(flowercatalog.WithBasePath("/shop"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/shop/flowers/rose").Body)
	fmt.Println(strings.Contains(ask(catalog, "GET", "/shop/api-docs/swagger.json").Body.String(), `"basePath": "/shop"`))
	// Output:
	// {"slug":"rose","name":"Rose"}
	// true
}

func ExampleWithAllowedOrigins() {
	catalog, err := flowercatalog.New(flowercatalog.WithAllowedOrigins("https://docs.example.com"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, origin := range []string{"https://docs.example.com", "https://elsewhere.example"} {
		w := ask(catalog, "GET", "/api-docs/spec.json", "Origin", origin)
		fmt.Printf("%s: %q\n", origin, w.Header().Get("Access-Control-Allow-Origin"))
	}
	// Output:
	// https://docs.example.com: "https://docs.example.com"
	// https://elsewhere.example: ""
}

func ExampleWithInfo() {
	catalog, err := flowercatalog.New(flowercatalog.WithInfo(apidoc.Info{Title: "Corner shop", Version: "1.0"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	description := ask(catalog, "GET", "/api-docs/openapi.json").Body.String()
	fmt.Println(strings.Contains(description, `"title": "Corner shop"`))
	// Output: true
}

// The version is required.
func ExampleWithInfo_mistake() {
	_, err := flowercatalog.New(flowercatalog.WithInfo(apidoc.Info{Title: "Corner shop"}))
	fmt.Println(err)
	// Output: flowercatalog: apidoc: build the description: info: the version is empty: write the version of the API, such as "1.0"
}

// Errors are logged, and clients do not see their text.
func ExampleWithLogger() {
	var logged strings.Builder
	catalog, err := flowercatalog.New(flowercatalog.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog.Routes().Get("/flowers/today", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, errors.New("the florist is asleep")
	})
	fmt.Println(ask(catalog, "GET", "/flowers/today").Body)
	fmt.Println(strings.Contains(logged.String(), "the florist is asleep"))
	// Output:
	// Internal Server Error
	// true
}

// A store that does not respond in time is a 503.
func ExampleWithStoreTimeout() {
	memory, err := flowercatalog.NewMemory(flowercatalog.Flower{Slug: "rose", Name: "Rose"})
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog, err := flowercatalog.New(
		flowercatalog.WithStore(slowStore{memory}),
		flowercatalog.WithStoreTimeout(100*time.Millisecond),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer catalog.Close()
	w := ask(catalog, "GET", "/flowers/rose")
	fmt.Println(w.Code, w.Header().Get("Retry-After"))
	// Output: 503 1
}

// slowStore finds no flower in time.
type slowStore struct{ flowercatalog.Store }

func (slowStore) Find(ctx context.Context, _ string) (flowercatalog.Flower, error) {
	<-ctx.Done()
	return flowercatalog.Flower{}, context.Cause(ctx)
}

func ExampleWithMethodNotAllowed() {
	catalog, err := flowercatalog.New(flowercatalog.WithMethodNotAllowed())
	if err != nil {
		fmt.Println(err)
		return
	}
	w := ask(catalog, "DELETE", "/flowers/rose")
	fmt.Println(w.Code, w.Header().Get("Allow"))
	// Output: 405 GET, HEAD, OPTIONS
}

// EachJSON reads a file of any size, flower by flower.
func ExampleEachJSON() {
	file := strings.NewReader(`[{"slug": "rose", "name": "Rose"}, {"slug": "a/b", "name": "Wrong"}]`)
	err := flowercatalog.EachJSON(file, func(f flowercatalog.Flower) error {
		if err := flowercatalog.CheckFlower(f); err != nil {
			return err
		}
		fmt.Println(f.Name)
		return nil
	})
	fmt.Println(err)
	// Output:
	// Rose
	// flowercatalog: read flowers: flower 2: flower "a/b": the slug must not contain a slash: write a dash
}

func ExampleReadJSON() {
	list, err := flowercatalog.ReadJSON(strings.NewReader(`[{"slug": "rose", "name": "Rose"}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog, err := flowercatalog.New(flowercatalog.WithFlowers(list...))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/flowers/").Body)
	// Output: [{"slug":"rose","name":"Rose"}]
}

func ExampleCheckFlower() {
	fmt.Println(flowercatalog.CheckFlower(flowercatalog.Flower{Slug: "rose", Name: "Rose"}))
	fmt.Println(flowercatalog.CheckFlower(flowercatalog.Flower{Name: "Rose"}) != nil)
	// Output:
	// <nil>
	// true
}

// A program may use the flowers without the API.
func ExampleNewMemory() {
	memory, err := flowercatalog.NewMemory(flowercatalog.Flower{Slug: "rose", Name: "Rose"}, flowercatalog.Flower{Slug: "lily", Name: "Lily"})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	err = memory.Search(ctx, flowercatalog.Fold("ROS"), flowercatalog.Page{}, func(f flowercatalog.Flower) error {
		fmt.Println(f.Name)
		return nil
	})
	fmt.Println(err)
	_, err = memory.Find(ctx, "tulip")
	fmt.Println(errors.Is(err, flowercatalog.ErrNotFound))
	// Output:
	// Rose
	// <nil>
	// true
}

// The default description with another title.
func ExampleDefaultInfo() {
	info := flowercatalog.DefaultInfo()
	info.Title = "Corner shop"
	catalog, err := flowercatalog.New(flowercatalog.WithInfo(info))
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, err := catalog.Spec()
	fmt.Println(strings.Contains(string(spec), `"Corner shop"`), err)
	// Output: true <nil>
}

// Browsers may cache a preflight response for an hour.
func ExampleWithCORS() {
	catalog, err := flowercatalog.New(flowercatalog.WithAllowedOrigins("https://docs.example.com"), flowercatalog.WithCORS(cors.Options{MaxAge: 3600}))
	if err != nil {
		fmt.Println(err)
		return
	}
	w := ask(catalog, "OPTIONS", "/api-docs/openapi.json", "Origin", "https://docs.example.com", "Access-Control-Request-Method", "GET")
	fmt.Println(w.Code, w.Header().Get("Access-Control-Max-Age"))
	// Output: 204 3600
}

func ExampleWithHealth() {
	catalog, err := flowercatalog.New(flowercatalog.WithHealth())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ask(catalog, "GET", "/readyz").Code, catalog.Ping(context.Background()))
	// Output: 200 <nil>
}

func ExampleWithHome() {
	catalog, err := flowercatalog.New(flowercatalog.WithHome())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(ask(catalog, "GET", "/").Body.String(), `href="flowers/"`))
	// Output: true
}
