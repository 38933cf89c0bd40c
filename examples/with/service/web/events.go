package web

import (
	"context"
	"errors"
	"strconv"
	"time"

	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
	"example.com/flowercafe/serving"
)

// This file sends an event to the page of a house after each change. It polls the database each
// second, because other hosts change it too. While the database is not available, it goes on.

// events sends an event when the number of changes differs from the parameter seen.
func (s *Site) events(c routing.Context) (routing.Result, error) {
	house, seen := houseOf(c).ID, c.Params().GetOr("seen", "")
	return respond.Events(func(ctx context.Context, send func(respond.Event) error) error {
		for {
			changes, err := s.Store.Changes(ctx, house)
			if err != nil && !errors.Is(err, booking.ErrUnavailable) {
				return err
			}
			if now := strconv.Itoa(changes); err == nil && now != seen {
				seen = now
				if err := send(respond.Event{Name: "change", Data: now}); err != nil {
					return err
				}
			}
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return nil
			case <-serving.ShuttingDown(ctx):
				return nil
			}
		}
	}), nil
}
