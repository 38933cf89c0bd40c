package viewer

import (
	"fmt"
	"net/url"
	"strings"
)

// Option configures the page of [New]. If an option is given twice, the last one counts.
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

type settings struct {
	title   string
	theme   Theme
	formats []Format
	more    []Format
}

// Theme is light or dark.
type Theme string

const (
	Auto  Theme = ""      // as the user's system prefers; the default
	Light Theme = "light" // always light
	Dark  Theme = "dark"  // always dark
)

// Format is a format of the description.
type Format struct {
	Name string // shown to users, such as "OpenAPI 3.1"; not empty, and unique
	URL  string // relative to the page, such as "../openapi.json"; on the page's server
}

// WithTitle sets the title of the page and of the description that it shows. The default, or "",
// is the description's title.
func WithTitle(title string) Option {
	return option(func(s *settings) { s.title = title })
}

// WithTheme sets the theme. With [Auto], the default, the member "x-theme" of the description's
// info may set "light" or "dark".
func WithTheme(theme Theme) Option {
	return option(func(s *settings) { s.theme = theme })
}

// WithFormats sets the formats that the page offers. It shows the first one until the user chooses
// another. The default is OpenAPI 3.1 at ../openapi.json, 3.0 at ../openapi-3.0.json, and Swagger
// 2.0 at ../swagger.json, as apidoc.API serves them. This Swagger UI does not read 3.2, and so
// shows no QUERY.
func WithFormats(formats ...Format) Option {
	return option(func(s *settings) { s.formats = formats })
}

// WithMoreFormats adds formats after the others. A description without a version is shown as
// Swagger 2.0.
func WithMoreFormats(formats ...Format) Option {
	return option(func(s *settings) { s.more = formats })
}

func defaultSettings() settings {
	return settings{formats: []Format{
		{"OpenAPI 3.1", "../openapi.json"},
		{"OpenAPI 3.0", "../openapi-3.0.json"},
		{"Swagger 2.0", "../swagger.json"},
	}}
}

// check returns an error if an option is invalid.
func (s *settings) check() error {
	if s.theme != Auto && s.theme != Light && s.theme != Dark {
		return fmt.Errorf("theme %q: write Auto, Light or Dark", s.theme)
	}
	if len(s.formats) == 0 {
		return fmt.Errorf("formats: name at least one")
	}
	names := make(map[string]bool)
	for _, f := range s.formats {
		if f.Name == "" || names[f.Name] {
			return fmt.Errorf("format %q: write a name that no other format has", f.Name)
		}
		names[f.Name] = true
		u, err := url.Parse(f.URL)
		if err != nil || f.URL == "" || u.Scheme != "" || u.Host != "" || strings.Contains(f.URL, `\`) { // browsers read a backslash as a slash
			return fmt.Errorf("format %q: %q must be a URL on the page's own server, such as ../openapi.json", f.Name, f.URL)
		}
	}
	return nil
}
