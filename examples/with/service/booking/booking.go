// Package booking has the types of the service: houses, rooms, bookings, and the errors. It does
// not depend on databases or pages.
package booking

import (
	"context"
	"net/http"
	"time"

	"example.com/flowercafe/apidoc"
)

// The errors, which are the responses of the API and the pages.
var (
	ErrNotFound     = apidoc.NewProblem(http.StatusNotFound, "There is no such house, room or booking")
	ErrTaken        = apidoc.NewProblem(http.StatusConflict, "The room is taken on that day")
	ErrRoomTooSmall = apidoc.NewProblem(http.StatusConflict, "The room does not have enough seats")
	ErrUnavailable  = apidoc.NewProblem(http.StatusServiceUnavailable, "The service is not available: try again later")
	ErrUnknown      = apidoc.NewProblem(http.StatusServiceUnavailable, "It is unknown whether the change was made: look before you repeat it")
	ErrKeyUsed      = apidoc.NewProblem(http.StatusUnprocessableEntity, "The Idempotency-Key belongs to another request")
)

// House is a tenant of the service. It sees its own rooms and bookings only.
type House struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Room is a room of a house.
type Room struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Seats int    `json:"seats"`
	Photo string `json:"-"` // the version of its photo, or empty
}

// Photo is a PNG or JPEG.
type Photo struct {
	Version string
	Content []byte
}

// Details are the part of a booking that guests send, by the form of a page or as JSON. The tags
// validate both. The patterns exclude NUL, which PostgreSQL cannot store.
type Details struct {
	Room   string `json:"room" form:"room,required" minLength:"1" maxLength:"40" doc:"The ID of the room"`
	Day    string `json:"day" form:"day,required" format:"date" doc:"Today or later"`
	Name   string `json:"name" form:"name,required" minLength:"2" maxLength:"60" pattern:"^[^\\x00]*$" doc:"Who comes"`
	Guests int    `json:"guests" form:"guests,required" min:"1" max:"50"`
	Note   string `json:"note,omitempty" form:"note" maxLength:"200" pattern:"^[^\\x00]*$"`
}

// Validate checks the day, which tags cannot do.
func (d Details) Validate(context.Context) ([]apidoc.InputError, error) { return CheckDay(d.Day), nil }

// CheckDay refuses days that are in the past in every time zone.
func CheckDay(day string) []apidoc.InputError {
	if day < time.Now().UTC().Add(-12*time.Hour).Format(time.DateOnly) {
		return []apidoc.InputError{{Name: "day", Pointer: "/day", Detail: "must be today or later"}}
	}
	return nil
}

// Booking is a room that is booked for a day.
type Booking struct {
	ID      string `json:"id"`
	Version int    `json:"version" doc:"Grows with each change"`
	Details
}
