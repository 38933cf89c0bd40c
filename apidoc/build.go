package apidoc

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// This file describes an app: it collects its operations, and writes them in all formats.

// Document is the description of an app in all formats. Only OpenAPI 3.2 has the method QUERY,
// nested tags and the flow of OAuth 2 for devices. A Document is safe for concurrent use; its bytes
// must not be changed.
//
// # Paths
//
// A described path is the pattern with its parameters in braces, behind the prefixes of mounts:
// /flowers/:slug becomes /flowers/{slug}. Optional text is described as present, but not
// (.:format): /flowers/? becomes /flowers/. Other optional parameters, wildcards and regular
// expressions panic, as do routes for every method.
//
// # Types
//
// JSON is described as [encoding/json] writes Go types:
//
//   - a type with MarshalText alone is text, a [time.Time] of the format date-time, and bytes are
//     base64 text; a [time.Duration] is a number of nanoseconds, a [math/big.Int] a number;
//   - a property is required, unless its field has omitempty, omitzero or a default, or is in an
//     embedded pointer; a pointer may be null, an [Optional] may be missing or null;
//   - an interface, or another type with MarshalJSON, is any value, which encoding/json writes; see
//     [Union] and [SchemaProvider].
//
// Unlike in encoding/json, other nil slices and maps are empty. A [net/url.URL] is text; as a
// member it is left out if zero, like a [net/netip.Addr]. A [time.Duration] with the tag
// format:"duration" is text of ISO 8601, a [time.Time] with format:"date" is a day, and a
// [database/sql.Null] is its value or null.
type Document struct {
	app             *routing.App
	api             *openapi.API
	proxyPrefix     string // the prefix that a proxy has removed
	base            string
	routes          []located
	change          func(version string, text []byte) ([]byte, error) // Info.Change
	texts           [len(formats)]*openapi.Text
	representations [len(formats)]representation // for base
	warnings        []string
}

// representation is a description in one format, and its ETag.
type representation struct {
	text []byte
	tag  string
}

// formats are the formats in which apps are described, and the files in which [API.Serve] publishes
// them.
var formats = [...]struct {
	openapi.Format
	file string
}{
	{openapi.Swagger, "swagger.json"},
	{openapi.OpenAPI31, "openapi.json"},
	{openapi.OpenAPI30, "openapi-3.0.json"},
	{openapi.OpenAPI32, "openapi-3.2.json"},
}

// BasePath returns the path of [routing.WithBasePath] or [Build], escaped and without a trailing
// slash.
func (d *Document) BasePath() string { return d.base }

// Swagger returns the description in Swagger 2.0.
func (d *Document) Swagger() []byte { return d.representations[0].text }

// OpenAPI returns the description in OpenAPI 3.1.
func (d *Document) OpenAPI() []byte { return d.representations[1].text }

// OpenAPI30 returns the description in OpenAPI 3.0.
func (d *Document) OpenAPI30() []byte { return d.representations[2].text }

// OpenAPI32 returns the description in OpenAPI 3.2.
func (d *Document) OpenAPI32() []byte { return d.representations[3].text }

// at returns the description in a format for the API below a base path.
func (d *Document) at(base string, format int) (representation, error) {
	if base == d.proxyPrefix+d.base && d.representations[format].text != nil {
		return d.representations[format], nil
	}
	text, err := d.texts[format].At(base), error(nil)
	if d.change != nil {
		text, err = d.changed(text, format)
	}
	sum := sha256.Sum256(text)
	return representation{text, `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`}, err
}

// changed returns the result of [Info].Change for a description.
func (d *Document) changed(text []byte, format int) ([]byte, error) {
	f := formats[format]
	short := f.Version[:len("3.0")]
	text, err := d.change(short, text)
	var members map[string]json.RawMessage
	var version string
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err == nil {
		err = json.Unmarshal(members[f.Member], &version)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("apidoc: Info.Change of %s %s: return its JSON: %w", f.Member, short, err)
	case version != short && !strings.HasPrefix(version, short+"."):
		return nil, fmt.Errorf("apidoc: Info.Change of %s %s: the version is %q: leave it as it is", f.Member, short, version)
	}
	return text, nil
}

// Warnings returns sentences about faults that are no errors, such as an operation that another one
// of its app hides or that Swagger 2.0 omits.
func (d *Document) Warnings() []string { return slices.Clone(d.warnings) }

