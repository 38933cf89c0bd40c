// Package humanursery is the API of package nursery in huma, written as in huma's documentation.
package humanursery

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/conditional"
	"github.com/danielgtaylor/huma/v2/sse"
	"github.com/google/uuid"

	"example.com/flowercafe/apidoc/conformance/internal/stock"
)

type (
	Colour  string
	Money   struct{ stock.Money }
	Payment struct{ stock.Payment }

	Size struct {
		Height float64 `json:"height" minimum:"0" maximum:"500" doc:"In centimetres" example:"45.5"`
		Pot    float32 `json:"pot,omitempty" minimum:"0" multipleOf:"0.5"`
	}
	ItemInput struct {
		Name   string            `json:"name" minLength:"1" maxLength:"80" doc:"What it is called" example:"Red rose"`
		Code   string            `json:"code" pattern:"^[A-Z]{2}[0-9]{4}$" example:"RO0001"`
		Price  Money             `json:"price"`
		Pack   int32             `json:"pack,omitempty" minimum:"6" maximum:"600" multipleOf:"6" default:"6"`
		Light  string            `json:"light,omitempty" enum:"sun,shade,any" default:"any"`
		Colour Colour            `json:"colour,omitempty"`
		Tags   []string          `json:"tags,omitempty" uniqueItems:"true" maxItems:"8"`
		Labels map[string]string `json:"labels,omitempty" maxProperties:"8"`
		Size   *Size             `json:"size,omitempty"`
		Note   *string           `json:"note" maxLength:"200" doc:"null if there is none" nullable:"true"`
		Latin  string            `json:"latin,omitempty" deprecated:"true"`
	}
	Item struct {
		ID      uuid.UUID `json:"id" format:"uuid"`
		Created time.Time `json:"created"`
		Sold    time.Time `json:"sold,omitzero"`
		ItemInput
	}
	ItemChange struct {
		Name  *string           `json:"name,omitempty" nullable:"false" minLength:"1" maxLength:"80"`
		Price *Money            `json:"price,omitempty"`
		Note  Omittable[string] `json:"note,omitempty" maxLength:"200" doc:"null removes it"`
	}
	Page[T any] struct {
		Items []T `json:"items"`
		Total int `json:"total" minimum:"0"`
	}
	Line struct {
		Item  uuid.UUID `json:"item" format:"uuid"`
		Count uint16    `json:"count" minimum:"1" maximum:"999"`
		With  []Line    `json:"with,omitempty" doc:"What is packed together with it"`
	}
	OrderInput struct {
		_       struct{} `additionalProperties:"false"`
		Lines   []Line   `json:"lines" minItems:"1" maxItems:"50"`
		Payment Payment  `json:"payment"`
		Email   string   `json:"email" format:"email" example:"ann@example.com"`
		Tell    string   `json:"tell,omitempty" format:"uri" doc:"Where to send the order's changes"`
	}
	Order struct {
		ID     uuid.UUID `json:"id" format:"uuid"`
		Count  int64     `json:"count" doc:"How many plants"`
		Status string    `json:"status" enum:"placed,packed,sent"`
	}
	Upload struct {
		Title string   `json:"title"`
		Bytes int64    `json:"bytes"`
		Names []string `json:"names"`
	}

	Paging struct {
		Limit  int `query:"limit" minimum:"1" maximum:"100" default:"20"`
		Offset int `query:"offset" minimum:"0" maximum:"100000"`
	}
	Filter struct {
		Paging
		Colours []Colour  `query:"colour,explode" uniqueItems:"true" maxItems:"3"`
		Since   time.Time `query:"since" doc:"Items that came at this time or later"`
		Below   Money     `query:"below" doc:"Items that cost less"`
		Trace   string    `header:"X-Trace" pattern:"^[0-9a-f]{1,32}$"`
	}
	Listed struct {
		Trace string `header:"X-Trace"`
		Total int    `header:"X-Total"`
		Body  Page[Item]
	}
	ByID struct {
		ID uuid.UUID `path:"id" format:"uuid" doc:"The item's id"`
	}
	Create struct {
		Body ItemInput
	}
	Found struct {
		Body Item
	}
	Replace struct {
		ByID
		Body ItemInput
	}
	Created struct {
		Location string `header:"Location" doc:"Where the item is"`
		Body     Item
	}
	Stored struct {
		Status   int
		Location string `header:"Location" doc:"Where the item is"`
		Body     Item
	}
	Change struct {
		ByID
		Body ItemChange
	}
	PhotoInput struct {
		ByID
		conditional.Params
		RawBody []byte `contentType:"image/png"`
	}
	PhotoByID struct {
		ByID
		conditional.Params
	}
	Photo struct {
		Cache string `header:"Cache-Control"`
		Tag   string `header:"ETag"`
		Type  string `header:"Content-Type"`
		Body  []byte
	}
	UploadForm struct {
		Title string          `form:"title" required:"true" pattern:"^[A-Za-z][A-Za-z ]*$" maxLength:"80"`
		Pages []int32         `form:"page" minimum:"1" maxItems:"5"`
		Photo huma.FormFile   `form:"photo" required:"true" contentType:"image/png"`
		More  []huma.FormFile `form:"more" maxItems:"3"`
	}
	UploadInput struct {
		RawBody huma.MultipartFormFiles[UploadForm]
	}
	Uploaded struct {
		Body Upload
	}
	Login struct {
		RawBody []byte `contentType:"application/x-www-form-urlencoded"`
	}
	LoginForm struct {
		Name     string `json:"name" minLength:"1"`
		Password string `json:"password" format:"password" minLength:"8"`
		Remember bool   `json:"remember,omitempty"`
	}
	Session struct {
		Cookie http.Cookie `header:"Set-Cookie"`
		Body   struct {
			Expires time.Time `json:"expires"`
		}
	}
	Visit struct {
		Language string `cookie:"language" enum:"en,de" default:"en"`
	}
	Text struct {
		Type string `header:"Content-Type"`
		Body []byte
	}
	Place struct {
		Body OrderInput
	}
	Placed struct {
		Body Order
	}
	Have struct {
		conditional.Params
	}
	Export struct {
		Tag  string `header:"ETag"`
		Type string `header:"Content-Type"`
		Body []byte
	}
	Watch struct {
		After string `header:"Last-Event-ID" pattern:"^[0-9]{1,9}$"`
	}
)

