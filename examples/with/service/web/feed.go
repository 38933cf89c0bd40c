package web

import (
	"context"
	"sync"

	"example.com/flowercafe/routing/respond"
)

// feed tells followers of a house that its bookings have changed.
type feed struct {
	mu   sync.Mutex
	more map[string]chan struct{} // by house; closed at the next change
}

func (f *feed) publish(house string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if more := f.more[house]; more != nil {
		close(more)
		delete(f.more, house)
	}
}

// next returns a channel that is closed at the next change.
func (f *feed) next(house string) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.more[house] == nil {
		f.more[house] = make(chan struct{})
	}
	return f.more[house]
}

// follow returns a source of events, one for each change from now on. It ends with life.
func (f *feed) follow(life context.Context, house string) respond.Source {
	more := f.next(house)
	return func(ctx context.Context, send func(respond.Event) error) error {
		for {
			select {
			case <-more:
			case <-ctx.Done():
				return nil
			case <-life.Done():
				return nil
			}
			more = f.next(house)
			if err := send(respond.Event{Name: "booking", Data: house}); err != nil {
				return err
			}
		}
	}
}
