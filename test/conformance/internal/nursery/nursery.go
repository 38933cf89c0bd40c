// Package nursery is the API of a plant nursery, with typical typed operations. They have each kind
// of input and output, each rule and each security of package apidoc. Package humanursery is the
// same API in huma.
package nursery

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/conformance/internal/stock"
	"example.com/flowercafe/routing"
)

type (
	Colour  string
	Money   struct{ stock.Money }
	Payment struct{ stock.Payment }

	Size struct {
		Height float64 `json:"height" min:"0" max:"500" doc:"In centimetres" example:"45.5"`
		Pot    float32 `json:"pot,omitempty" min:"0" multipleOf:"0.5"`
	}
	Item struct {
		ID      uuid.UUID         `json:"id" readOnly:"true"`
		Created time.Time         `json:"created" readOnly:"true"`
		Sold    time.Time         `json:"sold,omitzero" readOnly:"true"`
		Name    string            `json:"name" minLength:"1" maxLength:"80" doc:"What it is called" example:"Red rose"`
		Code    string            `json:"code" pattern:"^[A-Z]{2}[0-9]{4}$" example:"RO0001"`
		Price   Money             `json:"price"`
		Pack    int32             `json:"pack" min:"6" max:"600" multipleOf:"6" default:"6"`
		Light   string            `json:"light" enum:"sun,shade,any" default:"any"`
		Colour  Colour            `json:"colour,omitempty"`
		Tags    []string          `json:"tags,omitempty" unique:"true" maxLength:"8"`
		Labels  map[string]string `json:"labels,omitempty" maxLength:"8"`
		Size    *Size             `json:"size,omitempty"`
		Note    *string           `json:"note" maxLength:"200" doc:"null if there is none"`
		Latin   string            `json:"latin,omitempty" deprecated:"true"`
	}
	ItemChange struct {
		Name  *string                 `json:"name,omitempty" nullable:"false" minLength:"1" maxLength:"80"`
		Price *Money                  `json:"price,omitempty" nullable:"false"`
		Note  apidoc.Optional[string] `json:"note" maxLength:"200" doc:"null removes it"`
	}
	Page[T any] struct {
		Items []T `json:"items"`
		Total int `json:"total" min:"0"`
	}
	Line struct {
		Item  uuid.UUID `json:"item"`
		Count uint16    `json:"count" min:"1" max:"999"`
		With  []Line    `json:"with,omitempty" doc:"What is packed together with it"`
	}
	OrderInput struct {
		_       struct{} `additionalProperties:"false"`
		Lines   []Line   `json:"lines" minLength:"1" maxLength:"50"`
		Payment Payment  `json:"payment"`
		Email   string   `json:"email" format:"email" example:"ann@example.com"`
		Tell    string   `json:"tell,omitempty" format:"uri" doc:"Where to send the order's changes"`
	}
	Order struct {
		ID     uuid.UUID `json:"id"`
		Count  int64     `json:"count" doc:"How many plants"`
		Status string    `json:"status" enum:"placed,packed,sent"`
		Whole  bool      `json:"whole,omitempty" default:"true" doc:"Whether it is sent in one parcel"`
	}
	Upload struct {
		Title string   `json:"title"`
		Bytes int64    `json:"bytes"`
		Names []string `json:"names"`
	}

	Paging struct {
		Limit  int `query:"limit" min:"1" max:"100" default:"20"`
		Offset int `query:"offset" min:"0" max:"100000"`
	}
	Filter struct {
		Paging
		Colours []Colour  `query:"colour" unique:"true" maxLength:"3"`
		Since   time.Time `query:"since" doc:"Items that came at this time or later"`
		Below   *Money    `query:"below" doc:"Items that cost less"`
		Trace   string    `header:"X-Trace" pattern:"^[0-9a-f]{1,32}$"`
	}
	Listed struct {
		Trace string     `header:"X-Trace"`
		Total int        `header:"X-Total"`
		Page  Page[Item] `body:""`
	}
	ByID struct {
		ID uuid.UUID `path:"id" doc:"The item's id"`
	}
	Replace struct {
		ByID
		Item Item `body:""`
	}
	Created struct {
		Location string `header:"Location" doc:"Where the item is"`
		Item     Item   `body:""`
	}
	Stored struct {
		Status   int    `status:"200,201"`
		Location string `header:"Location" doc:"Where the item is"`
		Item     Item   `body:""`
	}
	Change struct {
		ByID
		Change ItemChange `body:""`
	}
	PhotoInput struct {
		ByID
		Bytes []byte `body:"image/png,image/gif"`
	}
	Photo struct {
		Cache string `header:"Cache-Control"`
		Tag   string `header:"ETag"`
		Type  string `header:"Content-Type"`
		Bytes []byte `body:"image/png,image/gif"`
	}
	UploadInput struct {
		_     struct{}      `additionalProperties:"false"`
		Title string        `form:"title,required" pattern:"^[A-Za-z][A-Za-z ]*$" maxLength:"80"`
		Pages []int32       `form:"page" min:"1" maxLength:"5"`
		Photo apidoc.File   `form:"photo,required" accept:"image/png" maxLength:"65536"`
		More  []apidoc.File `form:"more" accept:"image/png,image/gif" maxLength:"3"`
	}
	Login struct {
		Name     string `form:"name,required" minLength:"1"`
		Password string `form:"password,required" format:"password" minLength:"8"`
		Remember bool   `form:"remember"`
	}
	Session struct {
		Cookie http.Cookie `header:"Set-Cookie"`
		Body   struct {
			Expires time.Time `json:"expires"`
		} `body:""`
	}
	Visit struct {
		Language string `cookie:"language" enum:"en,de" default:"en"`
	}
	Export struct {
		Rows io.Reader `body:"text/csv"`
	}
	Watch struct {
		After string `header:"Last-Event-ID" pattern:"^[0-9]{1,9}$"`
	}
)

