package main

import (
	"context"
	"sync"

	"example.com/flowercafe/routing/respond"
)

// feed sends the names of new photos to all followers.
type feed struct {
	mu    sync.Mutex
	names []string      // grows only
	more  chan struct{} // closed when a name is added
}

func (f *feed) publish(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = append(f.names, name)
	close(f.more)
	f.more = make(chan struct{})
}

// all returns the names so far, and a channel that is closed when a name is added.
func (f *feed) all() ([]string, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names, f.more
}

// follow returns a source of the names that are published from now on. It ends with life.
func (f *feed) follow(life context.Context) respond.Source {
	names, more := f.all()
	return func(ctx context.Context, send func(respond.Event) error) error {
		for sent := len(names); ; {
			select {
			case <-more:
			case <-ctx.Done():
				return nil
			case <-life.Done():
				return nil
			}
			for names, more = f.all(); sent < len(names); sent++ {
				if err := send(respond.Event{Name: "photo", Data: names[sent]}); err != nil {
					return err
				}
			}
		}
	}
}
