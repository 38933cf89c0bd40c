package apidoc

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing"
)

// Document is the description of an app in its forms. It is immutable and safe for concurrent use.
type Document struct {
	spec, swagger, openAPI, openAPI30 []byte
	warnings                          []string
}

// Spec returns the form with the members spec, info, paths, definitions and securityDefinitions.
// The bytes must not be changed.
func (d *Document) Spec() []byte { return d.spec }

// Swagger returns the form of Swagger 2.0. The bytes must not be changed.
func (d *Document) Swagger() []byte { return d.swagger }

// OpenAPI returns the form of OpenAPI 3.1. The bytes must not be changed.
func (d *Document) OpenAPI() []byte { return d.openAPI }

// OpenAPI30 returns the form of OpenAPI 3.0. The bytes must not be changed.
func (d *Document) OpenAPI30() []byte { return d.openAPI30 }

// Warnings tells what is not described though it could be: operations of routes that later routes
// hide.
func (d *Document) Warnings() []string { return d.warnings }

// Build makes the description of the routes of app that carry an operation, and of apps that are
// mounted in it, in the order of their definition. A route that a later one hides is not described.
// The base path is what clients write in front of the described paths: the path at which the app is
// mounted, such as "/shop", or nothing; a slash at the end is ignored.
//
// It is an error if info lacks its title or version, if two operations have one ID or one method
// and path (paths that differ in the names of their parameters are one), and if a [Ref] names no
// definition.
func Build(app *routing.App, info Info, basePath string) (*Document, error) {
	c, plain := newCollection(info), newCollection(info)
	plain.plain = true
	for _, one := range []*collection{c, plain} {
		if err := one.collect(app, basePath); err != nil {
			return nil, fmt.Errorf("apidoc: build the description: %w", err)
		}
	}
	var d Document
	for _, form := range []struct {
		bytes *[]byte
		form  object
	}{
		{&d.spec, plain.spec()}, {&d.swagger, c.swagger()},
		{&d.openAPI, c.openAPI(openAPI31)}, {&d.openAPI30, c.openAPI(openAPI30)},
	} {
		var err error
		if *form.bytes, err = form.form.encode(); err != nil {
			return nil, fmt.Errorf("apidoc: encode the description: %w", err)
		}
	}
	d.warnings = c.warnings
	return &d, nil
}

func newCollection(info Info) *collection {
	c := &collection{info: info, definitions: newDefinitions(), tags: slices.Clone(info.Tags)}
	c.definitions.typeName = info.TypeName
	return c
}

// collection is what all forms tell, gathered from the routes once.
type collection struct {
	info        Info
	base        string // escaped, without a slash at the end
	operations  []operation
	webhooks    []*operation
	tags        []Tag
	security    []*Security // each name once
	definitions *definitions
	warnings    []string
	plain       bool // for the contract's form, which tells nothing of the bodies of failures
}

// operation is an operation at its place, with the schemas of its types.
type operation struct {
	*Operation
	route      *routing.Route
	method     string // in lower case
	path       string
	parameters []*schema    // as Parameters
	bodies     []*schema    // as Responses; nil where nothing is said
	events     []*schema    // of the data of server-sent events, likewise
	headers    [][]*schema  // likewise
	sent       []*operation // as callbacks
}

func (c *collection) collect(app *routing.App, basePath string) error {
	if err := c.info.check(); err != nil {
		return err
	}
	if err := c.setBase(basePath); err != nil {
		return err
	}
	var f finder
	if err := f.find(app, "", nil, app.BasePath()); err != nil {
		return err
	}
	c.warnings = f.warnings
	for _, r := range f.routes {
		if err := c.add(r); err != nil {
			return fmt.Errorf("route %s: operation %s: %w", r.route, r.op.ID, err)
		}
	}
	for _, op := range c.info.webhooks {
		w := &operation{Operation: op}
		if err := c.read(w); err != nil {
			return fmt.Errorf("webhook %s: %w", op.ID, err)
		}
		c.webhooks = append(c.webhooks, w)
	}
	return c.checkReferences()
}