// OtherRoute returns the route that gets a request before the operation with an ID, because of the
// values in its path, or nil: /trees/new matches both /trees/new and /trees/:id. It is for programs
// that build requests from untrusted input.
func (d *Document) OtherRoute(r *http.Request, id string) *routing.Route {
	op, ok := d.operation(id)
	if !ok {
		return nil
	}
	before := matched(d.app.Explain(r))
	at := slices.Index(before, op.route)
	if at == 0 {
		return nil // the common case
	}
	sample, u := *r, *r.URL
	path, _ := url.PathUnescape(braces.ReplaceAllString(op.atPath.Path, "%00")) // an escaped path: there is no error
	u.Path = d.app.BasePath() + path
	sample.URL = &u
	always := matched(d.app.Explain(&sample))
	if at > 0 {
		before = before[:at]
	}
	for _, route := range before {
		if !slices.Contains(always, route) {
			return route
		}
	}
	return nil
}

// matched returns the routes that match, with mounted apps' routes in place of their mounts.
func matched(e routing.Explanation) (routes []*routing.Route) {
	for _, step := range e.Steps {
		switch {
		case step.Mounted != nil:
			routes = append(routes, matched(*step.Mounted)...)
		case step.Matched:
			routes = append(routes, step.Route)
		}
	}
	return routes
}

// Build describes the routes of app that have an operation, including mounted apps. basePath is the
// path at which the app is served, such as "/shop", or empty.
func Build(app *routing.App, info Info, basePath string) (*Document, error) {
	return build(app, info, basePath, nil)
}

