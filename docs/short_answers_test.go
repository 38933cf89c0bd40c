package docs_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"
	"testing/fstest"
	"time"

	"github.com/rs/cors"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// CORS for an app, and for a group only.
func Example_cors() {
	shared := cors.New(cors.Options{AllowedOrigins: []string{"https://shop.example"}})
	app := routing.New()
	app.Use(shared.Handler)
	app.Get("/books", say("The list"))
	show(app, "OPTIONS", "/books", "Origin", "https://shop.example", "Access-Control-Request-Method", "GET")
	showOrigin(app, "GET", "/books")

	app = routing.New()
	app.Group("/api", func(g *routing.Group) {
		g.Options("/*", say("")) // preflight requests need a route, for the middleware to run
		g.Get("/books", say("The list"))
	}, routing.Use(shared.Handler))
	app.Get("/page", say("A page"))
	show(app, "OPTIONS", "/api/books", "Origin", "https://shop.example", "Access-Control-Request-Method", "GET")
	showOrigin(app, "GET", "/api/books")
	showOrigin(app, "GET", "/page")
	// Output:
	// OPTIONS /books 204
	// GET /books 200 "https://shop.example"
	// OPTIONS /api/books 204
	// GET /api/books 200 "https://shop.example"
	// GET /page 200 ""
}

// showOrigin prints which origin may read the response.
func showOrigin(handler http.Handler, method, target string) {
	r, w := httptest.NewRequest(method, target, nil), httptest.NewRecorder()
	r.Header.Set("Origin", "https://shop.example")
	handler.ServeHTTP(w, r)
	fmt.Printf("%s %s %d %q\n", method, target, w.Code, w.Header().Get("Access-Control-Allow-Origin"))
}

// A single-page app: a file, or index.html. The API's 404s stay.
func Example_singlePageApp() {
	dist := fstest.MapFS{"index.html": {Data: []byte("the app")}, "app.js": {Data: []byte("its code")}}
	app := routing.New()
	app.Get("/*", func(routing.Context) (routing.Result, error) { return respond.File(dist, "index.html") })
	app.Get("/*", respond.Files(dist)) // passes if there is no such file
	app.Get("/api/*", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: http.StatusNotFound}
	})
	app.Get("/api/books", say("The list"))
	for _, path := range []string{"/", "/app.js", "/cart/7", "/api/books", "/api/none"} {
		show(app, "GET", path)
	}
	// Output:
	// GET / 200 the app
	// GET /app.js 200 its code
	// GET /cart/7 200 the app
	// GET /api/books 200 The list
	// GET /api/none 404
}

// Redirects to the path without a slash at its end, and with one.
func Example_slashRedirect() {
	app := routing.New()
	app.Get("/*/", respond.RedirectAction(http.StatusFound, "/*splat")) // defined first, so tried last
	app.Get("/books", say("The list"))
	app.Get("/docs", respond.RedirectAction(http.StatusFound, "/docs/"))
	app.Get("/docs/", say("The manual"))
	show(app, "GET", "/books/")
	show(app, "GET", "/what%3F/")
	show(app, "GET", "//elsewhere.example/")
	show(app, "GET", "/docs")
	// Output:
	// GET /books/ 302 /books
	// GET /what%3F/ 302 /what%3F
	// GET //elsewhere.example/ 302 /elsewhere.example
	// GET /docs 302 /docs/
}

// A route whose letter case does not count.
func Example_letterCase() {
	app := routing.New()
	app.Get("/:page", say("About us"), routing.Where("page", "(?i:about)"))
	app.Route("GET", routing.WholeRegexp(regexp.MustCompile(`(?i)/team/(?:ann|ben)`)), say("The team"))
	show(app, "GET", "/About")
	show(app, "GET", "/TEAM/Ann")
	show(app, "GET", "/abouts")
	// Output:
	// GET /About 200 About us
	// GET /TEAM/Ann 200 The team
	// GET /abouts 404
}

