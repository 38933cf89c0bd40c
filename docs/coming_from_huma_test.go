package docs_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/routing"
)

type Book struct {
	Title string   `json:"title" minLength:"1" maxLength:"80" doc:"What is on the cover"`
	Year  int      `json:"year,omitempty" min:"1450"`
	Tags  []string `json:"tags,omitempty" unique:"true"`
	_     struct{} `additionalProperties:"false"`
}

type BookByID struct {
	ID int `path:"id" min:"1"`
}

type BookQuery struct {
	Limit int      `query:"limit" default:"10" min:"1" max:"100"`
	Tags  []string `query:"tags,commas"`
	BookYears
}

type BookYears struct {
	Min int `query:"year[min]" json:"min,omitempty"`
	Max int `query:"year[max]" json:"max,omitempty" default:"9999"`
}

type BookList struct {
	Total int    `header:"X-Total"`
	Books []Book `body:""`
}

type Added struct {
	Location string `header:"Location"`
	Book     Book   `body:""`
}

var noBook = apidoc.NewProblem(http.StatusNotFound, "No such book")

func getBook(_ context.Context, in BookByID) (Book, error) {
	if in.ID > 1 {
		return Book{}, noBook
	}
	return Book{Title: "Emma", Year: 1815}, nil
}

func listBooks(_ context.Context, in BookQuery) (BookList, error) {
	all := []Book{{Title: "Emma", Year: 1815}}
	return BookList{Total: len(all), Books: all[:min(len(all), in.Limit)]}, nil
}

func addBook(_ context.Context, book Book) (Added, error) {
	return Added{Location: "/books/2", Book: book}, nil
}

type BookChange struct {
	BookByID
	Change struct {
		Title apidoc.Optional[string] `json:"title" minLength:"1"`
		Year  apidoc.Optional[int]    `json:"year"`
	} `body:"application/merge-patch+json,application/json"`
}

func changeBook(ctx context.Context, in BookChange) (Book, error) {
	book, err := getBook(ctx, in.BookByID)
	if in.Change.Title.Set {
		book.Title = in.Change.Title.Value
	}
	if in.Change.Year.Set {
		book.Year = in.Change.Year.Value // 0 for null
	}
	return book, err
}

// versionOf tells clients and caches which state of a book they have.
func versionOf(ctx context.Context, in BookByID) (apidoc.Version, error) {
	book, err := getBook(ctx, in)
	return apidoc.Version{Tag: book.Title}, err
}

// timed is an interceptor: it sees the input, and the output or the error.
func timed(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
	begin := time.Now()
	output, err := next(ctx)
	call.Context.Logger().Debug("operation", "id", call.ID, "took", time.Since(begin), "error", err)
	return output, err
}

// Loan is checked by its rules, and then by itself.
type Loan struct {
	Book  int       `json:"book" min:"1"`
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

func (l Loan) Validate(context.Context) ([]apidoc.InputError, error) {
	if !l.Until.After(l.From) {
		return []apidoc.InputError{{Pointer: "/until", Detail: "must be after from"}}, nil
	}
	return nil, nil
}

type LoanInput struct {
	Context routing.Context
	Loan    Loan `body:""`
}

var lent = apidoc.NewProblem(http.StatusConflict, "The book is lent")

func lend(_ context.Context, in LoanInput) (Loan, error) {
	if in.Loan.Book == 1 {
		in.Context.Header().Set("Retry-After", "3600")
		return Loan{}, lent.Detailf("until %s", in.Loan.From.Format(time.DateOnly))
	}
	return in.Loan, nil
}

func watchBooks(context.Context, struct{}) (iter.Seq[apidoc.Event[Book]], error) {
	return func(yield func(apidoc.Event[Book]) bool) {
		yield(apidoc.Event[Book]{ID: "1", Name: "book", Data: Book{Title: "Emma"}})
	}, nil
}

type Cover struct {
	Image apidoc.File `form:"image,required" accept:"image/png,image/jpeg"`
	Book  BookRef     `form:"book,required"`
	Alt   string      `form:"alt" maxLength:"80"`
}

// BookRef is a part of the form with JSON.
type BookRef struct {
	ID int `json:"id" min:"1"`
}

func addCover(_ context.Context, in Cover) (string, error) {
	return fmt.Sprintf("%d bytes for book %d", in.Image.Size, in.Book.ID), nil
}

// Errors is the body of errors that clients of huma read.
type Errors struct {
	Problem struct {
		Title  string        `json:"title"`
		Status int           `json:"status"`
		Detail string        `json:"detail,omitempty"`
		Errors []ErrorDetail `json:"errors,omitempty"`
	} `body:"application/problem+json"`
}

type ErrorDetail struct {
	Location string `json:"location"`
	Message  string `json:"message"`
}

func asHuma(_ routing.Context, p *apidoc.Problem) (body Errors) {
	body.Problem.Title, body.Problem.Status, body.Problem.Detail = http.StatusText(p.Status), p.Status, p.Detail
	for _, e := range p.Errors {
		location := string(e.In) + strings.ReplaceAll(e.Pointer, "/", ".")
		if e.Name != "" {
			location += "." + e.Name
		}
		body.Problem.Errors = append(body.Problem.Errors, ErrorDetail{location, e.Detail})
	}
	return body
}

// lending is a second API of the app, with groups for two versions and errors as huma writes them.
func lending(app *routing.App) (*apidoc.Document, error) {
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Lending", Version: "2.0"}, apidoc.ErrorBody(asHuma))
	loans := func(g *apidoc.Group) {
		apidoc.Post(g, "/loans", "Lend a book", lend, lent, apidoc.Status(http.StatusCreated))
		apidoc.Post(g, "/covers", "Add a cover", addCover, apidoc.BodyLimit(10<<20))
		apidoc.Get(g, "/events", "Watch books come", watchBooks)
	}
	api.Group("/v1", loans, apidoc.IDPrefix("v1"), apidoc.Deprecated())
	api.Group("/v2", loans, apidoc.IDPrefix("v2"), apidoc.RouteOptions(routing.Use(noStore)))
	return api.ServeAt("/lending/api-docs", viewer.New())
}

func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

type reader struct{ Name string }

type readerKey struct{}

var token = apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	if c.Token != "secret" {
		return nil, apidoc.ErrUnauthorized
	}
	return context.WithValue(ctx, readerKey{}, reader{"ann"}), nil
})

