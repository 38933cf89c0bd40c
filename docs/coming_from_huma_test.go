package docs_test

import (
	"context"
	"net/http"
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
	Tags  []string `query:"tag"`
}

type BookList struct {
	Total int    `header:"X-Total"`
	Books []Book `body:""`
}

type Added struct {
	Location string `header:"Location"`
	Book     Book   `body:""`
}

var noBook = apidoc.Fail(http.StatusNotFound, "No such book")

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
	} `body:""`
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

type reader struct{ Name string }

type readerKey struct{}

var token = apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	if c.Token != "secret" {
		return nil, apidoc.Unauthorized
	}
	return context.WithValue(ctx, readerKey{}, reader{"ann"}), nil
})

// library is the app of the guides "Coming from huma" and "Coming from FastAPI".
func library() http.Handler {
	app := routing.New(routing.WithProblems(), routing.WithLogger(quiet))
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
	// PATCH /admin/books/1 401 {"type":"about:blank","title":"Unauthorized","status":401}
	// GET /books/1 304
}

func TestLibrary(t *testing.T) {
	c := apitest.New(t, library())
	c.Get("/books/1").Want(200, Book{Title: "Emma", Year: 1815})
	c.Get("/books/x").Want(422)
	c.Post("/books", Book{Title: "Persuasion"}).Want(201).WantHeader("Location", "/books/2")
	c.Post("/books", Book{}).Want(422)
}
