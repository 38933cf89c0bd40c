package api

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/examples/with/service/store"
)

// This file imports bookings: all, or none if one of them is refused. The lines arrive while the
// operation runs, and a client may take an hour to send them. A transaction of that length would
// lock the house and hold a connection, so it begins when all lines have arrived. Until then they
// are in memory, up to the limit of the body.

type lines struct {
	inHouse
	repeatable
	Bookings iter.Seq2[booking.Details, error] `body:"application/jsonl" doc:"A booking in each line"`
}

// Imported is the response to an import.
type Imported struct {
	Added int `json:"added" doc:"How many bookings were added"`
}

func (a api) addAll(ctx context.Context, in lines) (imported Imported, err error) {
	bookings, err := readAll(in.Bookings)
	if err != nil {
		return Imported{}, err
	}
	err = a.store.Change(ctx, in.House, func(ctx context.Context) error {
		imported, err = store.Once(ctx, a.store, in.House, in.Key, bookings, func(ctx context.Context) (Imported, error) {
			return Imported{len(bookings)}, a.addEach(ctx, in.House, bookings)
		})
		return err
	})
	return imported, err
}

func (a api) addEach(ctx context.Context, house string, bookings []booking.Details) error {
	for i, d := range bookings {
		_, err := a.store.Add(ctx, house, d)
		if refused := (*apidoc.Problem)(nil); errors.As(err, &refused) {
			err = fmt.Errorf("%w: %w", refused.Detailf("Booking %d: room %s on %s", i+1, d.Room, d.Day), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxErrors limits the memory for errors: those of further lines are not counted.
const maxErrors = 100

// readAll returns the bookings of all lines, or one problem with the errors of the lines.
func readAll(lines iter.Seq2[booking.Details, error]) (bookings []booking.Details, err error) {
	var errs []apidoc.InputError
	for details, err := range lines {
		refused := (*apidoc.Problem)(nil)
		switch isRefused := errors.As(err, &refused) && len(refused.Errors) > 0; {
		case err == nil:
			bookings = append(bookings, details)
		case !isRefused: // nothing more can be read
			return nil, err
		case len(errs) < maxErrors:
			errs = append(errs, refused.Errors...)
		}
	}
	return bookings, apidoc.Invalid(errs)
}