// library is the app of the guides "Coming from huma" and "Coming from FastAPI".
func library() http.Handler {
	app := routing.New(routing.WithProblemDetails())
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Books", Version: "1.0"}, apidoc.Intercept(timed))
	books := api.Tag("Books", "What there is to read")
	apidoc.Get(api, "/books/:id", "Read a book", getBook, books, noBook, apidoc.Versioned(versionOf))
	apidoc.Get(api, "/books", "List books", listBooks, books)
	apidoc.Post(api, "/books", "Add a book", addBook, books, apidoc.Status(http.StatusCreated))
	api.Group("/admin", func(g *apidoc.Group) {
		apidoc.Patch(g, "/books/:id", "Change a book", changeBook, books, noBook)
	}, token)
	if _, err := api.Serve(viewer.New()); err != nil {
		panic(err)
	}
	if _, err := lending(app); err != nil {
		panic(err)
	}
	return app
}

func Example_huma() {
	shop := library()
	for _, target := range []string{"/books/1", "/books/7", "/books?limit=1"} {
		show(shop, "GET", target)
	}
	show(shop, "PATCH", "/admin/books/1")
	show(shop, "GET", "/books/1", "If-None-Match", `"Emma"`)
	// Output:
	// GET /books/1 200 {"title":"Emma","year":1815}
	// GET /books/7 404 {"type":"about:blank","title":"No such book","status":404}
	// GET /books?limit=1 200 [{"title":"Emma","year":1815}]
	// PATCH /admin/books/1 401 {"type":"about:blank","title":"Unauthorized","status":401,"code":"unauthorized"}
	// GET /books/1 304
}

func TestLibrary(t *testing.T) {
	c := apitest.New(t, library())
	c.Get("/books/1").Want(200, Book{Title: "Emma", Year: 1815})
	c.Get("/books/x").Want(422)
	c.Post("/books", Book{Title: "Persuasion"}).Want(201).WantHeader("Location", "/books/2")
	c.Post("/books", Book{}).Want(422)
	c.Get("/books?tags=a,b&year[min]=1800").Want(200)
}

func TestLending(t *testing.T) {
	c := apitest.New(t, library())
	from := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	c.Post("/v1/loans", Loan{2, from, from.AddDate(0, 0, 7)}).Want(201)
	c.Post("/v2/loans", Loan{2, from, from}).Want(422).WantHeader("Cache-Control", "no-store").
		WantText(`"errors":[{"location":"body.until","message":"must be after from"}]`)
	c.Post("/v2/loans", Loan{1, from, from.AddDate(0, 0, 7)}).WantHeader("Retry-After", "3600").
		Want(409, `{"title":"Conflict","status":409,"detail":"until 2026-11-22"}`)
	c.Post("/v1/covers", apitest.Form{"image": apitest.File{Name: "a.png", Content: []byte("\x89PNG\r\n\x1a\n")}, "book": BookRef{7}}).
		Want(200, "8 bytes for book 7")
	c.Get("/v1/events").Want(200).WantText("event: book")
	c.Get("/lending/api-docs/openapi.json").Want(200).WantText("/v2/loans")
	c.Get("/api-docs/openapi.json").Want(200).WantText("/books/{id}")
}
