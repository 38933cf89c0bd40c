package inspect

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"example.com/flowercafe/internal/urlencoded"
)

// This file decides who may see the page. By default a token is required, as in Jupyter. A client
// on the same machine is not allowed without it: behind a proxy, all clients have the address of
// the proxy, and a page of another site can send requests to this machine (DNS rebinding).

// tokenKey is the query parameter of the token.
const tokenKey = "token"

// guard admits requests with a token, in the query once and then in a cookie. It is safe for
// concurrent use.
type guard struct {
	token     string
	cookie    string    // its name
	announced sync.Once // the URL was returned or logged
}

func newGuard() *guard {
	token := rand.Text() // 130 bits
	sum := sha256.Sum256([]byte(token))
	// All ports of a host share their cookies, so the pages of two programs need different names.
	return &guard{token: token, cookie: "inspect_" + hex.EncodeToString(sum[:4])}
}

// admit reports whether to serve the page. Otherwise it has responded.
func (g *guard) admit(w http.ResponseWriter, r *http.Request, logger *slog.Logger) bool {
	if query := urlencoded.Parse(r.URL.RawQuery); g.isToken(query.Get(tokenKey)) {
		http.SetCookie(w, &http.Cookie{
			Name: g.cookie, Value: g.token,
			HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode,
			// Without a Path, browsers use the directory of the URL that they see, even behind a
			// proxy that removes a prefix.
		})
		query.Del(tokenKey)
		// The token must not stay in the history or be copied with the URL. The reference is
		// relative, so that it is also correct behind such a proxy (RFC 3986, 5.2.2).
		w.Header().Set("Location", "?"+query.Encode())
		w.WriteHeader(http.StatusSeeOther)
		return false
	}
	if cookie, err := r.Cookie(g.cookie); err == nil && g.isToken(cookie.Value) {
		return true
	}
	g.announced.Do(func() {
		logger.Info("inspect: to see the routes, open this URL", "url", g.url(listeningURL(r)))
	})
	http.Error(w, "This page is for developers. Open it once with ?token= and the token that the program has printed or logged.", http.StatusForbidden)
	return false
}

func (g *guard) isToken(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(g.token)) == 1
}

// url returns a URL with the token.
func (g *guard) url(page string) string {
	before, _, _ := strings.Cut(page, "#")
	separator := "?"
	if strings.Contains(before, "?") {
		separator = "&"
	}
	return before + separator + tokenKey + "=" + g.token + page[len(before):]
}

// listeningURL returns the URL of the request without its query, as seen on this machine.
// The Host is not used: it comes from the client, and the token must not lead to another server.
func listeningURL(r *http.Request) string {
	path := r.URL.EscapedPath()
	if whole, err := url.ParseRequestURI(r.RequestURI); err == nil {
		path = whole.EscapedPath() // with a prefix that http.StripPrefix has removed
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	switch {
	case !ok:
		return path
	case r.TLS != nil:
		return "https://" + local.String() + path
	}
	return "http://" + local.String() + path
}
