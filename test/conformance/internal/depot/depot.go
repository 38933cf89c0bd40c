// Package depot is a service with two versions of its API. Each version is an app with an API and a
// description, mounted in another app. Security is on the API and on operations, and the second
// version reads a parameter of its mount's prefix.
package depot

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/routing"
)

// Part is a part in the depot.
type Part struct {
	ID   int64  `json:"id" min:"1"`
	Name string `json:"name" minLength:"1" maxLength:"40" example:"Bolt"`
	By   string `json:"by,omitempty" doc:"Who has added it"`
}

// NewPart is the input to add a part.
type NewPart struct {
	Name string `json:"name" minLength:"1" maxLength:"40" example:"Bolt"`
}

// Page is a page of parts.
type Page struct {
	Parts []Part `json:"parts"`
	Next  *int64 `json:"next" doc:"The ID after which the next page begins, null on the last one"`
}

type pageInput struct {
	After int64 `query:"after" doc:"The last ID of the page before"`
	Limit int   `query:"limit" min:"1" max:"100" default:"20"`
}

type byID struct {
	ID int64 `path:"id" doc:"The part's number"`
}

type drawing struct {
	byID
	Title   string      `form:"title,required" maxLength:"80"`
	Sheets  *int        `form:"sheets" min:"1"`
	Drawing apidoc.File `form:"drawing,required" accept:"image/png"`
}

// Stored describes a stored drawing.
type Stored struct {
	Title string `json:"title"`
	Bytes int    `json:"bytes"`
	By    string `json:"by"`
}

type created struct {
	Location string `header:"Location"`
	Part     Part   `body:""`
}

type tenantInput struct {
	Tenant string `path:"tenant" doc:"The company"`
	pageInput
}

// TenantPage is a page of the second version.
type TenantPage struct {
	Tenant string `json:"tenant"`
	Page   Page   `json:"page"`
}

var (
	noPart  = apidoc.NewProblem(http.StatusNotFound, "No such part")
	blocked = apidoc.NewProblem(http.StatusConflict, "The part is in use")
)

// userKey is the name of the client, which Authenticate functions set.
type userKey struct{}

func userOf(ctx context.Context) string {
	name, _ := ctx.Value(userKey{}).(string)
	return name
}

// byToken knows the tokens reader, writer and admin.
func byToken(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	scopes, ok := map[string][]string{"reader": nil, "writer": {"write"}, "admin": {"write", "admin"}}[c.Token]
	if !ok {
		return nil, apidoc.ErrUnauthorized.Detailf("The token is not known")
	}
	for _, scope := range c.Scopes {
		if !slices.Contains(scopes, scope) {
			return nil, apidoc.ErrForbidden.Detailf("The token lacks the scope %s", scope)
		}
	}
	return context.WithValue(ctx, userKey{}, c.Token), nil
}

func byKey(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	if c.Token != "open-sesame" {
		return nil, apidoc.ErrUnauthorized
	}
	return context.WithValue(ctx, userKey{}, "machine"), nil
}

var (
	token = apidoc.Bearer("token", byToken)
	key   = apidoc.APIKey("key", apidoc.InHeader, "X-Key", byKey)
)

// depot has the operations.
type depot struct {
	mu    sync.Mutex // guards the fields below
	last  int64
	parts []Part // by ID
}

func (d *depot) list(_ context.Context, in pageInput) (Page, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	start, _ := slices.BinarySearchFunc(d.parts, in.After+1, byNumber)
	page := Page{Parts: slices.Clone(d.parts[start:min(start+in.Limit, len(d.parts))])}
	if n := len(page.Parts); n > 0 && start+n < len(d.parts) {
		page.Next = &page.Parts[n-1].ID
	}
	return page, nil
}

func byNumber(p Part, id int64) int { return cmp.Compare(p.ID, id) }

