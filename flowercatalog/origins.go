package flowercatalog

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/rs/cors"

	"example.com/flowercafe/flowercatalog/internal/fold"
)

// corsOptions checks the origins and returns the options of cross-origin requests. The origins are
// compared here, because rs/cors differs in three ways: It reads an empty list as all origins. It
// compares in Unicode's lower case, where the Kelvin sign is a k. Of several Origin headers it
// checks the first but sends all of them back.
func (s *settings) corsOptions() (cors.Options, error) {
	o := s.cors
	if o.AllowedOrigins != nil || o.AllowOriginFunc != nil || o.AllowOriginRequestFunc != nil || o.AllowOriginVaryRequestFunc != nil { //nolint:staticcheck // deprecated, so refused too
		return o, errors.New("WithCORS: leave the origins out, and write them with WithAllowedOrigins")
	}
	if len(o.AllowedMethods) == 0 {
		o.AllowedMethods = []string{http.MethodGet, http.MethodHead} // an empty list would allow POST too
	}
	o.AllowedMethods = strings.Fields(strings.ToUpper(strings.Join(o.AllowedMethods, " "))) // as rs/cors reads them
	if o.AllowedHeaders == nil {
		o.AllowedHeaders = []string{"*"}
	}
	o.ExposedHeaders = append([]string{"ETag"}, o.ExposedHeaders...)
	if s.hasPages {
		o.ExposedHeaders = append(o.ExposedHeaders, "Link")
	}
	o.MaxAge, o.OptionsSuccessStatus = cmp.Or(o.MaxAge, 600), cmp.Or(o.OptionsSuccessStatus, http.StatusNoContent)
	if !s.restricted || len(s.origins) == 1 && s.origins[0] == "*" {
		if o.AllowCredentials {
			return o, errors.New("WithCORS: credentials for all origins would let every web page send requests as its visitor: write the origins with WithAllowedOrigins")
		}
		o.AllowedOrigins = []string{"*"}
		return o, nil
	}
	if len(s.origins) == 0 {
		return o, errors.New(`allowed origins: the list is empty, which would allow nobody: write the origins, or "*" for all`)
	}
	allowed := make(map[string]bool, len(s.origins))
	for _, origin := range s.origins {
		if err := checkOrigin(origin); err != nil {
			return o, fmt.Errorf("allowed origin %q: %w", origin, err)
		}
		allowed[strings.ToLower(origin)] = true
	}
	o.AllowOriginVaryRequestFunc = func(r *http.Request, origin string) (bool, []string) {
		return len(r.Header["Origin"]) == 1 && fold.IsASCII(origin) && allowed[strings.ToLower(origin)], nil
	}
	return o, nil
}

// checkOrigin refuses patterns and texts that no browser sends as an origin (RFC 6454, 6.2).
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
	if !fold.IsASCII(origin) {
		return errors.New("browsers send the host's ASCII form: write that (xn--…)")
	}
	if i := strings.IndexAny(u.Host, "~!$&'()*+,;=<>\"%"); i >= 0 { // url.Parse lets them pass
		return fmt.Errorf("a host cannot have the character %q: pass each origin as a separate argument", u.Host[i])
	}
	if u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(origin, "?#") {
		return fmt.Errorf("write only the scheme, the host and the port, %q", u.Scheme+"://"+u.Host)
	}
	if host := u.Hostname(); strings.Contains(host, ":") || endsInNumber(host) {
		if a, err := netip.ParseAddr(host); err != nil || addressText(a) != strings.ToLower(host) {
			return errors.New("browsers send an address in its shortest form, such as 127.0.0.1 or [::1]: write that")
		}
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

// endsInNumber reports whether browsers read the host as an IPv4 address: 127.1 is 127.0.0.1
// (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	_, err := strconv.ParseUint(host[strings.LastIndexByte(host, '.')+1:], 0, 64)
	return err == nil
}

// addressText returns an address as browsers write it in an origin: never with dots in IPv6
// (https://url.spec.whatwg.org/#concept-ipv6-serializer).
func addressText(a netip.Addr) string {
	if !a.Is4In6() {
		return a.String()
	}
	b := a.As16()
	return fmt.Sprintf("::ffff:%x:%x", binary.BigEndian.Uint16(b[12:]), binary.BigEndian.Uint16(b[14:]))
}
