// Package web has the pages of the service: the houses, the login, and the pages of each house.
package web

import (
	"cmp"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5/middleware"

	"example.com/flowercafe/examples/with/service/booking"
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

	// Proxies are the networks of balancers, such as 10.0.0.0/8, whose X-Forwarded-For is trusted.
	Proxies []string

	sessions *scs.SessionManager
}

// root is the key of the site's path. Context.RootPath is the path of the outermost app, in which
// the site may be mounted.
var root = routing.NewKey[string]()

// App returns the app of the site below a base path, with the app of a house mounted in it.
func (s *Site) App(base string, house *routing.App) *routing.App {
	s.sessions = scs.New()
	s.sessions.Store, s.sessions.HashTokenInStore = s.Store.Sessions(), true
	s.sessions.ErrorFunc = s.noSession
	s.sessions.Cookie.Secure, s.sessions.Cookie.Path = s.Secure, cmp.Or(base, "/")
	clientIP := middleware.ClientIPFromRemoteAddr
	if len(s.Proxies) > 0 {
		clientIP = middleware.ClientIPFromXFF(s.Proxies...)
	}
	crossOrigin := http.NewCrossOriginProtection()

	app := routing.New(routing.WithMethodNotAllowed(), routing.WithProblemDetails(), routing.WithBasePath(base), routing.WithLogger(s.Logger))
	app.Use(clientIP, s.sessions.LoadAndSave)
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
		if routing.StatusOf(c.Request(), err) == http.StatusServiceUnavailable && !errors.Is(err, booking.ErrUnknown) {
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

// noSession responds if a session cannot be read or written.
func (s *Site) noSession(w http.ResponseWriter, r *http.Request, err error) {
	s.Logger.ErrorContext(r.Context(), "session", "error", err)
	if !errors.Is(err, booking.ErrUnavailable) {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Retry-After", "1") // seconds
	http.Error(w, booking.ErrUnavailable.Title, http.StatusServiceUnavailable)
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