// Omittable is absent, null or a value, as in huma's documentation.
type Omittable[T any] struct {
	Sent, Null bool
	Value      T
}

// UnmarshalJSON reads a value or null.
func (o *Omittable[T]) UnmarshalJSON(text []byte) error {
	if o.Sent, o.Null = true, string(text) == "null"; o.Null {
		return nil
	}
	return json.Unmarshal(text, &o.Value)
}

// Schema describes the value, which may be null.
func (o Omittable[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	s.Nullable = true
	return &s
}

func (Colour) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "string", Enum: []any{"red", "white", "yellow"}}
}

func (Money) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "string", Description: "An amount", Pattern: `^[0-9]{1,9}\.[0-9]{2}$`, Examples: []any{"12.50"}}
}

func (Payment) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[stock.Card](), true, "Card"), r.Schema(reflect.TypeFor[stock.Invoice](), true, "Invoice"),
	}}
}

var (
	noItem   = huma.Error404NotFound("No such item")
	noPhoto  = huma.Error404NotFound("No such photo")
	taken    = huma.Error409Conflict("The code is taken")
	mismatch = huma.Error403Forbidden("Wrong name or password")
	soldOut  = huma.Error409Conflict("So many plants are not in stock")
)

var schemes = map[string]*huma.SecurityScheme{
	"token":   {Type: "http", Scheme: "bearer"},
	"basic":   {Type: "http", Scheme: "basic"},
	"key":     {Type: "apiKey", In: "header", Name: "X-Key"},
	"session": {Type: "apiKey", In: "cookie", Name: "session"},
	"openid":  {Type: "openIdConnect", OpenIDConnectURL: "https://login.example.com/.well-known/openid-configuration"},
	"oauth": {Type: "oauth2", Flows: &huma.OAuthFlows{ClientCredentials: &huma.OAuthFlow{
		TokenURL: "https://login.example.com/token", Scopes: map[string]string{"orders:write": "Place orders"},
	}}},
}

type user struct{}

// secret returns the credentials of a request for a scheme.
func secret(c huma.Context, s *huma.SecurityScheme) string {
	kind, text, _ := strings.Cut(c.Header("Authorization"), " ")
	switch {
	case s.In == "header":
		return c.Header(s.Name)
	case s.In == "cookie":
		if cookie, err := huma.ReadCookie(c, s.Name); err == nil {
			return cookie.Value
		}
	case s.Scheme == "basic" && strings.EqualFold(kind, "basic"):
		if b, err := base64.StdEncoding.DecodeString(text); err == nil && strings.HasPrefix(string(b), "ann:") {
			return string(b[len("ann:"):])
		}
	case s.Scheme != "basic" && strings.EqualFold(kind, "bearer"):
		return text
	}
	return ""
}

