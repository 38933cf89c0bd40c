// Package web has the pages of the service: the houses, the login, and the pages of each house.
package web

import (
	"cmp"
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"

	"github.com/alexedwards/scs/v2"

	"example.com/flowercafe/examples/with/service/store"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

//go:embed pages.html
var text string

var pages = template.Must(template.New("").Parse(text))

//go:embed static
var files embed.FS

// Site serves the pages. Set its fields before App is called.
type Site struct {
	Logger *slog.Logger
	Store  *store.Store
	IsUser func(name, password string) bool // reports whether the password is correct
	Secure bool                             // send cookies over HTTPS only

	sessions *scs.SessionManager
}

// root is the key of the site's path. Context.RootPath is the path of the outermost app, in which the
// site may be mounted.
var root = routing.NewKey[string]()

// App returns the app of the site below a base path, with the app of a house mounted in it.
func (s *Site) App(base string, house *routing.App) *routing.App {
	s.sessions = scs.New() // in memory; scs also has stores in databases, for several instances
	s.sessions.Cookie.Secure, s.sessions.Cookie.Path = s.Secure, cmp.Or(base, "/")
	crossOrigin := http.NewCrossOriginProtection()

	app := routing.New(routing.WithMethodNotAllowed(), routing.WithProblemDetails(), routing.WithBasePath(base), routing.WithLogger(s.Logger))
	app.Use(s.sessions.LoadAndSave)
	app.Before(func(c routing.Context) error {
		if crossOrigin.Check(c.Request()) != nil {
			return &routing.Problem{Status: http.StatusForbidden, Detail: "The request comes from another site."}
		}
		root.Set(c, c.Path("/"))
		return nil
	})
	app.After(func(c routing.Context) error {
		c.Header().Set("X-Content-Type-Options", "nosniff")
		c.Header().Set("X-Frame-Options", "DENY")
		return nil
	})
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		if routing.StatusOf(c.Request(), err) == http.StatusServiceUnavailable {
			c.Header().Set("Retry-After", "1") // seconds
		}
		return routing.Result{}, err
	})
	static, _ := fs.Sub(files, "static") // an error only for a name that is not valid
	app.Get("/static/*", respond.Files(static))
	app.Get("/", s.home)
	app.Get("/login", func(c routing.Context) (routing.Result, error) { return s.loginPage(c, loginForm.Blank()) })
	app.Post("/login", s.login)
	app.Post("/logout", s.logout)
	app.Mount("/houses/:house", house)
	return app
}

// page executes a template with the data that all pages have.
func (s *Site) page(c routing.Context, name, title string, data map[string]any) (routing.Result, error) {
	ctx := c.Request().Context()
	data["Title"], data["Base"], data["Root"] = title, c.Path("/"), rootOf(c)
	data["User"], data["Notice"] = s.user(c), s.sessions.PopString(ctx, "notice")
	c.Header().Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
	return respond.Template(pages, name, data)
}

func rootOf(c routing.Context) string {
	path, _ := root.Get(c)
	return path
}

func (s *Site) home(c routing.Context) (routing.Result, error) {
	houses, err := s.Store.Houses(c.Request().Context())
	if err != nil {
		return routing.Result{}, err
	}
	return s.page(c, "home", "Rooms for your guests", map[string]any{"Houses": houses})
}
