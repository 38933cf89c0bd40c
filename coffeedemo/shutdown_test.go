package coffeedemo_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/routing"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestUseAfterClose: after Shutdown and Close in any order, the routes respond with 503 and other
// routes work.
func TestUseAfterClose(t *testing.T) {
	closeIt := func(d *demo) error { return d.Close() }
	shutItDown := func(d *demo) error { return d.Shutdown(context.Background()) }
	shutItDownLate := func(d *demo) error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return d.Shutdown(ctx) // still no error: no session is in progress
	}
	for _, ends := range [][]func(*demo) error{
		{closeIt}, {shutItDown}, {shutItDownLate}, {closeIt, closeIt}, {shutItDown, shutItDown}, {closeIt, shutItDown, closeIt}, {shutItDownLate, closeIt, shutItDown},
	} {
		d := openDemo(t, 3, time.Second)
		d.state(t, fullTables)
		for i, end := range ends {
			if err := end(d); err != nil {
				t.Errorf("end %d: got %v, want no error", i+1, err)
			}
			for _, path := range []string{createPath, loadPath, dropPath, coffeesPath} {
				w := d.get(t.Context(), path)
				if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
					t.Errorf("end %d: GET %s: got %d, Retry-After %q, want 503 and one", i+1, path, w.Code, w.Header().Get("Retry-After"))
				}
				assertHeaders(t, w, path, w.Code)
				assertDiscreet(t, w)
			}
			if w := d.get(t.Context(), "/elsewhere"); w.Code != http.StatusNotFound {
				t.Errorf("end %d: another path: got %d, want 404", i+1, w.Code)
			}
			if got := d.Stats(); got != (coffeedemo.Stats{}) {
				t.Errorf("end %d: got %+v, want zero", i+1, got)
			}
		}
	}
}

// A host's own route that returns an error of the store is a 503 too, if a later request may
// succeed.
func TestOwnRoutesOfUnavailableStores(t *testing.T) {
	d := openDemo(t, 1, time.Millisecond)
	d.Routes().Get("/own", func(c routing.Context) (routing.Result, error) {
		err := d.db.Read(c.Request().Context(), func(_ context.Context, conn *sqlite.Conn) error { return nil })
		return routing.Text("read"), err
	})
	d.Routes().Get("/unknown", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, coffeedemo.ErrOutcomeUnknown
	})
	check := func(when, path string, want int) {
		t.Helper()
		if w := d.get(t.Context(), path); w.Code != want {
			t.Errorf("%s: GET %s: got %d %q, want %d", when, path, w.Code, w.Body, want)
		}
	}
	check("open", "/own", 200)
	check("open", "/unknown", 503)
	if err := d.db.Write(t.Context(), func(context.Context, *sqlite.Conn) error {
		check("busy", "/own", 503)
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := d.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	check("closed", "/own", 503)
}

// TestCloseInterruptsSessions: Close interrupts sessions, wakes waiting callers, and leaves nothing
// behind.
func TestCloseInterruptsSessions(t *testing.T) {
	const limit = 5
	d := openDemo(t, limit, time.Minute)
	d.state(t, fullTables)
	var all sync.WaitGroup
	for range limit { // these run
		all.Go(func() {
			err := d.db.Read(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				return sqlitex.Execute(conn, endless, nil)
			})
			if !errors.Is(err, coffeedemo.ErrClosed) {
				t.Errorf("session under way: got %v, want %v", err, coffeedemo.ErrClosed)
			}
		})
	}
	until(t, func() bool { return d.Stats().InUse == limit })
	for range limit { // these wait
		all.Go(func() {
			if w := d.get(t.Context(), loadPath); w.Code != http.StatusServiceUnavailable {
				t.Errorf("request that waits: got %d, want 503", w.Code)
			}
		})
	}
	until(t, func() bool { return d.Stats().Waiting == limit })
	began := time.Now()
	if err := d.Close(); err != nil {
		t.Errorf("Close: got %v, want no error", err)
	}
	t.Logf("closed with %d endless queries out in %v", limit, time.Since(began))
	all.Wait()
	if got := d.Stats(); got != (coffeedemo.Stats{}) {
		t.Errorf("got %+v, want zero", got)
	}
}

// hangGuard is far more than any step takes.
const hangGuard = 30 * time.Second

func until(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(hangGuard); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("hangs")
		}
	}
}

// TestShutdownInterruptsAtItsDeadline: Shutdown waits until its context ends, and then interrupts.
func TestShutdownInterruptsAtItsDeadline(t *testing.T) {
	d := openDemo(t, 3, time.Second)
	ended := make(chan error)
	go func() {
		ended <- d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
			return sqlitex.Execute(conn, endless, nil)
		})
	}()
	until(t, func() bool { return d.Stats().InUse == 1 })
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err := d.Shutdown(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: got %v, want %v", err, context.DeadlineExceeded)
	}
	if waited := time.Since(began); waited < 30*time.Millisecond {
		t.Errorf("Shutdown: returned after %v, want it to wait for its context", waited)
	}
	if err := <-ended; !errors.Is(err, coffeedemo.ErrClosed) {
		t.Errorf("session: got %v, want %v", err, coffeedemo.ErrClosed)
	}
	if err := d.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown again: got %v, want no error", err)
	}
}