func authorize(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(c huma.Context, next func(huma.Context)) {
		if len(c.Operation().Security) == 0 {
			next(c)
			return
		}
		status := http.StatusUnauthorized
		for _, way := range c.Operation().Security {
			for name, scopes := range way {
				switch secret(c, schemes[name]) {
				case stock.Secret:
					next(huma.WithValue(c, user{}, "ann"))
					return
				case stock.Visitor:
					if status = http.StatusForbidden; len(scopes) == 0 {
						next(huma.WithValue(c, user{}, "visitor"))
						return
					}
				}
			}
		}
		if status == http.StatusUnauthorized {
			c.SetHeader("WWW-Authenticate", "Bearer")
		}
		huma.WriteErr(api, c, status, http.StatusText(status))
	}
}

type shop struct {
	items  stock.Table[uuid.UUID, Item]
	photos stock.Table[uuid.UUID, Photo]
	shelf  stock.Shelf
}

func (s *shop) listItems(ctx context.Context, in *Filter) (*Listed, error) {
	items, total := s.items.List(in.Offset, in.Limit, func(i Item) bool {
		return (len(in.Colours) == 0 || stock.Has(in.Colours, i.Colour)) && !i.Created.Before(in.Since) && (in.Below.Money == 0 || i.Price.Money < in.Below.Money)
	})
	if items == nil {
		items = []Item{}
	}
	return &Listed{in.Trace, total, Page[Item]{items, total}}, nil
}

func (s *shop) createItem(ctx context.Context, in *Create) (*Created, error) {
	if in.Body.Code == "XX0000" {
		return nil, taken
	}
	item := Item{ID: uuid.New(), Created: stock.Now(), ItemInput: in.Body}
	s.items.Put(item.ID, item)
	return &Created{"items/" + item.ID.String(), item}, nil
}

func (s *shop) getItem(ctx context.Context, in *ByID) (*Found, error) {
	item, ok := s.items.Get(in.ID)
	if !ok {
		return nil, noItem
	}
	return &Found{item}, nil
}

func (s *shop) replaceItem(ctx context.Context, in *Replace) (*Stored, error) {
	item := Item{ID: in.ID, Created: stock.Now(), ItemInput: in.Body}
	if s.items.Put(in.ID, item) {
		return &Stored{Status: 201, Location: in.ID.String(), Body: item}, nil
	}
	return &Stored{Status: 200, Body: item}, nil
}

func (s *shop) changeItem(ctx context.Context, in *Change) (*Found, error) {
	item, ok := s.items.Change(in.ID, func(i *Item) {
		stock.Set(&i.Name, in.Body.Name)
		stock.Set(&i.Price, in.Body.Price)
		switch note := in.Body.Note; {
		case note.Null:
			i.Note = nil
		case note.Sent:
			i.Note = &note.Value
		}
	})
	if !ok {
		return nil, noItem
	}
	return &Found{item}, nil
}

func (s *shop) deleteItem(ctx context.Context, in *ByID) (*struct{}, error) {
	if !s.items.Delete(in.ID) {
		return nil, noItem
	}
	return nil, nil
}

func (s *shop) putPhoto(ctx context.Context, in *PhotoInput) (*struct{}, error) {
	photo, _ := s.photos.Get(in.ID)
	if in.HasConditionalParams() {
		if err := in.PreconditionFailed(strings.Trim(photo.Tag, `"`), time.Time{}); err != nil {
			return nil, err
		}
	}
	s.photos.Put(in.ID, newPhoto(in.RawBody))
	return nil, nil
}

func newPhoto(content []byte) Photo {
	return Photo{"no-cache", stock.ETag(string(content)), stock.ImageType(content), content}
}

func (s *shop) getPhoto(ctx context.Context, in *PhotoByID) (*Photo, error) {
	_, sold := s.items.Get(in.ID)
	photo, ok := s.photos.Get(in.ID)
	if !sold || !ok {
		return nil, noPhoto
	}
	if in.HasConditionalParams() {
		if err := in.PreconditionFailed(strings.Trim(photo.Tag, `"`), time.Time{}); err != nil {
			return nil, err
		}
	}
	return &photo, nil
}

func upload(ctx context.Context, in *UploadInput) (*Uploaded, error) {
	form := in.RawBody.Data()
	if form.Photo.Size > 65536 {
		return nil, huma.Error422UnprocessableEntity("The photo is too large")
	}
	result := Upload{form.Title, form.Photo.Size, []string{form.Photo.Filename}}
	for _, file := range form.More {
		result.Bytes, result.Names = result.Bytes+file.Size, append(result.Names, file.Filename)
	}
	return &Uploaded{result}, nil
}

