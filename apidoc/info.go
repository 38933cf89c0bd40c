package apidoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"reflect"
	"strings"
)

// Info describes the API as a whole.
type Info struct {
	Title          string  `json:"title"`                    // must not be empty
	Version        string  `json:"version"`                  // of the API; must not be empty
	Description    string  `json:"description,omitempty"`    // in Markdown
	TermsOfService string  `json:"termsOfService,omitempty"` // a URL
	Contact        Contact `json:"contact,omitzero"`
	License        License `json:"license,omitzero"`

	// Servers are the URLs of the API. Swagger 2.0 has only the path of the first one, if it begins
	// with a slash. The default is the base path on the host from which the description was loaded.
	Servers []Server `json:"-"`

	// Tags describe groups of operations.
	Tags []Tag `json:"-"`

	ExternalDocs ExternalDocs `json:"-"`

	// Extensions are additional members. Their names begin with "x-".
	Extensions map[string]any `json:"-"`

	// TypeName returns the name of a Go type's definition. The default, also for "", is the type's
	// name, with its package's name or a number if others have it. Requests that differ from
	// responses have names of their own, such as TreeInput.
	TypeName func(reflect.Type) string `json:"-"`

	// Change edits the description before it is published. The version is "2.0" or "3.0" to "3.2",
	// and the text is JSON. It must be safe for concurrent use.
	Change func(version string, text []byte) ([]byte, error) `json:"-"`
}

// Server is a URL of the API.
type Server struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Contact is for questions about the API.
type Contact struct {
	Name  string `json:"name,omitempty"`
	URL   string `json:"url,omitempty"`
	Email string `json:"email,omitempty"`
}

// License is the license of the API.
type License struct {
	Name string `json:"name"` // must not be empty if there is a URL
	URL  string `json:"url,omitempty"`
}

// check returns an error for an Info that validators would refuse.
func (i Info) check() error {
	switch {
	case i.Title == "":
		return errors.New("info: the title is empty: write the name of the API")
	case i.Version == "":
		return errors.New(`info: the version is empty: write the version of the API, such as "1.0"`)
	case i.License.Name == "" && i.License.URL != "":
		return errors.New("info: the license has a URL but no name: write its name")
	}
	if err := checkExtensions(i.Extensions); err != nil {
		return fmt.Errorf("info: %w", err)
	}
	for _, address := range []struct{ name, text string }{
		{"terms of service", i.TermsOfService}, {"contact", i.Contact.URL}, {"license", i.License.URL},
	} {
		if _, err := url.Parse(address.text); err != nil {
			return fmt.Errorf("info: %s: write a URL: %w", address.name, err)
		}
	}
	for _, s := range i.Servers {
		if _, err := url.Parse(s.URL); err != nil || s.URL == "" {
			return fmt.Errorf("info: server %q: write a URL, absolute or relative to the description", s.URL)
		}
	}
	if i.Contact.Email != "" {
		if _, err := mail.ParseAddress(i.Contact.Email); err != nil {
			return fmt.Errorf("info: contact: write an email address, not %q: %w", i.Contact.Email, err)
		}
	}
	return nil
}

// checkExtensions returns an error for additional members that OpenAPI does not allow.
func checkExtensions(all map[string]any) error {
	for name := range all {
		if !strings.HasPrefix(name, "x-") {
			return fmt.Errorf("extension %q: write a name that begins with x-", name)
		}
		if _, err := json.Marshal(all[name]); err != nil {
			return fmt.Errorf("extension %q: write a value that has JSON: %w", name, err)
		}
	}
	return nil
}

// ExternalDocs refers to documentation elsewhere.
type ExternalDocs struct {
	URL         string `json:"url"`                   // must not be empty if there is a Description
	Description string `json:"description,omitempty"` // in Markdown
}

func (e ExternalDocs) check() error {
	if e.URL == "" && e.Description != "" {
		return fmt.Errorf("the documentation %q has no URL: write it", e.Description)
	}
	return nil
}

// orNil returns nil for empty ExternalDocs.
func (e ExternalDocs) orNil() any {
	if e.URL == "" {
		return nil
	}
	return e
}

// Tag is a group of operations. As an [Option] it adds an operation to the group.
type Tag struct {
	describeOption
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"` // in Markdown
	Docs        ExternalDocs `json:"externalDocs,omitzero"`
	Summary     string       `json:"summary,omitempty"` // the name that is shown; OpenAPI 3.2 only, like Parent and Kind
	Parent      string       `json:"parent,omitempty"`  // the name of an earlier tag
	Kind        string       `json:"kind,omitempty"`    // such as nav, badge or audience
}
