// Package storetest tests implementations of [coffeedemo.Store].
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) coffeedemo.Store { return open(t) })
//	}
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
)

// Run tests a store, in subtests that each open and close one. open returns a store of a database
// without the tables.
func Run(t *testing.T, open func(*testing.T) coffeedemo.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *fixture)
	}{
		{"States", testStates},
		{"Order", testOrder},
		{"Texts", testTexts},
		{"Rows", testRows},
		{"NoRows", testNoRows},
		{"AllOrNothing", testAllOrNothing},
		{"RowError", testRowError},
		{"RowPanic", testRowPanic},
		{"ContextEnded", testContextEnded},
		{"ContextEndsDuringList", testContextEndsDuringList},
		{"Ping", testPing},
		{"Stats", testStats},
		{"Concurrent", testConcurrent},
		{"Closed", testClosed},
		{"ShutdownWaits", testShutdownWaits},
		{"ShutdownInterrupts", testShutdownInterrupts},
		{"CloseInterrupts", testCloseInterrupts},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t)
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Errorf("Close at the end: got %v, want no error", err)
				}
			})
			test.run(t, &fixture{t, store})
		})
	}
}

// patience is how long a test waits before it fails because a call hangs.
const patience = 30 * time.Second

// fixture is a store with helpers for tests.
type fixture struct {
	*testing.T
	store coffeedemo.Store
}

var (
	suppliers = []coffeedemo.Supplier{
		{ID: 7, Name: "Bean & Sons", Street: "1 Hill Road", City: "Upton", State: "OR", ZIP: "97000"},
		{ID: 3, Name: "Café Ünlü", Street: "2 Quay", City: "Downton", State: "OR", ZIP: "97001"},
	}
	coffees = []coffeedemo.Coffee{
		{Name: "mocha", SupplierID: 3, Price: 9.5},
		{Name: "Mocha", SupplierID: 7, Price: 8.25},
		{Name: "Java", SupplierID: 7, Price: 0},
	}
	// In byte order: capital letters are before small ones.
	lines = []string{"Java/Bean & Sons", "Mocha/Bean & Sons", "mocha/Café Ünlü"}
)

func (f *fixture) create() error { return f.store.Create(f.Context()) }
func (f *fixture) load() error   { return f.store.Load(f.Context(), suppliers, coffees) }
func (f *fixture) drop() error   { return f.store.Drop(f.Context()) }

// list returns the rows as COFFEE/SUPPLIER.
func (f *fixture) list(ctx context.Context) ([]string, error) {
	rows := []string{}
	err := f.store.List(ctx, func(coffee, supplier string) error {
		rows = append(rows, coffee+"/"+supplier)
		return nil
	})
	return rows, err
}

// must stops the test if there is an error.
func (f *fixture) must(step string, err error) {
	f.Helper()
	if err != nil {
		f.Fatalf("%s: got %v, want no error", step, err)
	}
}

// want compares an error by errors.Is.
func (f *fixture) want(step string, got, want error) {
	f.Helper()
	if !errors.Is(got, want) {
		f.Errorf("%s: got error %v, want %v", step, got, want)
	}
}

// wantRows checks the rows of the list, and that no connection is in use.
func (f *fixture) wantRows(step string, want []string) {
	f.Helper()
	got, err := f.list(f.Context())
	if err != nil {
		f.Errorf("%s: list: got %v, want no error", step, err)
	} else if !slices.Equal(got, want) {
		f.Errorf("%s: got rows %q, want %q", step, got, want)
	}
	if s := f.store.Stats(); s.InUse != 0 || s.Waiting != 0 {
		f.Errorf("%s: got %+v, want nothing in use", step, s)
	}
}

func testStates(t *testing.T, f *fixture) {
	for i, step := range []struct {
		do   string
		want error
		rows []string // nil: there are no tables
	}{
		{"load", coffeedemo.ErrTablesMissing, nil},
		{"drop", coffeedemo.ErrTablesMissing, nil},
		{"create", nil, []string{}},
		{"create", coffeedemo.ErrTablesExist, []string{}},
		{"load", nil, lines},
		{"load", coffeedemo.ErrDataLoaded, lines},
		{"create", coffeedemo.ErrTablesExist, lines},
		{"drop", nil, nil},
		{"drop", coffeedemo.ErrTablesMissing, nil},
		{"load", coffeedemo.ErrTablesMissing, nil},
		{"create", nil, []string{}},
		{"drop", nil, nil},
		{"create", nil, []string{}},
		{"load", nil, lines},
	} {
		name := fmt.Sprintf("step %d, %s", i+1, step.do)
		do := map[string]func() error{"create": f.create, "load": f.load, "drop": f.drop}[step.do]
		f.want(name, do(), step.want)
		if step.rows != nil {
			f.wantRows(name, step.rows)
			continue
		}
		rows, err := f.list(t.Context())
		f.want(name+", then list", err, coffeedemo.ErrTablesMissing)
		if len(rows) > 0 {
			t.Errorf("%s, then list: got rows %q, want none", name, rows)
		}
	}
}