func (Colour) Values() []Colour { return []Colour{"red", "white", "yellow"} }
func (Payment) OneOf() []any    { return []any{stock.Card{}, stock.Invoice{}} }
func (Money) DescribedAs() (any, reflect.StructTag) {
	return "", `doc:"An amount" pattern:"^[0-9]{1,9}\\.[0-9]{2}$" example:"12.50"`
}

var (
	noItem   = apidoc.NewProblem(404, "No such item")
	noPhoto  = apidoc.NewProblem(404, "No such photo")
	taken    = apidoc.NewProblem(409, "The code is taken")
	mismatch = apidoc.NewProblem(403, "Wrong name or password")
	soldOut  = apidoc.NewProblem(409, "So many plants are not in stock")

	token   = apidoc.Bearer("token", allow)
	basic   = apidoc.Basic("basic", allow)
	key     = apidoc.APIKey("key", apidoc.InHeader, "X-Key", allow)
	session = apidoc.APIKey("session", apidoc.InCookie, "session", allow)
	openID  = apidoc.OpenID("openid", "https://login.example.com/.well-known/openid-configuration", allow)
	oauth   = apidoc.OAuth2("oauth", allow, apidoc.OAuthFlow{
		Kind: "clientCredentials", TokenURL: "https://login.example.com/token",
		Scopes: map[string]string{"orders:write": "Place orders"},
	})
)

type user struct{}

func allow(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	switch {
	case c.Token == stock.Secret || c.Username == "ann" && c.Password == stock.Secret:
		return context.WithValue(ctx, user{}, "ann"), nil
	case c.Token == stock.Visitor && len(c.Scopes) > 0:
		return nil, apidoc.ErrForbidden
	case c.Token == stock.Visitor:
		return context.WithValue(ctx, user{}, "visitor"), nil
	}
	return nil, apidoc.ErrUnauthorized
}

type shop struct {
	items  stock.Table[uuid.UUID, Item]
	photos stock.Table[uuid.UUID, Photo]
	shelf  stock.Shelf
}

func (s *shop) listItems(ctx context.Context, in Filter) (Listed, error) {
	items, total := s.items.List(in.Offset, in.Limit, func(i Item) bool {
		return (len(in.Colours) == 0 || stock.Has(in.Colours, i.Colour)) && !i.Created.Before(in.Since) && (in.Below == nil || i.Price.Money < in.Below.Money)
	})
	return Listed{in.Trace, total, Page[Item]{items, total}}, nil
}

func (s *shop) createItem(ctx context.Context, in Item) (Created, error) {
	if in.Code == "XX0000" {
		return Created{}, taken.Detailf("%s is taken", in.Code)
	}
	in.ID, in.Created = uuid.New(), stock.Now()
	s.items.Put(in.ID, in)
	return Created{"items/" + in.ID.String(), in}, nil
}

