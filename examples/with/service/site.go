package main

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"

	"github.com/alexedwards/scs/v2"
	"github.com/coder/websocket"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

var (
	//go:embed home.html
	homePage string
	pages    = template.Must(template.New("home").Parse(homePage))

	//go:embed photos.js
	static embed.FS
)

// user is the key of the logged-in user. The filter of the members' routes sets it.
var user = routing.NewKey[string]()

// site has the data that the actions share.
type site struct {
	life     context.Context // of the program
	photos   *os.Root        // of uploads
	isUser   func(name, password string) bool
	sessions *scs.SessionManager
	csrf     *http.CrossOriginProtection
	feed     *feed
}

// newSite returns the site. Events and WebSockets end with ctx.
func newSite(ctx context.Context, photos *os.Root, secure bool, isUser func(name, password string) bool) http.Handler {
	s := &site{ctx, photos, isUser, scs.New(), http.NewCrossOriginProtection(), &feed{more: make(chan struct{})}}
	s.sessions.Cookie.Secure = secure

	app := routing.New(routing.WithProblems(), routing.WithMultipart())
	app.MethodNotAllowed(nil)
	app.Use(s.sessions.LoadAndSave)
	app.Before(s.refuseOtherSites)
	app.After(secureHeaders)

	app.Get("/static/*", respond.Files(static))
	app.Get("/", s.home)
	app.Post("/login", s.login)
	app.Post("/logout", s.logout)
	app.Group("/members", func(g *routing.Group) {
		g.Before(s.requireUser)
		g.Post("/photos", s.upload, routing.UploadLimit(8<<20))
		g.Get("/photos/:name", s.photo)
		g.Get("/events", func(routing.Context) (routing.Result, error) { return respond.Events(s.feed.follow(s.life)), nil })
		g.Handle(http.MethodGet, "/echo", http.HandlerFunc(s.echo))
	})
	return app
}

func (s *site) refuseOtherSites(c routing.Context) error {
	if s.csrf.Check(c.Request()) != nil {
		return &routing.Problem{Status: http.StatusForbidden, Detail: "The request comes from another site."}
	}
	return nil
}

func (s *site) requireUser(c routing.Context) error {
	name := s.sessions.GetString(c.Request().Context(), "user")
	if name == "" {
		return &routing.Problem{Status: http.StatusForbidden, Detail: "Log in first."}
	}
	user.Set(c, name)
	return nil
}

func secureHeaders(c routing.Context) error {
	c.Header().Set("X-Content-Type-Options", "nosniff")
	c.Header().Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
	return nil
}

func (s *site) home(c routing.Context) (routing.Result, error) {
	names, err := fs.Glob(s.photos.FS(), "[^.]*") // others are uploads in progress
	if err != nil {
		return routing.Result{}, fmt.Errorf("list photos: %w", err)
	}
	name := s.sessions.GetString(c.Request().Context(), "user")
	return respond.Template(pages, "home", map[string]any{"Base": c.Path("/"), "User": name, "Photos": names})
}

func (s *site) login(c routing.Context) (routing.Result, error) {
	name := c.Params().GetOr("name", "")
	if name == "" || !s.isUser(name, c.Params().GetOr("password", "")) {
		return routing.Result{}, &routing.Problem{Status: http.StatusForbidden, Detail: "The name or the password is wrong."}
	}
	ctx := c.Request().Context()
	if err := s.sessions.RenewToken(ctx); err != nil { // against session fixation
		return routing.Result{}, fmt.Errorf("log in: %w", err)
	}
	s.sessions.Put(ctx, "user", name)
	return routing.Result{}, routing.SeeOther(c.Path("/"))
}

func (s *site) logout(c routing.Context) (routing.Result, error) {
	if err := s.sessions.Destroy(c.Request().Context()); err != nil {
		return routing.Result{}, fmt.Errorf("log out: %w", err)
	}
	return routing.Result{}, routing.SeeOther(c.Path("/"))
}

var (
	extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg"}
	flowerName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
)

func (s *site) upload(c routing.Context) (routing.Result, error) {
	flower, err := c.Params().Require("flower")
	if err != nil {
		return routing.Result{}, err
	}
	photo, _, err := c.Request().FormFile("photo")
	if err != nil {
		return routing.Result{}, err // 400 without a file, 413 for one that is too large
	}
	defer photo.Close()
	head := make([]byte, 512)
	n, _ := photo.ReadAt(head, 0)
	extension, ok := extensions[http.DetectContentType(head[:n])]
	if !ok || !flowerName.MatchString(flower) {
		return routing.Result{}, &routing.Problem{
			Status: http.StatusUnprocessableEntity, Detail: "Upload a PNG or JPEG, and name the flower in letters a to z, digits and hyphens.",
		}
	}
	switch err := s.save(flower+extension, photo); {
	case errors.Is(err, fs.ErrExist):
		return routing.Result{}, &routing.Problem{Status: http.StatusConflict, Detail: "There is a photo of that flower."}
	case err != nil:
		return routing.Result{}, fmt.Errorf("upload: %w", err)
	}
	s.feed.publish(flower + extension)
	return routing.Result{}, routing.SeeOther(c.Path("/"))
}

// save writes a photo. Incomplete photos do not get the name, and existing photos are not replaced.
func (s *site) save(name string, photo io.Reader) error {
	temporary := "." + rand.Text()
	f, err := s.photos.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer s.photos.Remove(temporary)
	_, err = io.Copy(f, photo)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return s.photos.Link(temporary, name)
}

func (s *site) photo(c routing.Context) (routing.Result, error) {
	return respond.File(s.photos.FS(), c.Params().GetOr("name", ""))
}

// echo sends each message back, with the user's name. Accept refuses cross-site requests.
func (s *site) echo(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has responded
	}
	defer conn.CloseNow()
	defer context.AfterFunc(s.life, func() { conn.Close(websocket.StatusGoingAway, "") })()
	name, _ := user.From(r.Context())
	for {
		kind, message, err := conn.Read(r.Context())
		if err == nil {
			err = conn.Write(r.Context(), kind, append([]byte(name+": "), message...))
		}
		if err != nil {
			return
		}
	}
}