// build describes an app. If api is not nil, it omits the app's other APIs.
func build(app *routing.App, info Info, basePath string, api *registry) (*Document, error) {
	c := &collection{
		info: info, tags: slices.Clone(info.Tags), api: openapi.API{Names: make(map[reflect.Type]string)},
		ids: make(map[string]bool), paths: make(map[string]string),
	}
	base, err := c.collect(app, basePath, api)
	if err != nil {
		return nil, fmt.Errorf("apidoc: build the description: %w", err)
	}
	proxyPrefix := ""
	if api != nil {
		proxyPrefix = (&url.URL{Path: private.ProxyPrefix(app)}).EscapedPath()
	}
	d := &Document{app: app, api: &c.api, proxyPrefix: proxyPrefix, base: base, routes: c.routes, change: info.Change, warnings: c.warnings}
	for i, format := range formats {
		if d.texts[i], err = c.api.Write(format.Format); err != nil {
			return nil, fmt.Errorf("apidoc: %w", err)
		}
		if d.representations[i], err = d.at(proxyPrefix+base, i); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// collection collects the content of all formats.
type collection struct {
	info     Info
	api      openapi.API
	routes   []located // that are described
	tags     []Tag
	types    []reflect.Type    // of the definitions
	ids      map[string]bool   // by openapi.SimpleName
	paths    map[string]string // by paths without the names of parameters
	warnings []string
}

// collect collects the operations and webhooks, and returns the base path, escaped.
func (c *collection) collect(app *routing.App, basePath string, api *registry) (string, error) {
	if err := c.info.check(); err != nil {
		return "", err
	}
	base, err := basepath.Clean(basePath)
	if err != nil {
		return "", err
	}
	found, err := find(app, api, mounts{app: app})
	if err == nil {
		found, err = withoutReplaced(found)
	}
	if err != nil {
		return "", err
	}
	c.warnings = append(unreached(app, found), unprotected(api, found)...)
	registries := []*registry{api}
	for _, r := range found {
		if !slices.Contains(registries, r.registry) {
			registries = append(registries, r.registry)
		}
	}
	registries = slices.DeleteFunc(registries, func(r *registry) bool { return r == nil }) // operations without an API
	for _, r := range registries {
		tags, _ := r.content()
		c.addTags(tags...)
	}
	if err := c.nameOperations(found); err != nil {
		return "", err
	}
	for _, r := range found {
		err := c.checkPath(r)
		if err == nil {
			err = c.add(r.Operation)
		}
		if err != nil {
			return "", fmt.Errorf("route %s: operation %s: %w", r.route, r.atPath.ID, err)
		}
		if r.atPath.IsNew() {
			c.warnings = append(c.warnings, r.route.String()+": Swagger 2.0 does not have the method: it is not in swagger.json")
		}
		c.api.Operations, c.routes = append(c.api.Operations, r.atPath), append(c.routes, r)
	}
	for _, r := range registries {
		if added := r.added.Load(); added != nil {
			c.addTypes(added.types)
		}
		_, webhooks := r.content()
		for _, w := range webhooks {
			if slices.ContainsFunc(c.api.Webhooks, func(other *openapi.Operation) bool { return other.Path == w.ID() }) {
				return "", fmt.Errorf("two webhooks have the name %s: give them different names", w.ID())
			}
			if err := c.add(w); err != nil {
				return "", fmt.Errorf("webhook %s: %w", w.ID(), err)
			}
			c.api.Webhooks = append(c.api.Webhooks, c.named(w.doc, w.ID()))
		}
	}
	for _, op := range c.api.Operations {
		op.Callbacks = slices.Clone(op.Callbacks)
		for i := range op.Callbacks {
			sent := *op.Callbacks[i].Operation
			op.Callbacks[i].Operation = c.named(sent, joinID(op.ID, sent.ID))
		}
	}
	if err := cmp.Or(c.nameTypes(), c.info.ExternalDocs.check()); err != nil {
		return "", err
	}
	c.api.Info, c.api.Docs, c.api.NestedTags, c.api.Extensions = c.info, c.info.ExternalDocs.orNil(), c.tags, c.info.Extensions
	if c.api.Tags, err = flat(c.tags); err != nil {
		return "", err
	}
	if len(c.info.Servers) > 0 {
		c.api.Servers = c.info.Servers
		switch u, err := url.Parse(c.info.Servers[0].URL); {
		case err == nil && strings.HasPrefix(u.Path, "/"):
			c.api.ServerPath = strings.TrimRight(u.EscapedPath(), "/")
		case err == nil && !u.IsAbs() && u.Host == "":
			c.api.Relative = true
		}
	}
	return (&url.URL{Path: base}).EscapedPath(), nil
}

// add adds the types, tags and security schemes of an operation.
func (c *collection) add(op *Operation) error {
	c.addTypes(op.defined)
	c.addTags(op.tags...)
	for _, required := range slices.Concat(op.doc.Security...) {
		i := slices.IndexFunc(c.api.Schemes, func(s *openapi.Scheme) bool { return s.Name == required.Name })
		if i < 0 {
			c.api.Schemes = append(c.api.Schemes, required.Scheme)
		} else if !reflect.DeepEqual(c.api.Schemes[i], required.Scheme) {
			return fmt.Errorf("two security schemes have the name %q: give them different names", required.Name)
		}
	}
	return nil
}

func (c *collection) addTypes(definitions []*schema.Schema) {
	for _, d := range definitions {
		c.types = append(c.types, d.Named)
	}
}

// named returns a copy of a webhook or callback with a unique ID.
func (c *collection) named(op openapi.Operation, wanted string) *openapi.Operation {
	op.ID = c.uniqueID(wanted)
	return &op
}

// addTags adds the tags whose names are new, and what is known only now of others.
func (c *collection) addTags(tags ...Tag) {
	for _, tag := range tags {
		i := slices.IndexFunc(c.tags, func(t Tag) bool { return t.Name == tag.Name })
		if i < 0 {
			c.tags = append(c.tags, tag)
		} else if c.tags[i] == (Tag{Name: tag.Name}) {
			c.tags[i] = tag
		}
	}
}

// flat returns tags without the members that only OpenAPI 3.2 has. It returns an error for two tags
// with the same name. The parent of a tag must precede it, so that the parent exists and no cycle
// is possible (OpenAPI 3.2, Tag Object).
func flat(tags []Tag) (plain []Tag, _ error) {
	has := func(name string) bool {
		return slices.ContainsFunc(plain, func(t Tag) bool { return t.Name == name })
	}
	for _, t := range tags {
		switch {
		case has(t.Name):
			return nil, fmt.Errorf("tag %q: write it once", t.Name)
		case t.Parent != "" && !has(t.Parent):
			return nil, fmt.Errorf("tag %q: write its parent %q before it", t.Name, t.Parent)
		}
		if err := t.Docs.check(); err != nil {
			return nil, fmt.Errorf("tag %q: %w", t.Name, err)
		}
		plain = append(plain, Tag{Name: t.Name, Description: t.Description, Docs: t.Docs})
	}
	return plain, nil
}

// nameTypes gives the definitions of types their names: from Info.TypeName, or else the type's
// name, after its package's name if types of several packages have it. The names do not depend on
// the order of the types, unless types of the same name are declared in functions of one package.
func (c *collection) nameTypes() error {
	types := slices.SortedStableFunc(slices.Values(c.types), func(a, b reflect.Type) int {
		return cmp.Or(cmp.Compare(a.PkgPath(), b.PkgPath()), cmp.Compare(a.String(), b.String()))
	})
	isKnown := make(map[reflect.Type]bool)
	types = slices.DeleteFunc(types, func(t reflect.Type) bool {
		defer func() { isKnown[t] = true }()
		return isKnown[t]
	})
	plain := make(map[string][]reflect.Type) // by openapi.SimpleName of the types' names
	taken := make(map[string]reflect.Type)   // by openapi.SimpleName
	chosen := make(map[reflect.Type]string)
	for _, t := range types {
		if c.info.TypeName != nil {
			chosen[t] = c.info.TypeName(t)
		}
		if chosen[t] == "" {
			simple := openapi.SimpleName(gotype.DefinitionName(t))
			plain[simple] = append(plain[simple], t)
			continue
		}
		if !isName(chosen[t]) {
			return fmt.Errorf("the definition of the type %s has the name %q: %s", t, chosen[t], nameAdvice)
		}
		simple := openapi.SimpleName(chosen[t])
		if other := taken[simple]; other != nil {
			return fmt.Errorf("the function Info.TypeName returns the name %q for the types %s and %s: return different names", chosen[t], other, t)
		}
		taken[simple], c.api.Names[t] = t, chosen[t]
	}
	for _, simple := range slices.Sorted(maps.Keys(plain)) {
		same := plain[simple]
		isMet := slices.ContainsFunc(same, func(t reflect.Type) bool { return t.PkgPath() != same[0].PkgPath() })
		if isMet {
			c.warnings = append(c.warnings, fmt.Sprintf("the types %v have the same name: Info.TypeName can choose others", same))
		}
		for _, t := range same {
			chosen[t] = gotype.DefinitionName(t)
			if isMet {
				prefix := gotype.PlainName(path.Base(t.PkgPath()))
				chosen[t] = strings.ToUpper(prefix[:1]) + prefix[1:] + chosen[t]
			}
		}
	}
	for _, t := range types {
		if c.api.Names[t] != "" {
			continue
		}
		unique := chosen[t]
		for i := 2; taken[openapi.SimpleName(unique)] != nil; i++ {
			unique = fmt.Sprint(chosen[t], i)
		}
		c.api.Names[t], taken[openapi.SimpleName(unique)] = unique, t
	}
	return nil
}

// nameOperations gives operations whose IDs are equal, or differ only in letter case and
// underscores, a number. It returns an error for two operations with the same ID; if an app is
// mounted several times, its operations get numbers.
func (c *collection) nameOperations(found []located) error {
	sorted := slices.SortedStableFunc(slices.Values(found), func(a, b located) int {
		return cmp.Or(cmp.Compare(a.ID(), b.ID()), cmp.Compare(a.atPath.Path, b.atPath.Path), cmp.Compare(a.atPath.Method, b.atPath.Method))
	})
	for i, r := range sorted {
		if i > 0 && sorted[i-1].ID() == r.ID() && sorted[i-1].Operation != r.Operation {
			return fmt.Errorf("route %s: operation %s: route %s has the same ID: give one another ID, with ID, or IDPrefix for a group",
				r.route, r.ID(), sorted[i-1].route)
		}
		r.atPath.ID = c.uniqueID(r.ID())
	}
	return nil
}

// uniqueID returns an ID that no operation has: the wanted one, followed by a number if necessary.
func (c *collection) uniqueID(wanted string) string {
	unique := wanted
	for i := 2; c.ids[openapi.SimpleName(unique)]; i++ {
		unique = fmt.Sprint(wanted, i)
	}
	c.ids[openapi.SimpleName(unique)] = true
	return unique
}

// checkPath returns an error if another operation has other names of parameters at the same path.
func (c *collection) checkPath(r located) error {
	path := anonymous(r.atPath.Path)
	if other, taken := c.paths[path]; taken && other != r.atPath.Path {
		return fmt.Errorf("the paths %s and %s differ only in the names of their parameters: use the same names", other, r.atPath.Path)
	}
	c.paths[path] = r.atPath.Path
	return nil
}