// TestInterruptEndsContextOfWork: work that waits for something other than SQLite ends too.
func TestInterruptEndsContextOfWork(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*demo) error{
		"Close": func(d *demo) error { return d.Close() },
		"Shutdown": func(d *demo) error {
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(context.DeadlineExceeded)
			return d.Shutdown(ctx)
		},
	} {
		for _, returned := range []func(context.Context) error{context.Cause, context.Context.Err} {
			synctest.Test(t, func(t *testing.T) {
				d := openDemo(t, 2, time.Second)
				waits, ended := make(chan struct{}), make(chan error, 1)
				go func() {
					ended <- d.db.Write(t.Context(), func(ctx context.Context, _ *sqlite.Conn) error {
						close(waits)
						<-ctx.Done()
						return returned(ctx)
					})
				}()
				<-waits
				began := time.Now()
				err := end(d)
				if isLate := name == "Shutdown"; isLate != errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 0 {
					t.Errorf("%s: got %v after %v", name, err, time.Since(began))
				}
				if err := <-ended; !errors.Is(err, coffeedemo.ErrClosed) {
					t.Errorf("%s: the session returned %v, want %v", name, err, coffeedemo.ErrClosed)
				}
			})
		}
	}
}

// TestHangingSession: Close and Shutdown do not wait forever for a session that hangs outside of
// SQLite. The session cleans up when it ends.
func TestHangingSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testHangingSession)
}

func testHangingSession(t *testing.T) {
	d := openDemo(t, 2, time.Second)
	hangs, released, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- d.db.Read(t.Context(), func(context.Context, *sqlite.Conn) error {
			close(hangs)
			<-released
			return nil
		})
	}()
	<-hangs
	if err := d.Close(); err == nil {
		t.Error("Close with a session that hangs: got no error, want one")
	}
	if got, want := d.Stats(), (coffeedemo.Stats{Open: 1, InUse: 1}); got != want {
		t.Errorf("with a session that hangs: got %+v, want %+v", got, want)
	}
	close(released)
	if err := <-ended; !errors.Is(err, coffeedemo.ErrClosed) {
		t.Errorf("session that ends late: got %v, want %v", err, coffeedemo.ErrClosed)
	}
	if err := d.Close(); err != nil {
		t.Errorf("Close when it has ended: got %v, want no error", err)
	}
}

// TestShutdownAtAnyMoment stops a server and then the app at random moments under load. Every
// request is served or refused, and each response is complete.
func TestShutdownAtAnyMoment(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	moments := 50
	if testing.Short() {
		moments = 10
	}
	var completed, refused, dropped atomic.Int64
	for range moments {
		d := openDemo(t, 4, time.Second)
		d.state(t, fullTables)
		server := httptest.NewServer(d)
		var load sync.WaitGroup
		stop := make(chan struct{})
		for k := range 8 {
			load.Go(func() {
				for i := k; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					path := []string{coffeesPath, dropPath, createPath, loadPath, coffeesPath}[i%5]
					response, err := http.Get(server.URL + path)
					if err != nil {
						var refusal *net.OpError
						if !errors.As(err, &refusal) {
							dropped.Add(1) // http.Server.Shutdown may close an idle connection
						}
						return
					}
					switch response.StatusCode {
					case http.StatusOK, http.StatusConflict:
						completed.Add(1)
					case http.StatusServiceUnavailable:
						refused.Add(1)
					default:
						t.Errorf("GET %s: got %d, want 200, 409 or 503", path, response.StatusCode)
					}
					response.Body.Close()
				}
			})
		}
		time.Sleep(time.Duration(random.IntN(8000)) * time.Microsecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(5000))*time.Microsecond)
		endAll := []func(){
			func() { server.Config.Shutdown(ctx) },
			func() { d.Shutdown(ctx) },
			func() { d.Close() },
		}
		if random.IntN(2) == 0 { // the app first, which a host should not do
			endAll[0], endAll[1] = endAll[1], endAll[0]
		}
		began := time.Now()
		for _, end := range endAll {
			end()
		}
		if taken := time.Since(began); taken > hangGuard {
			t.Errorf("seed %d: took %v to stop", seed, taken)
		}
		cancel()
		close(stop)
		server.Close()
		load.Wait()
		if got := d.Stats(); got != (coffeedemo.Stats{}) {
			t.Errorf("seed %d: got %+v, want zero", seed, got)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	t.Logf("seed %d, %d moments: %d completed, %d refused with 503, %d connections closed", seed, moments, completed.Load(), refused.Load(), dropped.Load())
}
