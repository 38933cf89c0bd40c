package flowercatalog_test

import (
	"testing"

	"example.com/flowercafe/flowercatalog"
)

// Before a public page may call a private network, browsers send a special preflight request
// (Private Network Access). No response has the header that would allow it.
func TestPrivateNetworksStayPrivate(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []flowercatalog.Option
		origins []string
		allowed string // what the preflight allows beside
	}{
		{"all origins", nil, []string{docs}, "*"},
		{"star", []flowercatalog.Option{flowercatalog.WithAllowedOrigins("*")}, []string{docs}, "*"},
		{"allowed", []flowercatalog.Option{flowercatalog.WithAllowedOrigins(docs)}, []string{docs}, docs},
		{"not allowed", []flowercatalog.Option{flowercatalog.WithAllowedOrigins(docs)}, []string{"https://evil.example"}, ""},
		{"null", []flowercatalog.Option{flowercatalog.WithAllowedOrigins(docs)}, []string{"null"}, ""},
		{"two origins", []flowercatalog.Option{flowercatalog.WithAllowedOrigins(docs)}, []string{docs, "https://evil.example"}, ""},
		{"two origins, the other first", []flowercatalog.Option{flowercatalog.WithAllowedOrigins(docs)}, []string{"https://evil.example", docs}, ""},
		{"the same origin twice", []flowercatalog.Option{flowercatalog.WithAllowedOrigins(docs)}, []string{docs, docs}, ""},
		{"two origins, all allowed", nil, []string{docs, "https://evil.example"}, "*"},
	} {
		for _, openRoutes := range []bool{false, true} {
			options, paths := test.options, []string{"/api-docs/spec.json"}
			if openRoutes {
				options, paths = append(options, flowercatalog.WithCORSOnFlowers()), append(paths, "/flowers")
			}
			app := newApp(t, options...)
			for _, path := range paths {
				for _, method := range []string{"OPTIONS", "GET"} {
					headers := []string{"Access-Control-Request-Private-Network", "true", "Access-Control-Request-Local-Network", "true"}
					if method == "OPTIONS" {
						headers = append(headers, "Access-Control-Request-Method", "GET")
					}
					for _, origin := range test.origins {
						headers = append(headers, "Origin", origin)
					}
					w := ask(app, method, path, headers...)
					for _, name := range []string{"Access-Control-Allow-Private-Network", "Access-Control-Allow-Local-Network", "Access-Control-Allow-Credentials"} {
						if got := w.Header().Values(name); len(got) > 0 {
							t.Errorf("%s: %s %s: got %s %q, want none", test.name, method, path, name, got)
						}
					}
					allowed := w.Header().Values("Access-Control-Allow-Origin")
					if test.allowed == "" && len(allowed) > 0 || test.allowed != "" && (len(allowed) != 1 || allowed[0] != test.allowed) {
						t.Errorf("%s: %s %s: allowed %q, want %q", test.name, method, path, allowed, test.allowed)
					}
				}
			}
		}
	}
}
