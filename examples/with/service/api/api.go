// Package api has the typed operations of a house: its rooms and bookings as JSON, in two versions.
package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/examples/with/service/store"
	"example.com/flowercafe/routing"
)

type api struct{ store *store.Store }

// Define adds the operations to the app of a house, which is mounted at a prefix with the parameter
// house.
func Define(app *routing.App, s *store.Store, token *apidoc.Security) *apidoc.API {
	a := api{s}
	described := apidoc.NewAPI(app, apidoc.Info{
		Title: "Bookings", Version: "2.0", Description: "The rooms and bookings of a house.",
		License: apidoc.License{Name: "Unlicense", URL: "https://unlicense.org"},
	}, booking.ErrNotFound, booking.ErrUnavailable, booking.ErrUnknown)
	read, write := token.Scopes("bookings:read"), token.Scopes("bookings:write")
	inTransaction := apidoc.Transaction(func(ctx context.Context, call *apidoc.Call, run func(context.Context) error) error {
		house, _ := call.Context.Params().Path("house")
		return s.Change(ctx, house, run)
	})
	rooms, bookings := described.Tag("Rooms", "What there is to book"), described.Tag("Bookings", "Who comes when")

	photos := func(version string, options ...apidoc.DescribeOption) {
		app.Get("/api/"+version+"/rooms/:room/photo", a.photo, apidoc.Describe(apidoc.NewOperation[byRoom, photo](
			version+"Photo", "Download the photo of a room", append(options, rooms, booking.ErrNotFound, booking.ErrUnavailable,
				apidoc.Response[photo](http.StatusPartialContent, "A range of the photo"),
				apidoc.Response[struct{}](http.StatusNotModified, "The client has the photo"))...)))
	}
	photos("v1", apidoc.Deprecated())
	photos("v2")
	both := func(g *apidoc.Group) {
		apidoc.Get(g, "/rooms", "List the rooms", a.rooms, rooms)
		apidoc.Get(g, "/bookings", "List bookings", a.list, bookings, read)
		apidoc.Get(g, "/bookings/:id", "Read a booking", a.read, bookings, read)
		apidoc.Post(g, "/bookings", "Book a room", a.add,
			bookings, write, inTransaction, apidoc.Status(http.StatusCreated), booking.ErrTaken, booking.ErrKeyUsed)
	}
	described.Group("/api/v1", both, apidoc.IDPrefix("v1"), apidoc.Deprecated())
	described.Group("/api/v2", func(g *apidoc.Group) {
		both(g)
		apidoc.Patch(g, "/bookings/:id", "Change a booking", a.change,
			bookings, write, inTransaction, apidoc.Versioned(a.versionToChange), apidoc.RequireIfMatch(), booking.ErrTaken)
		apidoc.Delete(g, "/bookings/:id", "Cancel a booking", a.remove,
			bookings, write, inTransaction, apidoc.Versioned(a.version), apidoc.RequireIfMatch())
		apidoc.Post(g, "/bookings/import", "Book rooms for many guests", a.addAll, // makes its own transaction
			bookings, write, apidoc.ReceiveTimeout(30*time.Second, time.Hour), booking.ErrTaken, booking.ErrKeyUsed)
	}, apidoc.IDPrefix("v2"))
	return described
}

type inHouse struct {
	House string `path:"house" doc:"The ID of the house"`
}

func (a api) rooms(ctx context.Context, in inHouse) ([]booking.Room, error) {
	return a.store.Rooms(ctx, in.House)
}

type byRoom struct {
	inHouse
	Room string `path:"room" doc:"The ID of the room"`
}

// photo describes a route that is written by hand, because http.ServeContent sends ranges, with
// which clients can resume a download.
type photo struct {
	ETag    string `header:"ETag"`
	Content []byte `body:"image/png,image/jpeg"`
}

func (a api) photo(c routing.Context) (routing.Result, error) {
	house, _ := c.Params().Path("house")
	room, _ := c.Params().Path("room")
	p, err := a.store.Photo(c.Request().Context(), house, room)
	if err != nil {
		return routing.Result{}, err
	}
	c.Header().Set("ETag", `"`+p.Version+`"`)
	return routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.Content))
	}))(c)
}

type period struct {
	inHouse
	From string `query:"from" format:"date" default:"1970-01-01" doc:"The first day"`
}

func (a api) list(ctx context.Context, in period) ([]booking.Booking, error) {
	return a.store.Bookings(ctx, in.House, in.From)
}

type byID struct {
	inHouse
	ID string `path:"id" doc:"The ID of the booking"`
}

// withETag is a booking with the ETag of its version.
type withETag struct {
	ETag    string          `header:"ETag"`
	Booking booking.Booking `body:""`
}

func etag(b booking.Booking) string { return fmt.Sprintf(`"%d"`, b.Version) }

func (a api) read(ctx context.Context, in byID) (withETag, error) {
	b, err := a.store.Booking(ctx, in.House, in.ID)
	return withETag{etag(b), b}, err
}

// repeatable is the part of a request that a client may repeat if it got no response.
type repeatable struct {
	Key string `header:"Idempotency-Key" maxLength:"64" pattern:"^[!-~]*$" doc:"A random text. A request with the same key gets the same response for a day, and changes nothing"`
}

type newBooking struct {
	inHouse
	repeatable
	Details booking.Details `body:""`
}

type added struct {
	Location string `header:"Location"`
	withETag
}

func (a api) add(ctx context.Context, in newBooking) (added, error) {
	b, err := store.Once(ctx, a.store, in.House, in.Key, in.Details, func(ctx context.Context) (booking.Booking, error) {
		return a.store.Add(ctx, in.House, in.Details)
	})
	return added{"bookings/" + b.ID, withETag{etag(b), b}}, err
}

// version finds the version of a booking for If-Match.
func (a api) version(ctx context.Context, in byID) (apidoc.Version, error) {
	b, err := a.store.Booking(ctx, in.House, in.ID)
	return apidoc.Version{Tag: etag(b)}, err
}

func (a api) versionToChange(ctx context.Context, in change) (apidoc.Version, error) {
	return a.version(ctx, in.byID)
}

type change struct {
	byID
	Changes changes `body:"application/merge-patch+json"`
}

// changes are a merge patch (RFC 7396): what is absent stays, and null removes.
type changes struct {
	Day  *string                 `json:"day,omitempty" format:"date" nullable:"false"`
	Note apidoc.Optional[string] `json:"note,omitzero" maxLength:"200" pattern:"^[^\\x00]*$"`
}

// Validate refuses a day in the past.
func (c changes) Validate(context.Context) ([]apidoc.InputError, error) {
	if c.Day == nil {
		return nil, nil
	}
	return booking.CheckDay(*c.Day), nil
}

func (a api) change(ctx context.Context, in change) (withETag, error) {
	b, err := a.store.Booking(ctx, in.House, in.ID)
	if err != nil {
		return withETag{}, err
	}
	if in.Changes.Day != nil {
		b.Day = *in.Changes.Day
	}
	if in.Changes.Note.Set {
		b.Note = in.Changes.Note.Value
	}
	b, err = a.store.Replace(ctx, in.House, b)
	return withETag{etag(b), b}, err
}

func (a api) remove(ctx context.Context, in byID) (struct{}, error) {
	return struct{}{}, a.store.Remove(ctx, in.House, in.ID)
}
