// Package web has the pages of the service: the houses, the login, and the pages of each house.
package web

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"os"

	"github.com/alexedwards/scs/v2"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/store"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

//go:embed pages.html static
var files embed.FS

var pages = template.Must(template.ParseFS(files, "pages.html"))

// Site has what the pages share.
type Site struct {
	Life   context.Context // of the program; events end with it
	Store  *store.Store
	Photos *os.Root                         // uploads
	IsUser func(name, password string) bool // reports whether a login is right
	Secure bool                             // send cookies over HTTPS only

	sessions *scs.SessionManager
	feed     feed
}

// App returns the app of the site, in which the app of a house is mounted.
func (s *Site) App(house *routing.App) *routing.App {
	s.sessions = scs.New()
	s.sessions.Cookie.Secure = s.Secure
	crossOrigin := http.NewCrossOriginProtection()

	app := routing.New(routing.WithProblems())
	app.MethodNotAllowed(nil)
	app.Use(s.sessions.LoadAndSave)
	app.Before(func(c routing.Context) error {
		if crossOrigin.Check(c.Request()) != nil {
			return &routing.Problem{Status: http.StatusForbidden, Detail: "The request comes from another site."}
		}
		return nil
	})
	app.After(func(c routing.Context) error {
		c.Header().Set("X-Content-Type-Options", "nosniff")
		c.Header().Set("X-Frame-Options", "DENY")
		return nil
	})
	app.Get("/static/*", func(c routing.Context) (routing.Result, error) {
		return respond.File(files, "static/"+c.Params().GetOr("splat", ""))
	})
	app.Get("/", s.home)
	app.Get("/login", func(c routing.Context) (routing.Result, error) { return s.loginPage(c, loginForm.Blank()) })
	app.Post("/login", s.login)
	app.Post("/logout", s.logout)
	app.Mount("/houses/:house", house)
	return app
}

// Changed tells the pages of a house that its bookings have changed.
func (s *Site) Changed(house string) { s.feed.publish(house) }

// page executes a template with the data that all pages have.
func (s *Site) page(c routing.Context, name, title string, data map[string]any) (routing.Result, error) {
	ctx := c.Request().Context()
	data["Title"], data["Base"], data["Root"] = title, c.Path("/"), "/"
	data["User"], data["Notice"] = s.user(ctx), s.sessions.PopString(ctx, "notice")
	c.Header().Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
	return respond.Template(pages, name, data)
}

func (s *Site) user(ctx context.Context) string { return s.sessions.GetString(ctx, "user") }

func (s *Site) home(c routing.Context) (routing.Result, error) {
	houses, err := s.Store.Houses(c.Request().Context())
	if err != nil {
		return routing.Result{}, fmt.Errorf("home: %w", err)
	}
	return s.page(c, "home", "Rooms for your guests", map[string]any{"Houses": houses})
}

type login struct {
	Name     string `form:"name,required" minLength:"1" maxLength:"60"`
	Password string `form:"password,required"`
}

var loginForm = apidoc.NewFormReader[login]()

func (s *Site) loginPage(c routing.Context, form *apidoc.Form[login]) (routing.Result, error) {
	return s.page(c, "login", "Log in", map[string]any{"Form": form})
}

func (s *Site) login(c routing.Context) (routing.Result, error) {
	form, err := loginForm.Read(c)
	if err != nil {
		return routing.Result{}, err
	}
	if form.Valid() && !s.IsUser(form.Value.Name, form.Value.Password) {
		form.Refuse("", "The name or the password is wrong.")
	}
	if !form.Valid() {
		c.SetStatus(http.StatusUnprocessableEntity)
		return s.loginPage(c, form)
	}
	ctx := c.Request().Context()
	if err := s.sessions.RenewToken(ctx); err != nil { // against session fixation
		return routing.Result{}, fmt.Errorf("log in: %w", err)
	}
	s.sessions.Put(ctx, "user", form.Value.Name)
	return routing.Result{}, routing.SeeOther(c.Path("/"))
}

func (s *Site) logout(c routing.Context) (routing.Result, error) {
	if err := s.sessions.Destroy(c.Request().Context()); err != nil {
		return routing.Result{}, fmt.Errorf("log out: %w", err)
	}
	return routing.Result{}, routing.SeeOther(c.Path("/"))
}