func logIn(ctx context.Context, in *Login) (*Session, error) {
	form, err := url.ParseQuery(string(in.RawBody))
	switch {
	case err != nil || form.Get("name") == "" || len(form.Get("password")) < 8:
		return nil, huma.Error422UnprocessableEntity("A name and a password of 8 characters are required")
	case form.Get("name") != "ann" || form.Get("password") != stock.Secret:
		return nil, mismatch
	}
	out := &Session{Cookie: http.Cookie{Name: "session", Value: stock.Secret, HttpOnly: true}}
	out.Body.Expires = stock.Now().Add(time.Hour)
	return out, nil
}

func whoAmI(ctx context.Context, in *Visit) (*Text, error) {
	return &Text{"text/plain; charset=utf-8", []byte(map[string]string{"en": "You are ", "de": "Du bist "}[in.Language] + ctx.Value(user{}).(string))}, nil
}

func (s *shop) placeOrder(ctx context.Context, in *Place) (*Placed, error) {
	order := Order{ID: uuid.New(), Status: "placed"}
	for _, line := range in.Body.Lines {
		order.Count += int64(line.Count)
	}
	if !s.shelf.Take(order.Count) {
		return nil, soldOut
	}
	defer s.shelf.Return(order.Count)
	return &Placed{order}, nil
}

func (s *shop) exportItems(ctx context.Context, in *Have) (*Export, error) {
	items, _ := s.items.List(0, 1000, func(Item) bool { return true })
	var b strings.Builder
	for _, i := range items {
		fmt.Fprintf(&b, "%s,%q\n", i.Code, i.Name)
	}
	tag := stock.ETag(b.String())
	if in.HasConditionalParams() {
		if err := in.PreconditionFailed(strings.Trim(tag, `"`), time.Time{}); err != nil {
			return nil, err
		}
	}
	return &Export{Tag: tag, Type: "text/csv; charset=utf-8", Body: []byte(b.String())}, nil
}

func watchOrders(ctx context.Context, in *Watch, send sse.Sender) {
	for i, status := range stock.After(in.After, "placed", "packed", "sent") {
		id, _ := strconv.Atoi(i)
		if send(sse.Message{ID: id, Data: Order{Count: 1, Status: status}}) != nil {
			return
		}
	}
}

