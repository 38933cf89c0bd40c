package api

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/booking"
)

// This file imports bookings: all, or none if one of them is refused. The lines come while the
// operation runs, and a client may take an hour to send them. A transaction of that length would
// lock the house and hold a connection for a client that only waits, so it begins when all lines
// are here. Until then they are in memory, up to the limit of the body.

type lines struct {
	inHouse
	Wishes iter.Seq2[booking.Wish, error] `body:"application/jsonl" doc:"A booking in each line"`
}

// Imported is the response to an import.
type Imported struct {
	Added int `json:"added" doc:"How many bookings were added"`
}

func (a api) addAll(ctx context.Context, in lines) (Imported, error) {
	wishes, err := readAll(in.Wishes)
	if err != nil {
		return Imported{}, err
	}
	return Imported{len(wishes)}, a.store.Change(ctx, in.House, func(ctx context.Context) error {
		for i, w := range wishes {
			_, err := a.store.Add(ctx, in.House, w)
			if refused := (*apidoc.Problem)(nil); errors.As(err, &refused) {
				err = fmt.Errorf("%w: %w", refused.Detailf("Booking %d: room %s on %s", i+1, w.Room, w.Day), err)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// maxErrors is how many errors a client is told at once.
const maxErrors = 100

// readAll returns all wishes, or the errors of all lines in one problem.
func readAll(lines iter.Seq2[booking.Wish, error]) (wishes []booking.Wish, err error) {
	var wrong *apidoc.Problem // what is wrong with the lines so far
	for wish, err := range lines {
		refused := (*apidoc.Problem)(nil)
		switch isRefused := errors.As(err, &refused) && len(refused.Errors) > 0; {
		case err == nil:
			wishes = append(wishes, wish)
		case !isRefused: // nothing more can be read
			return nil, err
		case wrong == nil:
			wrong = refused
		case len(wrong.Errors) < maxErrors:
			errs := append(wrong.Errors, refused.Errors...)
			wrong = wrong.Detailf("%d values are wrong", len(errs))
			wrong.Errors = errs
		}
	}
	if wrong != nil {
		return nil, wrong
	}
	return wishes, nil
}
