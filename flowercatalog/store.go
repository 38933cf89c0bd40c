package flowercatalog

import (
	"context"
	"errors"
)

// Store keeps a catalog: flowers in an order of their own. [Memory] is the one in memory. Others
// are for catalogs that outgrow a process, and for several hosts over one catalog. Package
// catalogtest tests implementations.
//
// All methods are safe for concurrent use. They end soon after their context ends, with an error
// that wraps [context.Cause] of it.
//
// The App passes only slugs and texts that are UTF-8 without NUL, and expects the same of flowers.
// Slugs are compared byte for byte. How flowers get into a Store is not part of the interface.
// A Store must refuse what [CheckFlower] refuses, and a slug that occurs twice.
type Store interface {
	// Find returns the flower with exactly this slug. If there is none, the error wraps
	// ErrNotFound.
	Find(ctx context.Context, slug string) (Flower, error)

	// List calls each for the flowers of the page, in catalog order.
	//
	// All calls see the flowers of one revision. A Store that cannot promise this to the end,
	// because it reads in several transactions, ends with an error that wraps ErrChanged when
	// the flowers have changed in between.
	//
	// A call of each may take as long as a client takes to read. So a Store that holds a connection
	// meanwhile reads ahead, or in batches. It holds a bounded number of flowers in memory, however
	// many it lists. List stops when each returns an error, and wraps it. If each panics, List
	// gives back what it holds, and the panic goes on. each must not use the Store.
	List(ctx context.Context, page Page, each func(Flower) error) error

	// Search is List for those flowers whose folded name contains folded. The Store keeps the
	// names folded by Fold, and compares byte for byte: %, _ and \ stand for themselves. folded
	// is folded already, and not empty. The page's After may name a flower that the search does
	// not find.
	Search(ctx context.Context, folded string, page Page, each func(Flower) error) error

	// Revision names the state that the flowers are in, in a few printable characters. It
	// differs whenever the flowers or their order differ; it is the same for all programs that
	// share the Store, and across restarts. ETags are made of it, so it takes much less time
	// than reading the flowers.
	Revision(ctx context.Context) (string, error)

	// Ping checks that the Store responds.
	Ping(ctx context.Context) error

	// Close takes no new work, interrupts the work in progress, and gives everything back. It
	// may be called again. From the first call on, the other methods return errors that wrap
	// ErrClosed.
	Close() error
}

// Page says which of its flowers a [Store] passes on. The zero Page is all of them.
type Page struct {
	// After is the slug of the flower after which the page begins; empty is the beginning. If no
	// flower has it, the error wraps ErrNotFound, and each is not called.
	After string

	// Limit is how many flowers there are at most; 0 is no limit. It is never negative.
	Limit int

	// Revision, if not empty, is an earlier result of Revision. If the flowers have another revision
	// now, the error wraps ErrChanged, and each is not called. So an ETag is sent only with the
	// flowers that it was made of.
	Revision string
}

// Errors that a [Store] returns, most often wrapped: use [errors.Is].
var (
	// ErrNotFound says that no flower has the slug.
	ErrNotFound = errors.New("flowercatalog: no such flower")

	// ErrChanged says that the flowers have changed since the wanted revision, or during the call.
	ErrChanged = errors.New("flowercatalog: the flowers have changed")

	// ErrBusy says that the Store is not available: no connection is free, or no server responds. Try
	// again later. Clients get 503 with Retry-After.
	ErrBusy = errors.New("flowercatalog: the store is busy")

	// ErrClosed says that Close was called. Clients get 503, too.
	ErrClosed = errors.New("flowercatalog: the store is closed")
)
