package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/routing"
)

// This file has the pages of a house. Their app is mounted at a prefix with the parameter house.

// current is the house of the request. The filter of the app sets it.
var current = routing.NewKey[booking.House]()

// House returns the app of a house, to which packages api and pier add routes.
func (s *Site) House() *routing.App {
	app := routing.New(routing.WithMethodNotAllowed(), routing.WithProblemDetails())
	app.Before(s.findHouse)
	app.Get("/", s.rooms)
	app.Get("/book", s.showBook)
	app.Post("/book", s.book)
	app.Get("/rooms/:room", func(c routing.Context) (routing.Result, error) { return s.room(c, photoForm.Blank()) })
	app.Post("/rooms/:room", s.upload)
	app.Get("/events", s.events)
	app.Group("/guests", func(g *routing.Group) {
		g.Before(s.requireUser) // also for the pages that plugins put in place of this one
		g.Get("", s.guests)
	})
	return app
}

func (s *Site) findHouse(c routing.Context) error {
	id, _ := c.Params().Path("house")
	found, err := s.Store.House(c.Request().Context(), id)
	if err == nil {
		current.Set(c, found)
	}
	return err
}

func houseOf(c routing.Context) booking.House {
	h, _ := current.Get(c)
	return h
}

func (s *Site) rooms(c routing.Context) (routing.Result, error) {
	ctx, h := c.Request().Context(), houseOf(c)
	changes, err := s.Store.Changes(ctx, h.ID) // first: a change that follows sends an event
	if err != nil {
		return routing.Result{}, err
	}
	rooms, err := s.Store.Rooms(ctx, h.ID)
	if err != nil {
		return routing.Result{}, err
	}
	bookings, err := s.Store.Bookings(ctx, h.ID, time.Now().Format(time.DateOnly))
	if err != nil {
		return routing.Result{}, err
	}
	return s.page(c, "house", h.Name, map[string]any{"Rooms": rooms, "Bookings": bookings, "Changes": changes})
}

// requireUser is the filter of pages that only users see.
func (s *Site) requireUser(c routing.Context) error {
	if s.user(c) == "" {
		return routing.SeeOther(rootOf(c) + "login")
	}
	return nil
}

func (s *Site) guests(c routing.Context) (routing.Result, error) {
	bookings, err := s.Store.Bookings(c.Request().Context(), houseOf(c).ID, time.Now().Format(time.DateOnly))
	if err != nil {
		return routing.Result{}, err
	}
	return s.page(c, "guests", "Guests of "+houseOf(c).Name, map[string]any{"Bookings": bookings})
}

// bookForm validates the form by the same rules as the API.
var bookForm = apidoc.NewFormReader[booking.Details]()

func (s *Site) showBook(c routing.Context) (routing.Result, error) {
	form, err := bookForm.Fill(booking.Details{Room: c.Params().GetOr("room", ""), Day: c.Params().GetOr("day", "")})
	if err != nil {
		return routing.Result{}, err
	}
	return s.bookPage(c, form)
}

func (s *Site) bookPage(c routing.Context, form *apidoc.Form[booking.Details]) (routing.Result, error) {
	rooms, err := s.Store.Rooms(c.Request().Context(), houseOf(c).ID)
	if err != nil {
		return routing.Result{}, err
	}
	return s.page(c, "book", "Book a room of "+houseOf(c).Name, map[string]any{"Form": form, "Rooms": rooms})
}

func (s *Site) book(c routing.Context) (routing.Result, error) {
	form, err := bookForm.Read(c)
	if err != nil {
		return routing.Result{}, err
	}
	if form.Valid() {
		err = s.change(c, func(ctx context.Context, house string) error {
			if _, err := s.Store.Add(ctx, house, form.Value); err != nil {
				return err
			}
			s.sessions.Put(ctx, "notice", "The room is yours on "+form.Value.Day+".")
			return routing.SeeOther(c.Path("/"))
		})
	}
	switch {
	case errors.Is(err, booking.ErrNotFound):
		form.Refuse("room", "does not exist")
	case errors.Is(err, booking.ErrTaken):
		form.Refuse("day", "is taken: choose another one, or another room")
	case errors.Is(err, booking.ErrRoomTooSmall):
		form.Refuse("guests", "is more than the room has seats")
	case err != nil:
		return routing.Result{}, err
	}
	c.SetStatus(http.StatusUnprocessableEntity)
	return s.bookPage(c, form)
}

// change calls f in a transaction, and returns its error. A failure rolls the transaction back; a
// redirect does not.
func (s *Site) change(c routing.Context, f func(ctx context.Context, house string) error) (err error) {
	house := houseOf(c).ID
	failure := s.Store.Change(c.Request().Context(), house, func(ctx context.Context) error {
		if err = f(ctx, house); routing.IsFailure(err) {
			return err
		}
		return nil
	})
	return cmp.Or(failure, err)
}
