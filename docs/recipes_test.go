package docs_test

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing/fstest"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
	"example.com/flowercafe/serving"
)

// Error pages: one function for all statuses.
func Example_errorPages() {
	app := routing.New()
	app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
		return routing.HTML(fmt.Sprintf("<h1>%s</h1>", http.StatusText(p.Status))), nil
	})
	app.Get("/secret", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: http.StatusForbidden}
	})
	show(app, "GET", "/secret")
	show(app, "GET", "/none")
	// Output:
	// GET /secret 403 <h1>Forbidden</h1>
	// GET /none 404 <h1>Not Found</h1>
}

var (
	errNoRecord = errors.New("no such record")
	errRefused  = errors.New("not yours")
)

// rescue_from: the error handler looks at the error.
func Example_rescueFrom() {
	app := routing.New()
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		switch {
		case errors.Is(err, errNoRecord):
			c.SetStatus(http.StatusNotFound)
			return routing.HTML("Not here"), nil
		case errors.Is(err, errRefused):
			return routing.Result{}, routing.SeeOther(c.Path("/login"))
		}
		return routing.Result{}, err // the default: a 500, logged
	})
	app.Get("/books/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, fmt.Errorf("find book: %w", errNoRecord)
	})
	app.Get("/account", func(routing.Context) (routing.Result, error) { return routing.Result{}, errRefused })
	show(app, "GET", "/books/7")
	show(app, "GET", "/account")
	// Output:
	// GET /books/7 404 Not here
	// GET /account 303 /login
}

// loggedIn is a before_action: it runs in front of one action.
func loggedIn(action routing.Action) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		if c.Request().Header.Get("X-User") == "" {
			return routing.Result{}, routing.SeeOther(c.Path("/login"))
		}
		return action(c)
	}
}

// before_action only: and except:.
func Example_beforeAction() {
	app := routing.New(routing.WithFirstMatch())
	app.Get("/books", say("The list"))
	app.Group("", func(g *routing.Group) { // only: what is in the group
		g.Get("/books/new", say("A form"))
		g.Post("/books", say("Added"))
	}, routing.Wrap(loggedIn))
	show(app, "GET", "/books")
	show(app, "GET", "/books/new")
	show(app, "GET", "/books/new", "X-User", "ann")
	// Output:
	// GET /books 200 The list
	// GET /books/new 303 /login
	// GET /books/new 200 A form
}

// Inheritance: what a base class defines is a function that defines it.
func Example_inheritance() {
	base := func(app *routing.App) *routing.App {
		app.After(func(c routing.Context) error {
			c.Header().Set("X-Content-Type-Options", "nosniff")
			return nil
		})
		app.Get("/version", say("7"))
		return app
	}
	shop := base(routing.New())
	shop.Get("/version", say("7, the shop")) // the route defined last runs
	admin := base(routing.New())
	shop.Mount("/admin", admin)
	show(shop, "GET", "/version")
	show(shop, "GET", "/admin/version")
	// Output:
	// GET /version 200 7, the shop
	// GET /admin/version 200 7
}

// Static files first, before any filter.
func Example_staticFiles() {
	public := fstest.MapFS{"robots.txt": {Data: []byte("Disallow: /admin\n")}}
	app := routing.New()
	app.Use(respond.Static("", public)) // what is not a file goes to the filters and routes
	app.Before(func(routing.Context) error { return &routing.HaltError{Status: 401, Body: routing.Text("log in")} })
	app.Get("/", say("Home"))
	show(app, "GET", "/robots.txt")
	show(app, "GET", "/none")
	// Output:
	// GET /robots.txt 200 Disallow: /admin
	// GET /none 401 log in
}

// An expression with a look-ahead, (?!admin\b)\w+: define what it excludes as a route of its own,
// or pass.
func Example_lookAhead() {
	app := routing.New(routing.WithFirstMatch())
	app.Get("/:user/profile", func(c routing.Context) (routing.Result, error) {
		if user, _ := c.Params().Path("user"); user != "admin" {
			return routing.HTML("The profile of " + user), nil
		}
		return routing.Result{}, routing.Pass
	}, routing.Where("user", `\w+`))
	show(app, "GET", "/ann/profile")
	show(app, "GET", "/admin/profile")
	// Output:
	// GET /ann/profile 200 The profile of ann
	// GET /admin/profile 404
}

// renamed changes paths before any filter or route sees them, as request.path_info= does.
func renamed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, found := strings.CutPrefix(r.URL.Path, "/livres/"); found {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = "/books/"+rest, ""
		}
		next.ServeHTTP(w, r)
	})
}

func Example_pathInfo() {
	app := routing.New()
	app.Use(renamed)
	app.Get("/books/:id", func(c routing.Context) (routing.Result, error) {
		return routing.HTML("Book " + c.Params().GetOr("id", "")), nil
	})
	show(app, "GET", "/livres/7")
	// Output:
	// GET /livres/7 200 Book 7
}