// New returns the API, with its description at /openapi.json.
func New() http.Handler {
	mux := http.NewServeMux()
	config := huma.DefaultConfig("Nursery", "1.0")
	config.Info.Description = "Sells plants. All operations of a shop with a *database* are here, without the database."
	config.Info.Contact = &huma.Contact{Name: "Ann", Email: "ann@example.com"}
	config.Info.License = &huma.License{Name: "MIT", URL: "https://opensource.org/license/mit"}
	config.ExternalDocs = &huma.ExternalDocs{URL: "https://example.com/handbook", Description: "The handbook"}
	config.Extensions = map[string]any{"x-audience": "public"}
	config.Components.SecuritySchemes = schemes
	config.Tags = []*huma.Tag{
		{Name: "Items", Description: "What is sold"},
		{Name: "Photos", Description: "How it looks"},
		{Name: "Visitors", Description: "Who buys"},
		{Name: "Orders", Description: "What is bought"},
	}
	api := humago.New(mux, config)
	api.UseMiddleware(authorize(api))
	orderSchema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Order](), true, "Order")
	sent := func(id, summary string) *huma.PathItem {
		return &huma.PathItem{Post: &huma.Operation{
			OperationID: id, Summary: summary, Responses: map[string]*huma.Response{"200": {Description: "Received"}},
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: orderSchema}}},
		}}
	}
	api.OpenAPI().Webhooks = map[string]*huma.PathItem{"orderSent": sent("orderSent", "An order is on its way")}
	binary := func(media ...string) map[string]*huma.Response {
		content := make(map[string]*huma.MediaType)
		for _, m := range media {
			content[m] = &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
		}
		return map[string]*huma.Response{"200": {Description: "OK", Content: content}}
	}
	write := []map[string][]string{{"token": {"items:write"}}}
	key := []map[string][]string{{"key": {}}}
	items, photos, visitors, orders := []string{"Items"}, []string{"Photos"}, []string{"Visitors"}, []string{"Orders"}
	example := ItemInput{Name: "Tea rose", Code: "RO0002", Price: Money{1250}, Pack: 6, Light: "sun", Colour: "yellow", Tags: []string{"old"}}
	s := &shop{}
	s.items.Put(stock.Rose, Item{ID: stock.Rose, Created: stock.Opened, ItemInput: example})
	s.photos.Put(stock.Rose, newPhoto(stock.PNG))

	huma.Register(api, huma.Operation{OperationID: "listItems", Method: "GET", Path: "/items", Summary: "List items", Tags: items}, s.listItems)
	huma.Register(api, huma.Operation{OperationID: "createItem", Method: "POST", Path: "/items", Summary: "Create an item", Tags: items,
		DefaultStatus: 201, Security: write, Errors: []int{400, 401, 403, 409, 413, 415},
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Example: example}}}}, s.createItem)
	huma.Register(api, huma.Operation{OperationID: "getItem", Method: "GET", Path: "/items/{id}", Summary: "Read an item", Tags: items,
		Errors: []int{404}}, s.getItem)
	huma.Register(api, huma.Operation{OperationID: "replaceItem", Method: "PUT", Path: "/items/{id}", Summary: "Create or replace an item", Tags: items,
		Security: write, Errors: []int{400, 401, 403, 413, 415}, Responses: map[string]*huma.Response{"201": {Description: "Created"}}}, s.replaceItem)
	huma.Register(api, huma.Operation{OperationID: "changeItem", Method: "PATCH", Path: "/items/{id}", Summary: "Change an item", Tags: items,
		Security: write, Errors: []int{400, 401, 403, 404, 413, 415}}, s.changeItem)
	huma.Register(api, huma.Operation{OperationID: "deleteItem", Method: "DELETE", Path: "/items/{id}", Summary: "Delete an item", Tags: items,
		Security: write, Errors: []int{401, 403, 404}}, s.deleteItem)
	huma.Register(api, huma.Operation{OperationID: "putPhoto", Method: "PUT", Path: "/items/{id}/photo", Summary: "Store a photo", Tags: photos,
		Security: key, MaxBodyBytes: 1 << 16, Errors: []int{400, 401, 403, 412, 413, 415}}, s.putPhoto)
	huma.Register(api, huma.Operation{OperationID: "getPhoto", Method: "GET", Path: "/items/{id}/photo", Summary: "Read a photo", Tags: photos,
		Errors: []int{404}, Responses: binary("image/png", "image/gif")}, s.getPhoto)
	huma.Register(api, huma.Operation{OperationID: "upload", Method: "POST", Path: "/uploads", Summary: "Upload photos", Tags: photos,
		DefaultStatus: 201, Security: key, Errors: []int{400, 401, 403, 413, 415}}, upload)
	form := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[LoginForm](), true, "LoginForm")
	huma.Register(api, huma.Operation{OperationID: "logIn", Method: "POST", Path: "/sessions", Summary: "Log in", Tags: visitors,
		Errors:      []int{400, 403, 413, 415},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/x-www-form-urlencoded": {Schema: form}}}}, logIn)
	huma.Register(api, huma.Operation{OperationID: "whoAmI", Method: "GET", Path: "/visitor", Summary: "Say who I am", Tags: visitors,
		Security: []map[string][]string{{"session": {}}, {"openid": {}}}, Errors: []int{401, 403}, Responses: binary("text/plain")}, whoAmI)
	huma.Register(api, huma.Operation{OperationID: "placeOrder", Method: "POST", Path: "/orders", Summary: "Place an order", Tags: orders,
		DefaultStatus: 201, Security: []map[string][]string{{"oauth": {"orders:write"}}}, Errors: []int{400, 401, 403, 409, 413, 415},
		Callbacks: map[string]map[string]*huma.PathItem{"changed": {"{$request.body#/tell}": sent("changed", "The order has changed")}}}, s.placeOrder)
	csv := binary("text/csv")
	csv["304"] = &huma.Response{Description: "Not Modified"}
	huma.Register(api, huma.Operation{OperationID: "exportItems", Method: "GET", Path: "/items.csv", Summary: "Export all items", Tags: items,
		Security: []map[string][]string{{"basic": {}}}, Errors: []int{401, 403}, Responses: csv,
		Extensions: map[string]any{"x-rate-limit": 10}}, s.exportItems)
	sse.Register(api, huma.Operation{OperationID: "watchOrders", Method: "GET", Path: "/orders/changes", Summary: "Watch orders change", Tags: orders,
		Description: "Ends when there is nothing more to tell.", ExternalDocs: &huma.ExternalDocs{URL: "https://example.com/events"},
	}, map[string]any{"change": Order{}}, watchOrders)
	return mux
}
