package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5/middleware"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file has the login. A session has the name of the user.

// user returns the name of the user who is logged in, or "".
func (s *Site) user(c routing.Context) string {
	return s.sessions.GetString(c.Request().Context(), "user")
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
	ctx := c.Request().Context()
	if form.Valid() {
		if err := s.limitLogins(ctx); err != nil {
			c.Header().Set("Retry-After", "60") // seconds
			return routing.Result{}, err
		}
	}
	if form.Valid() && !s.IsUser(form.Value.Name, form.Value.Password) {
		form.Refuse("", "The name or the password is wrong.")
	}
	if !form.Valid() {
		c.SetStatus(http.StatusUnprocessableEntity)
		return s.loginPage(c, form)
	}
	if err := s.sessions.RenewToken(ctx); err != nil { // against session fixation
		return routing.Result{}, fmt.Errorf("log in: %w", err)
	}
	s.sessions.Put(ctx, "user", form.Value.Name)
	return routing.Result{}, routing.SeeOther(c.Path("/"))
}

// loginsPerMinute is for each client, on all hosts together.
const loginsPerMinute = 10

var errTooMany = &routing.Problem{Status: http.StatusTooManyRequests, Detail: "There were too many logins. Try again in a minute."}

// limitLogins counts a login, and returns an error if there are too many.
func (s *Site) limitLogins(ctx context.Context) error {
	client := middleware.GetClientIPAddr(ctx)
	bits := client.BitLen()
	if client.Is6() {
		bits = 64 // a network of one client
	}
	network, _ := client.Prefix(bits)
	minute := time.Now().Truncate(time.Minute)
	n, err := s.Store.Count(ctx, fmt.Sprintf("logins %s %d", network, minute.Unix()), minute.Add(time.Hour))
	if err == nil && n > loginsPerMinute {
		err = errTooMany
	}
	return err
}

func (s *Site) logout(c routing.Context) (routing.Result, error) {
	if err := s.sessions.Destroy(c.Request().Context()); err != nil {
		return routing.Result{}, fmt.Errorf("log out: %w", err)
	}
	return routing.Result{}, routing.SeeOther(c.Path("/"))
}
