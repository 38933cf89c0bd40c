// Package api has the typed operations of a house: bookings as JSON, in two versions.
package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/examples/with/service/store"
	"example.com/flowercafe/routing"
)

// The problems that operations describe and return.
var (
	noBooking   = apidoc.Fail(http.StatusNotFound, "No such house, room or booking")
	taken       = apidoc.Fail(http.StatusConflict, "The room is taken on that day")
	tooSmall    = apidoc.Fail(http.StatusConflict, "The room is too small")
	stale       = apidoc.Fail(http.StatusPreconditionFailed, "Somebody else has changed the booking")
	noCondition = apidoc.Fail(http.StatusPreconditionRequired, "Send the ETag of the booking as If-Match")
)

// Access says what the holder of a token may do.
type Access struct {
	Token  string
	Scopes []string // bookings:read, bookings:write
}

type api struct {
	store   *store.Store
	changed func(house string)
}

// Define adds the operations to the app of a house, which is mounted at a prefix with the parameter
// house. Changed is called after each change of a house's bookings.
func Define(app *routing.App, s *store.Store, access []Access, changed func(house string)) *apidoc.API {
	a := &api{s, changed}
	described := apidoc.NewAPI(app, apidoc.Info{Title: "Bookings", Version: "2.0", Description: "The bookings of a house."})
	token := apidoc.Bearer("token", check(access))
	read, write := token.Scopes("bookings:read"), token.Scopes("bookings:write")
	tag := described.Tag("Bookings", "Who comes when")

	both := func(g *apidoc.Group) {
		apidoc.Get(g, "/rooms", "List the rooms", a.rooms)
		apidoc.Get(g, "/bookings", "List bookings", a.list, read)
		apidoc.Get(g, "/bookings/:id", "Read a booking", a.read, read)
		apidoc.Post(g, "/bookings", "Book a room", a.add, write, apidoc.Status(http.StatusCreated), taken)
	}
	shared := []apidoc.Option{tag, noBooking, apidoc.Intercept(a.transaction), apidoc.Intercept(translate)}
	described.Group("/api/v1", both, append(shared[:len(shared):len(shared)], apidoc.IDPrefix("v1"), apidoc.Deprecated())...)
	described.Group("/api/v2", func(g *apidoc.Group) {
		both(g)
		apidoc.Patch(g, "/bookings/:id", "Change a booking", a.change, write, taken, stale, noCondition)
		apidoc.Delete(g, "/bookings/:id", "Cancel a booking", a.remove, write, stale, noCondition)
	}, append(shared, apidoc.IDPrefix("v2"))...)
	return described
}

// check returns the function that checks tokens.
func check(access []Access) apidoc.Authenticate {
	return func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		given := sha256.Sum256([]byte(c.Token)) // so that the time tells nothing of the token's length
		for _, a := range access {
			if want := sha256.Sum256([]byte(a.Token)); subtle.ConstantTimeCompare(given[:], want[:]) == 0 {
				continue
			}
			for _, scope := range c.Scopes {
				if !slices.Contains(a.Scopes, scope) {
					return nil, apidoc.Forbidden
				}
			}
			return ctx, nil
		}
		return nil, apidoc.Unauthorized
	}
}

// transaction runs each operation that changes something in a transaction: it is committed if the
// operation succeeds, before the response is sent, and rolled back if it fails or panics.
func (a *api) transaction(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (output any, err error) {
	if call.Method == http.MethodGet {
		return next(ctx)
	}
	err = a.store.Tx(ctx, func(ctx context.Context) (err error) {
		output, err = next(ctx)
		return err
	})
	if err == nil {
		a.changed(call.Context.Params().GetOr("house", ""))
	}
	return output, err
}

// translate makes problems of the errors of the store.
func translate(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
	output, err := next(ctx)
	for known, problem := range map[error]*apidoc.Problem{
		booking.ErrNone: noBooking, booking.ErrTaken: taken, booking.ErrSmall: tooSmall, booking.ErrStale: stale,
	} {
		if errors.Is(err, known) {
			return nil, problem
		}
	}
	return output, err
}

type inHouse struct {
	House string `path:"house" doc:"The ID of the house"`
}

func (a *api) rooms(ctx context.Context, in inHouse) ([]booking.Room, error) {
	return a.store.Rooms(ctx, in.House)
}

type search struct {
	inHouse
	From string `query:"from" format:"date" default:"1970-01-01" doc:"The first day"`
}

func (a *api) list(ctx context.Context, in search) ([]booking.Booking, error) {
	return a.store.Bookings(ctx, in.House, in.From)
}

// one is a booking with the tag of its version.
type one struct {
	ETag    string          `header:"ETag"`
	Booking booking.Booking `body:""`
}

func withTag(b booking.Booking) one { return one{tagOf(b), b} }

func tagOf(b booking.Booking) string { return fmt.Sprintf(`"%d-%d"`, b.ID, b.Version) }

type byID struct {
	inHouse
	ID int64 `path:"id" min:"1" doc:"The ID of the booking"`
}

func (a *api) read(ctx context.Context, in byID) (one, error) {
	b, err := a.store.Booking(ctx, in.House, in.ID)
	return withTag(b), err
}

type wish struct {
	inHouse
	Wish booking.Wish `body:""`
}

type added struct {
	Location string `header:"Location"`
	one
}

func (a *api) add(ctx context.Context, in wish) (added, error) {
	b, err := a.store.Add(ctx, in.House, in.Wish)
	return added{fmt.Sprintf("bookings/%d", b.ID), withTag(b)}, err
}

// condition is what a change needs: the tag of the version that the client has seen (RFC 9110,
// 13.1.1).
type condition struct {
	byID
	IfMatch *string `header:"If-Match" doc:"The ETag of the booking, or *"`
}

// current returns the booking if it has a tag that the client names. Call it in a transaction.
func (a *api) current(ctx context.Context, in condition) (booking.Booking, error) {
	b, err := a.store.Booking(ctx, in.House, in.ID)
	switch {
	case err != nil:
		return b, err
	case in.IfMatch == nil:
		return b, noCondition
	case *in.IfMatch != "*" && !slices.ContainsFunc(strings.Split(*in.IfMatch, ","), func(tag string) bool { return strings.TrimSpace(tag) == tagOf(b) }):
		return b, stale
	}
	return b, nil
}

// change is a merge patch (RFC 7396): what is absent stays.
type change struct {
	condition
	Changes struct {
		Day    *string                 `json:"day,omitempty" format:"date"`
		Guests *int                    `json:"guests,omitempty" min:"1" max:"50"`
		Note   apidoc.Optional[string] `json:"note,omitzero" maxLength:"200"` // null removes it
	} `body:"application/merge-patch+json"`
}

func (a *api) change(ctx context.Context, in change) (one, error) {
	b, err := a.current(ctx, in.condition)
	if err != nil {
		return one{}, err
	}
	if in.Changes.Day != nil {
		b.Day = *in.Changes.Day
	}
	if in.Changes.Guests != nil {
		b.Guests = *in.Changes.Guests
	}
	if in.Changes.Note.Set {
		b.Note = in.Changes.Note.Value
	}
	b, err = a.store.Change(ctx, in.House, b)
	return withTag(b), err
}

func (a *api) remove(ctx context.Context, in condition) (struct{}, error) {
	b, err := a.current(ctx, in)
	if err == nil {
		err = a.store.Remove(ctx, in.House, b.ID, b.Version)
	}
	return struct{}{}, err
}
