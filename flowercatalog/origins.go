package flowercatalog

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/rs/cors"
)

// newCORS checks the origins and returns the handler of cross-origin requests. The origins are
// compared here, because rs/cors differs in three ways: It reads an empty list as all origins. It
// compares in Unicode's lower case, where the Kelvin sign is a k. Of several Origin headers it
// checks the first but sends all of them back.
func newCORS(restricted bool, origins, exposed []string) (*cors.Cors, error) {
	options := cors.Options{
		AllowedMethods:       []string{http.MethodGet, http.MethodHead},
		AllowedHeaders:       []string{"If-None-Match"},
		ExposedHeaders:       exposed,
		MaxAge:               600,
		OptionsSuccessStatus: http.StatusNoContent,
		AllowedOrigins:       []string{"*"},
	}
	if !restricted || len(origins) == 1 && origins[0] == "*" {
		return cors.New(options), nil
	}
	if len(origins) == 0 {
		return nil, errors.New(`allowed origins: the list is empty, which would allow nobody: write the origins, or "*" for all`)
	}
	allowed := make(map[string]bool, len(origins))
	for _, origin := range origins {
		if err := checkOrigin(origin); err != nil {
			return nil, fmt.Errorf("allowed origin %q: %w", origin, err)
		}
		allowed[strings.ToLower(origin)] = true
	}
	options.AllowedOrigins = nil
	options.AllowOriginVaryRequestFunc = func(r *http.Request, origin string) (bool, []string) {
		return len(r.Header["Origin"]) == 1 && isASCII(origin) && allowed[strings.ToLower(origin)], nil
	}
	return cors.New(options), nil
}

// checkOrigin refuses what no browser sends as an origin (RFC 6454, 6.2), and patterns.
func checkOrigin(origin string) error {
	switch {
	case origin == "*":
		return errors.New(`"*" allows all origins: write it alone, or leave the option out`)
	case strings.EqualFold(origin, "null"):
		return errors.New("every sandboxed page has this origin: write real ones")
	case strings.Contains(origin, "*"):
		return errors.New("patterns are not supported: write each origin")
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Hostname() == "" {
		return errors.New(`write a scheme and a host, such as "https://docs.example.com"`)
	}
	if !isASCII(origin) {
		return errors.New("browsers send the host's ASCII form: write that (xn--…)")
	}
	if i := strings.IndexFunc(u.Host, notInHost); i >= 0 {
		return fmt.Errorf("a host cannot have the character %q: pass each origin as an argument of its own", u.Host[i])
	}
	if u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(origin, "?#") {
		return fmt.Errorf("write only the scheme, the host and the port, %q", u.Scheme+"://"+u.Host)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return fmt.Errorf("the port %s is invalid: write one of 1 to 65535, without leading zeros", port)
		}
	}
	if strings.HasSuffix(u.Host, ":") || u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
		return fmt.Errorf("browsers leave the default port out: write %q", u.Scheme+"://"+u.Hostname())
	}
	return nil
}

// notInHost reports whether a character cannot be in a host with a port, as browsers write it.
func notInHost(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._:[]", r))
}