// A form with its mistakes, as form_with and @book.errors show it.
type newBook struct {
	Title string `form:"title,required" minLength:"2"`
	Year  int    `form:"year" min:"1450"`
}

var bookForm = apidoc.NewFormReader[newBook]()

var bookPage = template.Must(template.New("").Parse(`<input name="title" value="{{.Text "title"}}">{{with .Error "title"}} Title {{.}}{{end}}`))

func Example_form() {
	app := routing.New()
	app.Post("/books", func(c routing.Context) (routing.Result, error) {
		form, err := bookForm.Read(c)
		if err != nil {
			return routing.Result{}, err // not a form, or too large
		}
		if !form.Valid() {
			c.SetStatus(http.StatusUnprocessableEntity)
			return respond.Template(bookPage, "", form)
		}
		return routing.Result{}, routing.SeeOther(c.Path("/books"))
	})
	for _, body := range []string{"title=E&year=1815", "title=Emma"} {
		r := httptest.NewRequest("POST", "/books", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("Location"), w.Body)
	}
	// Output:
	// 422  <input name="title" value="E"> Title must have at least 2 characters
	// 303 /books
}

// transact runs f in a transaction, which is rolled back if f returns an error or panics.
func transact(conn *sqlite.Conn, f func() error) (err error) {
	defer sqlitex.Transaction(conn)(&err)
	return f()
}

// A transaction: what an operation has written before a redirect is kept.
func Example_transaction() {
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, "CREATE TABLE books (title TEXT)", nil); err != nil {
		panic(err)
	}
	app := routing.New(routing.WithFirstMatch())
	inTransaction := apidoc.Transaction(func(ctx context.Context, _ *apidoc.Call, run func(context.Context) error) error {
		return transact(conn, func() error { return run(ctx) })
	})
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Books", Version: "1"}, inTransaction)
	insert := func(path, title string, then error) {
		apidoc.Post(api, path, "Insert a book", func(context.Context, struct{}) (string, error) {
			err := sqlitex.Execute(conn, "INSERT INTO books VALUES (?)", &sqlitex.ExecOptions{Args: []any{title}})
			if err != nil {
				return "", err
			}
			if then == errRefused {
				panic("no ink")
			}
			return "Added", then
		})
	}
	insert("/adds", "Pride and Prejudice", nil)
	insert("/redirects", "Emma", routing.SeeOther("/books"))
	insert("/halts", "Persuasion", &routing.HaltError{Status: http.StatusAccepted})
	insert("/passes", "Sanditon", routing.Pass)
	insert("/refuses", "Lady Susan", apidoc.NewProblem(http.StatusConflict, "Taken"))
	insert("/fails", "The Watsons", errNoRecord)
	insert("/panics", "Plan of a Novel", errRefused)
	app.Post("/passes", say("Passed"))
	for _, path := range []string{"/adds", "/redirects", "/halts", "/passes", "/refuses", "/fails", "/panics"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
		fmt.Println("POST", path, w.Code)
	}
	err = sqlitex.Execute(conn, "SELECT title FROM books", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		fmt.Println("kept:", row.ColumnText(0))
		return nil
	}})
	if err != nil {
		panic(err)
	}
	// Output:
	// POST /adds 200
	// POST /redirects 303
	// POST /halts 202
	// POST /passes 200
	// POST /refuses 409
	// POST /fails 500
	// POST /panics 500
	// kept: Pride and Prejudice
	// kept: Emma
	// kept: Persuasion
	// kept: Sanditon
}

// needUser is a filter: it guards paths, whichever route responds.
func needUser(c routing.Context) error {
	if c.Request().Header.Get("X-User") == "" {
		return routing.SeeOther(c.RootPath("/login"))
	}
	return nil
}

// Who guards a page: a plugin that overrides it takes it out of a Wrap, but not out of a filter.
func Example_guards() {
	app := routing.New()
	app.Get("/stock", say("The stock"), routing.Wrap(loggedIn))
	app.Group("/admin", func(g *routing.Group) {
		g.Before(needUser)
		g.Get("/stock", say("The stock"))
	})
	plugin := func(app *routing.App) {
		app.Get("/stock", say("The plugin's stock"))
		app.Get("/admin/stock", say("The plugin's stock"))
	}
	show(app, "GET", "/stock")
	plugin(app)
	show(app, "GET", "/stock")
	show(app, "GET", "/admin/stock")
	show(app, "GET", "/admin/stock", "X-User", "ann")
	// Output:
	// GET /stock 303 /login
	// GET /stock 200 The plugin's stock
	// GET /admin/stock 303 /login
	// GET /admin/stock 200 The plugin's stock
}

type book struct {
	Title string `json:"title" minLength:"1"`
}

