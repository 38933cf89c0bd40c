package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"

	"example.com/flowercafe/routing"
)

// The table "What differs" in the guide for chi, gin and echo: each row here is what the routers
// did in this test, for the app of these four functions.

func chiShop() http.Handler {
	r := chi.NewRouter()
	tell := func(key string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, chi.URLParam(r, key)) }
	}
	r.Get("/books/{id}", tell("id"))
	r.Get("/files/*", tell("*"))
	r.HandleFunc("/all", tell("none"))
	r.Route("/admin", func(r chi.Router) {
		r.Use(func(http.Handler) http.Handler { return http.RedirectHandler("/login", http.StatusSeeOther) })
		r.Get("/", tell("none"))
	})
	return r
}

func ginShop() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	tell := func(key string) gin.HandlerFunc {
		return func(c *gin.Context) { c.String(http.StatusOK, "%s", c.Param(key)) }
	}
	r.GET("/books/:id", tell("id"))
	r.GET("/files/*path", tell("path"))
	r.Any("/all", tell("none"))
	r.Group("/admin", func(c *gin.Context) {
		c.Redirect(http.StatusSeeOther, "/login")
		c.Abort()
	}).GET("/", tell("none"))
	return r
}

func echoShop() http.Handler {
	e := echo.New()
	tell := func(key string) echo.HandlerFunc {
		return func(c echo.Context) error { return c.String(http.StatusOK, c.Param(key)) }
	}
	e.GET("/books/:id", tell("id"))
	e.GET("/files/*", tell("*"))
	e.Any("/all", tell("none"))
	e.Group("/admin", func(echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/login") }
	}).GET("/", tell("none"))
	return e
}

func ourShop() http.Handler {
	app := routing.New(routing.WithFirstMatch())
	tell := func(key string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue(key)) }
	}
	app.Handle("GET", "/books/:id", tell("id"))
	app.Handle("GET", "/files/{+path}", tell("path"))
	app.Handle(routing.Any, "/all", tell("none"))
	app.Group("/admin", func(g *routing.Group) {
		g.Before(func(c routing.Context) error { return routing.SeeOther(c.Path("/login")) })
		g.Handle("GET", "/", tell("none"))
	})
	return app
}

func TestWhatDiffers(t *testing.T) {
	guide, err := os.ReadFile("../docs/coming-from-chi-gin-and-echo.md")
	if err != nil {
		t.Fatal(err)
	}
	shops := []http.Handler{chiShop(), ginShop(), echoShop(), ourShop()}
	for _, c := range []struct{ row, method, target string }{
		{"HEAD on a GET route", "HEAD", "/books/7"},
		{"another method", "DELETE", "/books/7"},
		{"OPTIONS", "OPTIONS", "/books/7"},
		{"`/books/7/` for `/books/:id`", "GET", "/books/7/"},
		{"`/files` for `/files/*path`", "GET", "/files"},
		{"`/admin` for the group's `\"/\"`, without a login", "GET", "/admin"},
		{"`/admin/none` without a login", "GET", "/admin/none"},
		{"`/books/%37` for `/books/:id`", "GET", "/books/%37"},
		{"`/books/a%2Fb` for `/books/:id`", "GET", "/books/a%2Fb"},
		{"the wildcard of `/files/x/y`", "GET", "/files/x/y"},
		{"the wildcard of `/files/x%2Fy`", "GET", "/files/x%2Fy"},
		{"`PURGE` of a route for all methods", "PURGE", "/all"},
	} {
		_, after, found := strings.Cut(string(guide), "\n| "+c.row+" | ")
		row, _, _ := strings.Cut(after, "\n")
		cells := strings.SplitN(row, " | ", len(shops))
		if !found || len(cells) != len(shops) {
			t.Errorf("the guide has no row %q", c.row)
			continue
		}
		for i, shop := range shops {
			w := httptest.NewRecorder()
			shop.ServeHTTP(w, httptest.NewRequest(c.method, c.target, nil))
			got := fmt.Sprint(w.Code)
			if c.method == "GET" && w.Code == http.StatusOK {
				got = "`" + w.Body.String() + "`"
			}
			if !strings.HasPrefix(cells[i], got) {
				t.Errorf("%s, %T: got %s, want %s", c.row, shop, got, cells[i])
			}
		}
	}
}