func (d *depot) get(_ context.Context, in byID) (Part, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, ok := slices.BinarySearchFunc(d.parts, in.ID, byNumber)
	if !ok {
		return Part{}, noPart.Detailf("There is no part %d", in.ID)
	}
	return d.parts[i], nil
}

func (d *depot) add(ctx context.Context, in NewPart) (created, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	p := Part{ID: d.last, Name: in.Name, By: userOf(ctx)}
	d.parts = append(d.parts, p)
	return created{"parts/" + strconv.FormatInt(p.ID, 10), p}, nil
}

func (d *depot) remove(_ context.Context, in byID) (struct{}, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, ok := slices.BinarySearchFunc(d.parts, in.ID, byNumber)
	switch {
	case !ok:
		return struct{}{}, noPart
	case in.ID == 1:
		return struct{}{}, blocked
	}
	d.parts = slices.Delete(d.parts, i, i+1)
	return struct{}{}, nil
}

func (d *depot) draw(ctx context.Context, in drawing) (Stored, error) {
	content, err := in.Drawing.Bytes()
	return Stored{in.Title, len(content), userOf(ctx)}, err
}

func (d *depot) listOf(ctx context.Context, in tenantInput) (TenantPage, error) {
	page, err := d.list(ctx, in.pageInput)
	return TenantPage{in.Tenant, page}, err
}

// tx is a decorator of operations, in place of one that begins a transaction.
func tx[I, O any](f func(context.Context, I) (O, error)) func(context.Context, I) (O, error) {
	return func(ctx context.Context, in I) (O, error) { return f(ctx, in) }
}

// New returns the service: version 1 below /v1, and version 2 below /v2/:tenant. The argument is
// the prefix that an outer handler removes from paths, or empty.
func New(removed string) (*routing.App, error) {
	d := &depot{}
	for _, name := range []string{"Bolt", "Nut", "Washer"} {
		d.add(context.Background(), NewPart{name})
	}
	root, v1, v2 := routing.New(routing.WithProblemDetails()), routing.New(), routing.New()
	root.Mount("/v1", v1)
	info := apidoc.Info{Title: "A depot", Version: "1.4"}
	if removed != "" {
		info.Servers = []apidoc.Server{{URL: removed + "/v1"}}
	}
	one := apidoc.NewAPI(v1, info, token)
	parts := one.Tag("Parts", "What is in the depot")
	apidoc.Get(one, "/health", "Tell whether it works", tx(func(context.Context, struct{}) (string, error) { return "ok", nil }), apidoc.Public())
	apidoc.Get(one, "/parts", "List parts", d.list, parts, apidoc.ID("listParts"))
	apidoc.Get(one, "/parts/:id", "Read a part", tx(d.get), parts, noPart)
	apidoc.Post(one, "/parts", "Add a part", tx(d.add), parts, token.Scopes("write"), apidoc.Status(http.StatusCreated))
	one.Group("/parts", func(g *apidoc.Group) { // without the token of all others
		apidoc.Delete(g, "/:id", "Remove a part", d.remove, parts, apidoc.AnyOf(token, key).Scopes("admin"), noPart, blocked, apidoc.ID("removePart"))
	}, apidoc.Public())
	apidoc.Post(one, "/parts/:id/drawing", "Store a drawing", d.draw, parts, token.Scopes("write"), apidoc.BodyLimit(1<<20), apidoc.ID("storeDrawing"))
	if _, err := one.Serve(viewer.New()); err != nil {
		return nil, err
	}
	two := apidoc.NewAPI(v2, apidoc.Info{Title: "A depot", Version: "2.0"}, token)
	apidoc.Get(two, "/parts", "List the parts of a company", d.listOf, apidoc.ID("listPartsOf"))
	root.Mount("/v2/:tenant", v2) // before Serve, since operations have the prefix's parameter
	if _, err := two.Serve(viewer.New()); err != nil {
		return nil, err
	}
	return root, nil
}