func testOrder(t *testing.T, f *fixture) {
	names := []string{"Z", "a", "B", "_", "é", "e\u0301", "z", "A", " ", "10", "9", "𝒜", "ﬀ", "a b", "a-b", "aB"}
	var all []coffeedemo.Coffee
	for _, name := range names {
		all = append(all, coffeedemo.Coffee{Name: name, SupplierID: 7})
	}
	f.must("create", f.create())
	f.must("load", f.store.Load(t.Context(), suppliers, all))
	slices.Sort(names)
	var want []string
	for _, name := range names {
		want = append(want, name+"/Bean & Sons")
	}
	f.wantRows("in byte order", want)
}

func testTexts(t *testing.T, f *fixture) {
	texts := []string{`<b>"quoted" & 'so'</b>`, "; DROP TABLE COFFEES; --", "?1 :a $1 %s %%", `\`, "\t\r\n", "\u202e", strings.Repeat("long ", 1000), "\U0001F33C"}
	f.must("create", f.create())
	var rows []coffeedemo.Coffee
	var owners []coffeedemo.Supplier
	want := []string{}
	for i, text := range texts {
		owners = append(owners, coffeedemo.Supplier{ID: i + 1, Name: text, Street: text, City: text, State: text, ZIP: text})
		rows = append(rows, coffeedemo.Coffee{Name: text, SupplierID: i + 1, Price: 1e-9})
		want = append(want, text+"/"+text)
	}
	slices.Sort(want)
	f.must("load", f.store.Load(t.Context(), owners, rows))
	f.wantRows("texts", want)
}

func testRows(t *testing.T, f *fixture) {
	f.wantRows("many rows", f.loadMany())
}

// loadMany loads 2,000 coffees, and returns the rows of the list.
func (f *fixture) loadMany() (rows []string) {
	f.Helper()
	var all []coffeedemo.Coffee
	for i := range 2000 {
		name := fmt.Sprintf("coffee %05d", i)
		all = append(all, coffeedemo.Coffee{Name: name, SupplierID: 7, Price: float64(i)})
		rows = append(rows, name+"/Bean & Sons")
	}
	f.must("create", f.create())
	f.must("load", f.store.Load(f.Context(), suppliers, all))
	return rows
}

func testNoRows(t *testing.T, f *fixture) {
	f.must("create", f.create())
	f.must("load nothing", f.store.Load(t.Context(), nil, nil))
	f.wantRows("nothing loaded", []string{})
	f.must("load suppliers alone", f.store.Load(t.Context(), suppliers, nil))
	f.wantRows("suppliers loaded", []string{})
	f.want("load after suppliers", f.load(), coffeedemo.ErrDataLoaded)
}

func testAllOrNothing(t *testing.T, f *fixture) {
	f.must("create", f.create())
	for _, bad := range []struct {
		name      string
		suppliers []coffeedemo.Supplier
		coffees   []coffeedemo.Coffee
	}{
		{"a coffee twice", suppliers, append(slices.Clone(coffees), coffees[0])},
		{"a coffee without a supplier", suppliers, append(slices.Clone(coffees), coffeedemo.Coffee{Name: "Nil", SupplierID: 99})},
		{"a supplier twice", append(slices.Clone(suppliers), suppliers[0]), coffees},
	} {
		if err := f.store.Load(t.Context(), bad.suppliers, bad.coffees); err == nil {
			t.Errorf("load %s: got no error, want one", bad.name)
		} else if refused(err) {
			t.Errorf("load %s: got %v, want an error that is not of the package", bad.name, err)
		}
		f.wantRows("after "+bad.name, []string{})
	}
	f.must("load", f.load())
	f.wantRows("loaded", lines)
}

// refused reports whether err is an error of package coffeedemo.
func refused(err error) bool {
	for _, known := range []error{
		coffeedemo.ErrTablesExist, coffeedemo.ErrTablesMissing, coffeedemo.ErrDataLoaded, coffeedemo.ErrBusy, coffeedemo.ErrOutcomeUnknown, coffeedemo.ErrClosed,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

func testRowError(t *testing.T, f *fixture) {
	f.must("create", f.create())
	f.must("load", f.load())
	enough := errors.New("enough")
	for k := range lines {
		calls := 0
		err := f.store.List(t.Context(), func(_, _ string) error {
			if calls++; calls == k+1 {
				return enough
			}
			return nil
		})
		f.want(fmt.Sprintf("error in row %d", k+1), err, enough)
		if calls != k+1 {
			t.Errorf("error in row %d: got %d calls, want %d", k+1, calls, k+1)
		}
		f.wantRows("after an error", lines)
	}
	f.must("drop after errors", f.drop())
}

func testRowPanic(t *testing.T, f *fixture) {
	f.must("create", f.create())
	f.must("load", f.load())
	for k := range lines {
		func() {
			defer func() {
				if got := recover(); got != "row" {
					t.Errorf("panic in row %d: got %v, want the panic to continue", k+1, got)
				}
			}()
			calls := 0
			f.store.List(t.Context(), func(_, _ string) error {
				if calls++; calls == k+1 {
					panic("row")
				}
				return nil
			})
		}()
		f.wantRows("after a panic", lines)
	}
	f.must("drop after panics", f.drop())
}

func testContextEnded(t *testing.T, f *fixture) {
	cause := errors.New("disconnected")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	f.want("create", f.store.Create(ctx), cause)
	f.must("create", f.create())
	f.want("load", f.store.Load(ctx, suppliers, coffees), cause)
	f.wantRows("after a load that was refused", []string{})
	f.must("load", f.load())
	f.want("drop", f.store.Drop(ctx), cause)
	rows, err := f.list(ctx)
	f.want("list", err, cause)
	if len(rows) > 0 {
		t.Errorf("list: got rows %q, want none", rows)
	}
	f.want("ping", f.store.Ping(ctx), cause)
	f.wantRows("at the end", lines)
}

// testContextEndsDuringList cancels a context during a list. A few more rows may follow, but the
// list ends and releases its connection.
func testContextEndsDuringList(t *testing.T, f *fixture) {
	f.must("create", f.create())
	f.must("load", f.load())
	for k := range lines {
		cause := errors.New("disconnected")
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		err := f.store.List(ctx, func(_, _ string) error {
			if calls++; calls == k+1 {
				cancel(cause)
			}
			return nil
		})
		if err != nil {
			f.want(fmt.Sprintf("list, ended in row %d", k+1), err, cause)
		}
		f.wantRows("after a list that ended", lines)
	}
	f.must("drop", f.drop())
}

func testPing(t *testing.T, f *fixture) {
	f.must("ping without tables", f.store.Ping(t.Context()))
	f.must("create", f.create())
	f.must("ping", f.store.Ping(t.Context()))
}

func testStats(t *testing.T, f *fixture) {
	f.must("create", f.create())
	f.must("load", f.load())
	err := f.store.List(t.Context(), func(_, _ string) error {
		if s := f.store.Stats(); s.InUse > 1 || s.Open != s.InUse+s.Idle || s.Waiting != 0 || s.TimedOut != 0 {
			t.Errorf("in a list: got %+v, want at most 1 in use and none waiting", s)
		}
		return nil
	})
	f.must("list", err)
	if s := f.store.Stats(); s.InUse != 0 || s.Idle != s.Open {
		t.Errorf("at rest: got %+v, want none in use and all idle", s)
	}
}

// testConcurrent runs all methods at once. A list has all rows or is empty, and the only errors are
// the three conflicts.
func testConcurrent(t *testing.T, f *fixture) {
	const clients = 12
	length := 500 * time.Millisecond
	if testing.Short() {
		length /= 5
	}
	deadline := time.Now().Add(length)
	counts := make(chan [4]int, clients)
	for client := range clients {
		go func() {
			var done [4]int
			defer func() { counts <- done }()
			for i := client; time.Now().Before(deadline); i++ {
				var err error
				switch i % 4 {
				case 0:
					err = f.create()
				case 1:
					err = f.load()
				case 2:
					var rows []string
					rows, err = f.list(t.Context())
					if err == nil && len(rows) != 0 && !slices.Equal(rows, lines) {
						t.Errorf("list: got %q, want none or %q", rows, lines)
					}
				case 3:
					err = f.drop()
				}
				if err == nil {
					done[i%4]++
				} else if !errors.Is(err, coffeedemo.ErrTablesExist) && !errors.Is(err, coffeedemo.ErrTablesMissing) && !errors.Is(err, coffeedemo.ErrDataLoaded) {
					t.Errorf("got %v, want success or a conflict", err)
					return
				}
			}
		}()
	}
	var sum [4]int
	for range clients {
		done := <-counts
		for i := range sum {
			sum[i] += done[i]
		}
	}
	t.Logf("%d clients in %v: %d times created, %d loaded, %d listed, %d dropped", clients, length, sum[0], sum[1], sum[2], sum[3])
	if difference := sum[0] - sum[3]; difference != 0 && difference != 1 {
		t.Errorf("got %d creates and %d drops, want as many, or one create more", sum[0], sum[3])
	}
	if s := f.store.Stats(); s.InUse != 0 || s.Waiting != 0 || s.TimedOut != 0 {
		t.Errorf("at the end: got %+v, want none in use, waiting or timed out", s)
	}
}

func testClosed(t *testing.T, f *fixture) {
	f.must("create", f.create())
	for i, end := range []func() error{
		f.store.Close,
		func() error { return f.store.Shutdown(t.Context()) },
		f.store.Close,
		func() error { return f.store.Shutdown(t.Context()) },
	} {
		step := fmt.Sprintf("end %d", i+1)
		f.must(step, end())
		f.want(step+", create", f.create(), coffeedemo.ErrClosed)
		f.want(step+", load", f.load(), coffeedemo.ErrClosed)
		f.want(step+", drop", f.drop(), coffeedemo.ErrClosed)
		_, err := f.list(t.Context())
		f.want(step+", list", err, coffeedemo.ErrClosed)
		f.want(step+", ping", f.store.Ping(t.Context()), coffeedemo.ErrClosed)
		if s := f.store.Stats(); s != (coffeedemo.Stats{}) {
			t.Errorf("%s: got %+v, want zero", step, s)
		}
	}
}

// listing starts a list that blocks in its first row until it is released, and returns when it has
// reached that row.
func (f *fixture) listing() (release func(), result <-chan error) {
	f.must("create", f.create())
	f.must("load", f.load())
	inRow, released, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first := true
		ended <- f.store.List(f.Context(), func(_, _ string) error {
			if first {
				first = false
				close(inRow)
				<-released
			}
			return nil
		})
	}()
	select {
	case <-inRow:
	case err := <-ended:
		f.Fatalf("list: got %v before the first row", err)
	}
	release = sync.OnceFunc(func() { close(released) })
	f.Cleanup(release) // before the store is closed, even if the test fails
	return release, ended
}

func (f *fixture) wait(what string, result <-chan error) error {
	f.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(patience):
		f.Fatalf("%s: hangs", what)
		return nil
	}
}

func testShutdownWaits(t *testing.T, f *fixture) {
	release, listed := f.listing()
	down := make(chan error, 1)
	go func() { down <- f.store.Shutdown(t.Context()) }()
	f.untilClosed()
	select {
	case err := <-down:
		t.Errorf("Shutdown: got %v while a list was in progress, want it to wait", err)
	case <-time.After(20 * time.Millisecond):
	}
	release()
	f.must("list in progress", f.wait("list", listed))
	f.must("Shutdown", f.wait("Shutdown", down))
}

// untilClosed waits until the store refuses new work.
func (f *fixture) untilClosed() {
	f.Helper()
	for end := time.Now().Add(patience); !errors.Is(f.store.Ping(f.Context()), coffeedemo.ErrClosed); {
		if time.Now().After(end) {
			f.Fatal("the store still accepts work")
		}
		time.Sleep(time.Millisecond)
	}
}

// testShutdownInterrupts ends the context of a Shutdown while a list is in progress. The list would
// take a minute.
func testShutdownInterrupts(t *testing.T, f *fixture) {
	perRow := time.Minute / time.Duration(len(f.loadMany()))
	began, listed, down := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		begin := sync.OnceFunc(func() { close(began) })
		listed <- f.store.List(f.Context(), func(_, _ string) error {
			begin()
			time.Sleep(perRow)
			return nil
		})
	}()
	select {
	case <-began:
	case err := <-listed:
		f.Fatalf("list: got %v before the first row", err)
	}
	cause := errors.New("no more time")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { down <- f.store.Shutdown(ctx) }()
	f.untilClosed()
	cancel(cause)
	f.want("Shutdown that ran out of time", f.wait("Shutdown", down), cause)
	f.want("list in progress", f.wait("list", listed), coffeedemo.ErrClosed)
	f.must("Close after Shutdown", f.store.Close())
}

func testCloseInterrupts(t *testing.T, f *fixture) {
	release, listed := f.listing()
	down := make(chan error, 1)
	go func() { down <- f.store.Close() }()
	f.untilClosed()
	release()
	f.must("Close", f.wait("Close", down))
	if err := f.wait("list", listed); err != nil {
		f.want("list in progress", err, coffeedemo.ErrClosed)
	}
}