// A route for a host name.
func Example_host() {
	onHost := func(name string) routing.Condition {
		return routing.When(func(r *http.Request) bool {
			return strings.EqualFold((&url.URL{Host: r.Host}).Hostname(), name) // without the port
		})
	}
	app := routing.New()
	app.Get("/", say("The shop"))
	app.Get("/", say("The office"), onHost("office.example"))
	show(app, "GET", "http://office.example/")
	show(app, "GET", "http://Office.example:8080/")
	show(app, "GET", "http://shop.example/")
	// Output:
	// GET http://office.example/ 200 The office
	// GET http://Office.example:8080/ 200 The office
	// GET http://shop.example/ 200 The shop
}

// 405 in place of 404, for a path that has routes of other methods.
func Example_methodNotAllowed() {
	app := routing.New(routing.WithMethodNotAllowed())
	app.Get("/books", say("The list"))
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("POST", "/books", nil))
	fmt.Println(w.Code, w.Header().Get("Allow"))
	// Output:
	// 405 GET, HEAD, OPTIONS
}

// earlyHints tells the browser what the page will need, before the page is made.
func earlyHints(links ...string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, link := range links {
				w.Header().Add("Link", link)
			}
			w.WriteHeader(http.StatusEarlyHints)
			next.ServeHTTP(w, r)
		})
	}
}

// Early hints, by middleware of a route.
func Example_earlyHints() {
	app := routing.New()
	app.Get("/", say("The page"), routing.Use(earlyHints("</style.css>; rel=preload; as=style")))
	server := httptest.NewServer(app)
	defer server.Close()
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
			fmt.Println(code, header.Get("Link"))
			return nil
		},
	})
	r, err := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := server.Client().Do(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	fmt.Println(response.StatusCode)
	// Output:
	// 103 </style.css>; rel=preload; as=style
	// 200
}

// Observers first: the first interceptor is the outermost and sees what the others return.
func Example_observersFirst() {
	closed := apidoc.NewProblem(http.StatusServiceUnavailable, "Closed")
	observer := func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		output, err := next(ctx)
		fmt.Println("observed:", err)
		return output, err
	}
	guard := func(context.Context, *apidoc.Call, func(context.Context) (any, error)) (any, error) {
		return nil, closed
	}

	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Books", Version: "1"})
	api.Intercept(observer) // load it before the plugins that it observes
	api.Intercept(guard)
	apidoc.Get(api, "/books", "List the books", func(context.Context, struct{}) ([]book, error) { return nil, nil }, closed)
	app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/books", nil))
	// Output:
	// observed: Closed
}

// LocalTime is the value of <input type="datetime-local">, which has no time zone.
type LocalTime struct{ time.Time }

func (t *LocalTime) UnmarshalText(text []byte) (err error) {
	t.Time, err = time.ParseInLocation("2006-01-02T15:04", string(text), time.Local)
	return err
}

func (t LocalTime) MarshalText() ([]byte, error) { return t.AppendFormat(nil, "2006-01-02T15:04"), nil }

// A browser's datetime-local.
func Example_datetimeLocal() {
	type visit struct {
		At LocalTime `form:"at,required"`
	}
	form := apidoc.NewFormReader[visit]()
	app := routing.New()
	app.Post("/visits", func(c routing.Context) (routing.Result, error) {
		f, err := form.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		if !f.Valid() {
			return routing.Text(f.Text("at") + " " + f.Error("at")), nil
		}
		return routing.Text(f.Value.At.Format("Monday, 15:04")), nil
	})
	for _, body := range []string{"at=2026-05-01T09:30", "at=tomorrow"} {
		r, w := httptest.NewRequest("POST", "/visits", strings.NewReader(body)), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		app.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 Friday, 09:30
	// 200 tomorrow must be a valid LocalTime
}

// One error format for an app with pages and an API: problem details, and short pages for browsers.
func Example_oneErrorFormat() {
	app := routing.New(routing.WithProblemDetails())
	app.Get("/secret", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.Problem{Status: http.StatusForbidden, Title: "Not yours"}
	})
	show(app, "GET", "/secret")
	show(app, "GET", "/none")
	r, w := httptest.NewRequest("GET", "/none", nil), httptest.NewRecorder()
	r.Header.Set("Accept", "text/html")
	app.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output:
	// GET /secret 403 {"type":"about:blank","title":"Not yours","status":403}
	// GET /none 404 {"type":"about:blank","title":"Not Found","status":404,"code":"not_found"}
	// 404 text/html; charset=utf-8
}