func (s *shop) getItem(ctx context.Context, in ByID) (Item, error) {
	item, ok := s.items.Get(in.ID)
	if !ok {
		return Item{}, noItem
	}
	return item, nil
}

func (s *shop) replaceItem(ctx context.Context, in Replace) (Stored, error) {
	item := in.Item
	item.ID, item.Created = in.ID, stock.Now()
	if s.items.Put(in.ID, item) {
		return Stored{Status: 201, Location: in.ID.String(), Item: item}, nil
	}
	return Stored{Item: item}, nil
}

func (s *shop) changeItem(ctx context.Context, in Change) (Item, error) {
	item, ok := s.items.Change(in.ID, func(i *Item) {
		stock.Set(&i.Name, in.Change.Name)
		stock.Set(&i.Price, in.Change.Price)
		switch note := in.Change.Note; {
		case note.Null:
			i.Note = nil
		case note.Set:
			i.Note = &note.Value
		}
	})
	if !ok {
		return Item{}, noItem
	}
	return item, nil
}

func (s *shop) deleteItem(ctx context.Context, in ByID) (struct{}, error) {
	if !s.items.Delete(in.ID) {
		return struct{}{}, noItem
	}
	return struct{}{}, nil
}

func (s *shop) putPhoto(ctx context.Context, in PhotoInput) (struct{}, error) {
	s.photos.Put(in.ID, newPhoto(in.Bytes))
	return struct{}{}, nil
}

func newPhoto(content []byte) Photo {
	return Photo{"no-cache", stock.ETag(string(content)), stock.ImageType(content), content}
}

// photoVersion lets clients that have seen a photo replace only that one.
func (s *shop) photoVersion(ctx context.Context, in PhotoInput) (apidoc.Version, error) {
	photo, _ := s.photos.Get(in.ID) // none is the zero Version
	return apidoc.Version{Tag: photo.Tag}, nil
}

func (s *shop) getPhoto(ctx context.Context, in ByID) (Photo, error) {
	_, sold := s.items.Get(in.ID)
	photo, ok := s.photos.Get(in.ID)
	if !sold || !ok {
		return Photo{}, noPhoto
	}
	return photo, nil
}

func upload(ctx context.Context, in UploadInput) (Upload, error) {
	result := Upload{in.Title, in.Photo.Size, []string{in.Photo.Name}}
	for _, file := range in.More {
		result.Bytes, result.Names = result.Bytes+file.Size, append(result.Names, file.Name)
	}
	return result, nil
}

func logIn(ctx context.Context, in Login) (out Session, err error) {
	if in.Name != "ann" || in.Password != stock.Secret {
		return out, mismatch
	}
	out.Cookie, out.Body.Expires = http.Cookie{Name: "session", Value: stock.Secret, HttpOnly: true}, stock.Now().Add(time.Hour)
	return out, nil
}

func whoAmI(ctx context.Context, in Visit) (string, error) {
	return map[string]string{"en": "You are ", "de": "Du bist "}[in.Language] + ctx.Value(user{}).(string), nil
}

func (in OrderInput) count() (count int64) {
	for _, line := range in.Lines {
		count += int64(line.Count)
	}
	return count
}

// reserve is an interceptor: nobody else gets the plants while an order is placed.
func (s *shop) reserve(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
	in, ok := call.Input.(*OrderInput)
	if !ok {
		return next(ctx) // another operation of the group
	}
	if !s.shelf.Take(in.count()) {
		return nil, soldOut
	}
	defer s.shelf.Return(in.count())
	return next(ctx)
}

func placeOrder(ctx context.Context, in OrderInput) (Order, error) {
	return Order{ID: uuid.New(), Count: in.count(), Status: "placed"}, nil
}

// exported returns all items as CSV.
func (s *shop) exported() string {
	items, _ := s.items.List(0, 1000, func(Item) bool { return true })
	var b strings.Builder
	for _, i := range items {
		fmt.Fprintf(&b, "%s,%q\n", i.Code, i.Name)
	}
	return b.String()
}

func (s *shop) exportVersion(context.Context, struct{}) (apidoc.Version, error) {
	return apidoc.Version{Tag: stock.ETag(s.exported())}, nil
}