type export struct {
	Body func(io.Writer) error `body:"text/csv"`
}

func importBooks(_ context.Context, lines iter.Seq2[book, error]) (n int, err error) {
	for _, err := range lines {
		if err != nil {
			return n, err // a wrong line, one that is late, or the end of the body limit
		}
		n++
	}
	return n, nil
}

func exportBooks(context.Context, struct{}) (export, error) {
	return export{func(w io.Writer) error {
		_, err := fmt.Fprint(w, "Emma\nPersuasion\n")
		return err
	}}, nil
}

// Streams have a deadline for each part.
func Example_streams() {
	saveCover := say("saved")
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Books", Version: "1"})
	apidoc.Post(api, "/books/import", "Import books", importBooks,
		apidoc.ReceiveTimeout(time.Minute, time.Hour), apidoc.BodyLimit(1<<30))
	apidoc.Get(api, "/books/export", "Export books", exportBooks, apidoc.SendTimeout(time.Minute))

	covers := fstest.MapFS{"emma.png": {Data: []byte("a flower")}}
	app.Group("/covers", func(g *routing.Group) {
		g.Get("/*", respond.Files(covers))
		g.Post("", func(c routing.Context) (routing.Result, error) {
			_ = c.Controller().SetReadDeadline(time.Now().Add(10 * time.Minute)) // an error says that the writer has none
			return saveCover(c)
		})
	}, routing.Use(serving.SendTimeout(time.Minute)))
	r := httptest.NewRequest("POST", "/books/import", strings.NewReader("{\"title\":\"Emma\"}\n{\"title\":\"Persuasion\"}\n"))
	r.Header.Set("Content-Type", "application/jsonl")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
	show(app, "GET", "/books/export")
	show(app, "GET", "/covers/emma.png")
	show(app, "POST", "/covers")
	// Output:
	// 200 2
	// GET /books/export 200 Emma
	// Persuasion
	// GET /covers/emma.png 200 a flower
	// POST /covers 200 saved
}

var tooMany = apidoc.NewProblem(http.StatusTooManyRequests, "Too many requests")

func client(r *http.Request) string {
	address, _ := netip.ParseAddrPort(r.RemoteAddr) // always valid over TCP
	if ip := address.Addr(); ip.Is6() {
		network, _ := ip.Prefix(64) // of one client
		return network.String()
	}
	return address.Addr().String()
}

// A limit before anything is read answers as described. Each client has its own.
func Example_rateLimit() {
	seen := make(map[string]bool)
	allow := func(client string) bool { // one request
		defer func() { seen[client] = true }()
		return !seen[client]
	}
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Books", Version: "1"}, tooMany)
	app.Before(func(c routing.Context) error {
		if !allow(client(c.Request())) {
			c.Header().Set("Retry-After", "1")
			return tooMany
		}
		return nil
	})
	apidoc.Get(api, "/books", "List the books", func(context.Context, struct{}) ([]book, error) { return nil, nil }, apidoc.ID("listBooks"))
	checked := apidoc.CheckResponses(app, func(_ *http.Request, err error) { fmt.Println(err) })
	for _, address := range []string{"192.0.2.1:1000", "192.0.2.1:1001", "192.0.2.2:1000", "[2001:db8::1]:1000", "[2001:db8::2]:1000"} {
		r, w := httptest.NewRequest("GET", "/books", nil), httptest.NewRecorder()
		r.RemoteAddr = address
		checked.ServeHTTP(w, r)
		fmt.Println(address, w.Code, w.Body)
	}
	// Output:
	// 192.0.2.1:1000 200 []
	// 192.0.2.1:1001 429 {"type":"about:blank","title":"Too many requests","status":429}
	// 192.0.2.2:1000 200 []
	// [2001:db8::1]:1000 200 []
	// [2001:db8::2]:1000 429 {"type":"about:blank","title":"Too many requests","status":429}
}

var bookRules = apidoc.NewChecker[book]()

func checkBooks(ctx context.Context, books []book) error {
	var errs []apidoc.InputError
	for i, b := range books {
		err := bookRules.Check(ctx, b)
		if p := (*apidoc.Problem)(nil); errors.As(err, &p) {
			for _, e := range p.Errors {
				e.Line = i + 1
				errs = append(errs, e)
			}
		} else if err != nil {
			return err
		}
	}
	return apidoc.Invalid(errs)
}

// Rows of a file: each is checked by the tags of its type.
func Example_rows() {
	fmt.Println(checkBooks(context.Background(), []book{{"Emma"}}))
	err := checkBooks(context.Background(), []book{{"Emma"}, {""}})
	if p := (*apidoc.Problem)(nil); errors.As(err, &p) {
		for _, e := range p.Errors {
			fmt.Println("line", e.Line, e.Pointer, e.Code)
		}
	}
	// Output:
	// <nil>
	// line 2 /title minLength
}