func (c *collection) setBase(basePath string) error {
	base, err := basepath.Clean(basePath)
	if err != nil {
		return err
	}
	c.base = (&url.URL{Path: base}).EscapedPath()
	return nil
}

// add adds the operation of one route.
func (c *collection) add(r describedRoute) error {
	o := operation{Operation: r.op, route: r.route, method: strings.ToLower(r.route.Method()), path: r.path}
	if err := c.checkPlace(&o); err != nil {
		return err
	}
	if err := c.read(&o); err != nil {
		return err
	}
	c.operations = append(c.operations, o)
	return nil
}

// read reads the types of an operation, and what it names beside them.
func (c *collection) read(o *operation) error {
	for _, p := range o.Parameters {
		s, err := p.schema(c.definitions)
		if err != nil {
			return err
		}
		o.parameters = append(o.parameters, s)
	}
	for _, r := range o.Responses {
		var body, event *schema
		var err error
		if !r.Body.none() && !(c.plain && r.Status >= 400) {
			if body, err = contentSchema(r.Body, splitMedia(r.ContentType)[0], c.definitions); err != nil {
				return err
			}
		}
		if !r.events.none() {
			if event, err = r.events.schema(c.definitions); err != nil {
				return err
			}
		}
		var headers []*schema
		for _, h := range r.Headers {
			s, err := h.schema(c.definitions)
			if err != nil {
				return err
			}
			headers = append(headers, s)
		}
		o.bodies, o.events, o.headers = append(o.bodies, body), append(o.events, event), append(o.headers, headers)
	}
	for _, tag := range o.Tags {
		if !slices.ContainsFunc(c.tags, func(t Tag) bool { return t.Name == tag }) {
			c.tags = append(c.tags, Tag{Name: tag})
		}
	}
	for _, s := range o.Security {
		for _, way := range s.each() {
			i := slices.IndexFunc(c.security, func(k *Security) bool { return k.name == way.name })
			if i < 0 {
				c.security = append(c.security, way)
			} else if k := c.security[i]; k.kind != way.kind || k.scheme != way.scheme || k.key != way.key {
				return fmt.Errorf("two ways to authorize have the name %q: give each its own", way.name)
			}
		}
	}
	for _, callback := range o.callbacks {
		sent := &operation{Operation: callback.op}
		if err := c.read(sent); err != nil {
			return err
		}
		o.sent = append(o.sent, sent)
	}
	return nil
}

// checkPlace refuses an operation whose name or place another one has.
func (c *collection) checkPlace(o *operation) error {
	for i := range c.operations {
		other := &c.operations[i]
		switch {
		case other.ID == o.ID:
			return fmt.Errorf("route %s has the same ID: give each operation its own", other.route)
		case other.path == o.path && other.method == o.method:
			return fmt.Errorf("route %s is described as %s %s too: describe one of the two", other.route, strings.ToUpper(o.method), o.path)
		case other.path != o.path && anonymous(other.path) == anonymous(o.path):
			return fmt.Errorf("the paths %s and %s differ only in the names of their parameters: use the same names", other.path, o.path)
		}
	}
	return nil
}

var braces = regexp.MustCompile(`\{[^{}]*\}`)

// anonymous drops the names of a path's parameters.
func anonymous(path string) string { return braces.ReplaceAllString(path, "{}") }

// checkReferences refuses references that lead nowhere. Only those made by Ref can.
func (c *collection) checkReferences() error {
	for _, o := range c.operations {
		for _, s := range append(append([]*schema(nil), o.parameters...), o.bodies...) {
			for s != nil && s.items != nil {
				s = s.items
			}
			if s == nil || s.ref == "" || c.definitions.schemas[s.ref] != nil {
				continue
			}
			known := "there is none"
			if len(c.definitions.names) > 0 {
				known = "there are " + strings.Join(c.definitions.names, ", ")
			}
			return fmt.Errorf("route %s: operation %s refers to the definition %q: %s; use the Go type in some operation", o.route, o.ID, s.ref, known)
		}
	}
	return nil
}