func (s *shop) exportItems(context.Context, struct{}) (Export, error) {
	return Export{strings.NewReader(s.exported())}, nil
}

func watchOrders(ctx context.Context, in Watch) (iter.Seq[apidoc.Event[Order]], error) {
	return func(yield func(apidoc.Event[Order]) bool) {
		for i, status := range stock.After(in.After, "placed", "packed", "sent") {
			if !yield(apidoc.Event[Order]{ID: i, Name: "change", Data: Order{Count: 1, Status: status}}) {
				return
			}
		}
	}, nil
}

// New returns the API below a base path, with its description at /api-docs.
func New(base string) (http.Handler, error) { return Described(base) }

// Described is [New] with the API, which has the operations.
func Described(base string) (*apidoc.API, error) {
	app := routing.New(routing.WithMethodNotAllowed(), routing.WithBasePath(base))
	api := apidoc.NewAPI(app, apidoc.Info{
		Title:        "Nursery",
		Version:      "1.0",
		Description:  "Sells plants. All operations of a shop with a *database* are here, without the database.",
		Contact:      apidoc.Contact{Name: "Ann", Email: "ann@example.com"},
		License:      apidoc.License{Name: "MIT", URL: "https://opensource.org/license/mit"},
		ExternalDocs: apidoc.ExternalDocs{URL: "https://example.com/handbook", Description: "The handbook"},
		Extensions:   map[string]any{"x-audience": "public"},
	})
	apidoc.Webhook[Order](api, "orderSent", "An order is on its way")
	items := api.Tag("Items", "What is sold")
	photos := api.Tag("Photos", "How it looks")
	visitors := api.Tag("Visitors", "Who buys")
	orders := api.Tag("Orders", "What is bought")
	rose := Item{ID: stock.Rose, Created: stock.Opened, Name: "Tea rose", Code: "RO0002", Price: Money{1250}, Pack: 6, Light: "sun", Colour: "yellow", Tags: []string{"old"}}
	s := &shop{}
	s.items.Put(stock.Rose, rose)
	s.photos.Put(stock.Rose, newPhoto(stock.PNG))

	api.Group("/items", func(g *apidoc.Group) {
		apidoc.Get(g, "", "List items", s.listItems)
		apidoc.Get(g, "/:id", "Read an item", s.getItem, noItem)
		g.Group("", func(g *apidoc.Group) {
			apidoc.Post(g, "", "Create an item", s.createItem, apidoc.Status(201), taken, apidoc.RequestExample(rose))
			apidoc.Put(g, "/:id", "Create or replace an item", s.replaceItem)
			apidoc.Patch(g, "/:id", "Change an item", s.changeItem, noItem)
			apidoc.Delete(g, "/:id", "Delete an item", s.deleteItem, noItem)
		}, token.Scopes("items:write"))
	}, items)
	apidoc.Get(api, "/items.csv", "Export all items", s.exportItems, items, basic, apidoc.Versioned(s.exportVersion),
		apidoc.Extension("x-rate-limit", 10))
	apidoc.Put(api, "/items/:id/photo", "Store a photo", s.putPhoto, photos, key, apidoc.Versioned(s.photoVersion), apidoc.BodyLimit(1<<16))
	apidoc.Get(api, "/items/:id/photo", "Read a photo", s.getPhoto, photos, noPhoto)
	apidoc.Post(api, "/uploads", "Upload photos", upload, photos, apidoc.Status(201), key)
	apidoc.Post(api, "/sessions", "Log in", logIn, visitors, mismatch)
	apidoc.Get(api, "/visitor", "Say who I am", whoAmI, visitors, apidoc.AnyOf(session, openID))
	api.Group("/orders", func(g *apidoc.Group) {
		apidoc.Post(g, "", "Place an order", placeOrder, apidoc.Status(201), oauth.Scopes("orders:write"), soldOut,
			apidoc.Callback[Order]("changed", "{$request.body#/tell}", "The order has changed"))
		apidoc.Get(g, "/changes", "Watch orders change", watchOrders,
			apidoc.Description("Ends when there is nothing more to tell."),
			apidoc.SeeAlso(apidoc.ExternalDocs{URL: "https://example.com/events"}))
	}, orders, apidoc.Intercept(s.reserve))
	_, err := api.Serve(nil)
	return api, err
}
