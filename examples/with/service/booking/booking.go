// Package booking has the words of the service: houses, rooms, bookings, and what can go wrong. It
// knows nothing of HTTP and of databases.
package booking

import "errors"

// What an operation of the store may return, wrapped or not.
var (
	ErrNone  = errors.New("there is no such room or booking")
	ErrTaken = errors.New("the room is taken on that day")
	ErrSmall = errors.New("the room is too small")
	ErrStale = errors.New("somebody else has changed the booking")
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
	Photo string `json:"-"` // the name of a file, or empty
}

// Wish is what a guest asks for: by the form of a page, or as JSON. Its tags are the rules of both.
type Wish struct {
	Room   string `json:"room" form:"room,required" minLength:"1" maxLength:"40" doc:"The ID of the room"`
	Day    string `json:"day" form:"day,required" format:"date" example:"2026-07-01"`
	Name   string `json:"name" form:"name,required" minLength:"2" maxLength:"60" doc:"Who comes"`
	Guests int    `json:"guests" form:"guests,required" min:"1" max:"50"`
	Note   string `json:"note,omitempty" form:"note" maxLength:"200"`
}

// Booking is a wish that was granted.
type Booking struct {
	ID      int64 `json:"id"`
	Version int64 `json:"version" doc:"Grows with each change"`
	Wish
}
