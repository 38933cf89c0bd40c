package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file has the pages of a house. Its app is mounted once, at a prefix with the parameter house.

// house is the house of the request. The filter of the app sets it.
var house = routing.NewKey[booking.House]()

// House returns the app of a house, to which others add routes.
func (s *Site) House() *routing.App {
	s.feed.more = make(map[string]chan struct{})
	app := routing.New(routing.WithProblems())
	app.MethodNotAllowed(nil)
	app.Before(s.findHouse)
	app.Get("/", s.rooms)
	app.Get("/book", s.showBook)
	app.Post("/book", s.book)
	app.Get("/rooms/:room", func(c routing.Context) (routing.Result, error) { return s.room(c, photoForm.Blank()) })
	app.Post("/rooms/:room", s.upload)
	app.Get("/photos/:name", func(c routing.Context) (routing.Result, error) {
		return respond.File(s.Photos.FS(), houseOf(c).ID+"-"+c.Params().GetOr("name", ""))
	})
	app.Get("/events", func(c routing.Context) (routing.Result, error) {
		return respond.Events(s.feed.follow(s.Life, houseOf(c).ID)), nil
	})
	return app
}

func (s *Site) findHouse(c routing.Context) error {
	houses, err := s.Store.Houses(c.Request().Context())
	if err != nil {
		return fmt.Errorf("find the house: %w", err)
	}
	i := slices.IndexFunc(houses, func(h booking.House) bool { return h.ID == c.Params().GetOr("house", "") })
	if i < 0 {
		return &routing.Problem{Status: http.StatusNotFound, Detail: "There is no such house."}
	}
	house.Set(c, houses[i])
	return nil
}

func houseOf(c routing.Context) booking.House {
	h, _ := house.Get(c)
	return h
}

func (s *Site) rooms(c routing.Context) (routing.Result, error) {
	ctx, h := c.Request().Context(), houseOf(c)
	rooms, err := s.Store.Rooms(ctx, h.ID)
	if err != nil {
		return routing.Result{}, fmt.Errorf("list rooms: %w", err)
	}
	bookings, err := s.Store.Bookings(ctx, h.ID, time.Now().Format(time.DateOnly))
	if err != nil {
		return routing.Result{}, fmt.Errorf("list bookings: %w", err)
	}
	return s.page(c, "house", h.Name, map[string]any{"Rooms": rooms, "Bookings": bookings})
}

// bookForm reads the form by the rules that the API has, too.
var bookForm = apidoc.NewFormReader[booking.Wish]()

func (s *Site) showBook(c routing.Context) (routing.Result, error) {
	form, err := bookForm.Fill(booking.Wish{Room: c.Params().GetOr("room", ""), Day: c.Params().GetOr("day", "")})
	if err != nil {
		return routing.Result{}, err
	}
	return s.bookPage(c, form)
}

func (s *Site) bookPage(c routing.Context, form *apidoc.Form[booking.Wish]) (routing.Result, error) {
	rooms, err := s.Store.Rooms(c.Request().Context(), houseOf(c).ID)
	if err != nil {
		return routing.Result{}, fmt.Errorf("list rooms: %w", err)
	}
	return s.page(c, "book", "Book a room of "+houseOf(c).Name, map[string]any{"Form": form, "Rooms": rooms})
}

// refusals say what is wrong with a wish: in which field, and how.
var refusals = map[error][2]string{
	booking.ErrNone:  {"room", "does not exist"},
	booking.ErrTaken: {"day", "is taken: choose another one, or another room"},
	booking.ErrSmall: {"guests", "is more than the room has seats"},
}

func (s *Site) book(c routing.Context) (routing.Result, error) {
	form, err := bookForm.Read(c)
	if err != nil {
		return routing.Result{}, err
	}
	ctx, h := c.Request().Context(), houseOf(c)
	if form.Valid() {
		err = s.Store.Tx(ctx, func(ctx context.Context) error {
			_, err := s.Store.Add(ctx, h.ID, form.Value)
			return err
		})
		for known, refusal := range refusals {
			if errors.Is(err, known) {
				form.Refuse(refusal[0], refusal[1])
				err = nil
			}
		}
	}
	switch {
	case err != nil:
		return routing.Result{}, fmt.Errorf("book: %w", err)
	case !form.Valid():
		c.SetStatus(http.StatusUnprocessableEntity)
		return s.bookPage(c, form)
	}
	s.Changed(h.ID)
	s.sessions.Put(ctx, "notice", "The room is yours on "+form.Value.Day+".")
	return routing.Result{}, routing.SeeOther(c.Path("/"))
}

type photo struct {
	Photo apidoc.File `form:"photo,required" accept:"image/png,image/jpeg" maxLength:"8000000"`
}

var photoForm = apidoc.NewFormReader[photo](apidoc.BodyLimit(9 << 20))

func (s *Site) room(c routing.Context, form *apidoc.Form[photo]) (routing.Result, error) {
	rooms, err := s.Store.Rooms(c.Request().Context(), houseOf(c).ID)
	if err != nil {
		return routing.Result{}, fmt.Errorf("find the room: %w", err)
	}
	i := slices.IndexFunc(rooms, func(r booking.Room) bool { return r.ID == c.Params().GetOr("room", "") })
	if i < 0 {
		return routing.Result{}, routing.Pass
	}
	return s.page(c, "room", rooms[i].Name, map[string]any{"Form": form, "Room": rooms[i]})
}

func (s *Site) upload(c routing.Context) (routing.Result, error) {
	ctx, h, room := c.Request().Context(), houseOf(c), c.Params().GetOr("room", "")
	if s.user(ctx) == "" {
		return routing.Result{}, &routing.Problem{Status: http.StatusForbidden, Detail: "Log in first."}
	}
	form, err := photoForm.Read(c)
	if err != nil {
		return routing.Result{}, err
	}
	if !form.Valid() {
		c.SetStatus(http.StatusUnprocessableEntity)
		return s.room(c, form)
	}
	name := rand.Text()
	if err := s.save(h.ID+"-"+name, form.Value.Photo); err != nil {
		return routing.Result{}, fmt.Errorf("save the photo: %w", err)
	}
	switch err := s.Store.SetPhoto(ctx, h.ID, room, name); {
	case errors.Is(err, booking.ErrNone):
		s.Photos.Remove(h.ID + "-" + name)
		return routing.Result{}, routing.Pass
	case err != nil:
		return routing.Result{}, fmt.Errorf("save the photo: %w", err)
	}
	return routing.Result{}, routing.SeeOther(c.Path("/rooms/" + room))
}

// save writes an upload to a new file, and removes it if that fails.
func (s *Site) save(name string, upload apidoc.File) error {
	from, err := upload.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := s.Photos.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		s.Photos.Remove(name)
	}
	return err
}
