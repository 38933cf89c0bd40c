// Package session_test shows what Sinatra has built in: sessions, flash messages, signed cookies,
// and a guard against forms of other sites (CSRF).
package session_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"

	"github.com/alexedwards/scs/v2"
	"github.com/gorilla/securecookie"

	"example.com/flowercafe/routing"
)

// shop is an app whose cookies are signed with a key of 32 random bytes.
func shop(key []byte) http.Handler {
	sessions, signed := scs.New(), securecookie.New(key, nil) // sessions in memory; scs has stores in databases
	app := routing.New()
	app.Use(http.NewCrossOriginProtection().Handler, sessions.LoadAndSave)

	app.Post("/login", func(c routing.Context) (routing.Result, error) {
		ctx := c.Request().Context()
		if err := sessions.RenewToken(ctx); err != nil { // a token from before the login is of no use
			return routing.Result{}, err
		}
		sessions.Put(ctx, "user", "ann")
		sessions.Put(ctx, "flash", "Welcome!")
		return routing.Result{}, routing.SeeOther(c.Path("/"))
	})
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		ctx := c.Request().Context()
		return routing.Text(sessions.GetString(ctx, "user") + " " + sessions.PopString(ctx, "flash")), nil
	})

	app.Post("/theme", func(c routing.Context) (routing.Result, error) {
		value, err := signed.Encode("theme", "dark")
		c.Header().Add("Set-Cookie", (&http.Cookie{Name: "theme", Value: value, Path: "/", HttpOnly: true}).String())
		return routing.Text("set"), err
	})
	app.Get("/theme", func(c routing.Context) (routing.Result, error) {
		theme := "light"
		if cookie, err := c.Request().Cookie("theme"); err == nil && signed.Decode("theme", cookie.Value, &theme) != nil {
			return routing.Text("changed by the client"), nil
		}
		return routing.Text(theme), nil
	})
	return app
}

func Example() {
	server := httptest.NewServer(shop(securecookie.GenerateRandomKey(32)))
	defer server.Close()
	jar, _ := cookiejar.New(nil) // its error is always nil
	client := &http.Client{Jar: jar}
	send := func(method, path string, headers ...string) {
		r, err := http.NewRequest(method, server.URL+path, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ": ")
			r.Header.Set(name, value)
		}
		response, err := client.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		fmt.Printf("%s %s: %d %.30q\n", method, path, response.StatusCode, body)
	}
	send("POST", "/login", "Sec-Fetch-Site: cross-site")
	send("POST", "/login")
	send("GET", "/")
	send("POST", "/theme")
	send("GET", "/theme")
	client.Jar = nil
	send("GET", "/theme", "Cookie: theme=dark")
	// Output:
	// POST /login: 403 "cross-origin request detected "
	// POST /login: 200 "ann Welcome!"
	// GET /: 200 "ann "
	// POST /theme: 200 "set"
	// GET /theme: 200 "dark"
	// GET /theme: 200 "changed by the client"
}
