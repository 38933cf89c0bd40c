package apidoc_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/internal/testenv"
)

// The moments at which a client disconnects. Moments between begun and finished are after a piece.
const (
	byItself = iota - 1 // after some bytes, whatever the server does
	called
	begun
	pieces   = 3
	finished = begun + pieces
	never    = finished + 1
)

// visit is a request whose client disconnects.
type visit struct {
	ID     int  `query:"id"`
	Moment int  `query:"moment"`
	Waits  bool `query:"waits"` // the function waits for the end of its context
	Size   int  `query:"size"`  // of a piece
}

func (v visit) piece() string { return strings.Repeat("a", v.Size) }

// visitors are the clients of a server, and the bodies that are open for them.
type visitors struct {
	leave  sync.Map // the functions that end the requests, by ID
	open   atomic.Int64
	failed atomic.Int64 // the number of writes that have failed
}

func (a *visitors) at(ctx context.Context, v visit, moment int) {
	if v.Moment == moment {
		cancel, _ := a.leave.Load(v.ID)
		cancel.(context.CancelFunc)()
		if v.Waits {
			<-ctx.Done()
		}
	}
}

func (a *visitors) sequence(ctx context.Context, v visit) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		a.open.Add(1)
		defer a.open.Add(-1)
		a.at(ctx, v, begun)
		for i := range pieces {
			if !yield(v.piece(), nil) {
				return
			}
			a.at(ctx, v, begun+1+i)
		}
	}
}

// visited is a body that is read.
type visited struct {
	*visitors
	ctx   context.Context
	v     visit
	reads int
	once  sync.Once
}

func (b *visited) Read(p []byte) (int, error) {
	b.at(b.ctx, b.v, begun+b.reads)
	if b.reads++; b.reads > pieces {
		return 0, io.EOF
	}
	return copy(p, b.v.piece()), nil
}

func (b *visited) Close() error {
	b.once.Do(func() { b.open.Add(-1) })
	return nil
}

func (a *visitors) define(api *apidoc.API) []string {
	type lines struct {
		Body iter.Seq2[string, error] `body:"application/jsonl"`
	}
	type written struct {
		Body func(io.Writer) error `body:"text/plain"`
	}
	type upload struct {
		visit
		Body io.Reader `body:"text/plain"`
	}
	apidoc.Get(api, "/reader", "", func(ctx context.Context, v visit) (io.Reader, error) {
		a.at(ctx, v, called)
		a.open.Add(1)
		return &visited{visitors: a, ctx: ctx, v: v}, nil
	})
	apidoc.Get(api, "/lines", "", func(ctx context.Context, v visit) (lines, error) {
		a.at(ctx, v, called)
		return lines{a.sequence(ctx, v)}, nil
	})
	apidoc.Get(api, "/events", "", func(ctx context.Context, v visit) (iter.Seq2[string, error], error) {
		a.at(ctx, v, called)
		return a.sequence(ctx, v), nil
	})
	apidoc.Get(api, "/careless", "", func(ctx context.Context, v visit) (written, error) { // ignores errors
		a.at(ctx, v, called)
		return written{func(w io.Writer) error {
			for piece := range a.sequence(ctx, v) {
				if _, err := io.WriteString(w, piece); err != nil {
					a.failed.Add(1)
				}
			}
			return nil
		}}, nil
	})
	apidoc.Post(api, "/duplex", "", func(ctx context.Context, in upload) (written, error) {
		a.at(ctx, in.visit, called)
		return written{func(w io.Writer) error {
			for piece := range a.sequence(ctx, in.visit) {
				if _, err := io.CopyN(io.Discard, in.Body, 4); err != nil {
					return err
				}
				if _, err := io.WriteString(w, piece); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	})
	return []string{"/reader", "/lines", "/events", "/careless", "/duplex"}
}

// visit sends a request, and returns how much of the body it has read.
func (a *visitors) visit(ctx context.Context, client *http.Client, address, path string, v visit) (read int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.leave.Store(v.ID, cancel)
	defer a.leave.Delete(v.ID)
	method, body := "GET", io.Reader(nil)
	if path == "/duplex" {
		method, body = "POST", uploading{ctx}
	}
	address += fmt.Sprintf("%s?id=%d&moment=%d&waits=%t&size=%d", path, v.ID, v.Moment, v.Waits, v.Size)
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "text/plain")
	if v.Moment == byItself && rand.N(2) == 0 {
		time.AfterFunc(rand.N(2*time.Millisecond), cancel)
	}
	response, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %s", response.Status)
	}
	if v.Moment == byItself {
		return io.CopyN(io.Discard, response.Body, rand.Int64N(int64(pieces*v.Size)))
	}
	return io.Copy(io.Discard, response.Body)
}

// uploading is a body of a request that is endless until its client disconnects.
type uploading struct{ ctx context.Context }

func (e uploading) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	time.Sleep(time.Millisecond)
	return copy(p, "text"), nil
}

// At whatever moment clients disconnect, each function returns, each reader is closed, and no
// goroutine is left.
func TestDisconnectedClients(t *testing.T) {
	rounds := 1
	if os.Getenv("FLOWERCAFE_LONG") == "1" {
		rounds = 30
	}
	for _, isHTTP2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP2 %t", isHTTP2), func(t *testing.T) {
			before, a := testenv.TakeBaseline(), new(visitors)
			app, api := newTyped()
			paths := a.define(api)
			server := httptest.NewUnstartedServer(app)
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetHTTP1(!isHTTP2)
			server.Config.Protocols.SetUnencryptedHTTP2(isHTTP2)
			server.Start()
			transport := &http.Transport{Protocols: server.Config.Protocols}
			var ids atomic.Int64
			leave := func(path string, moment, size int, waits bool) {
				v := visit{int(ids.Add(1)), moment, waits, size}
				read, err := a.visit(t.Context(), &http.Client{Transport: transport}, server.URL, path, v)
				if moment == never && (err != nil || read < int64(pieces*size)) {
					t.Errorf("%s: a client that stays has %d bytes: %v", path, read, err)
				}
			}
			for range rounds {
				var all sync.WaitGroup
				for _, path := range paths {
					for _, size := range []int{1, 30_000} {
						all.Go(func() {
							for moment := byItself; moment <= never; moment++ {
								leave(path, moment, size, false)
								// Over HTTP/1.1, net/http notices that a client has left only once
								// it has read the whole request.
								if moment != byItself && moment != never && (isHTTP2 || path != "/duplex") {
									leave(path, moment, size, true)
								}
							}
						})
					}
				}
				all.Wait()
			}
			transport.CloseIdleConnections()
			server.Close() // waits for the requests
			if left := before.Left(10 * time.Second); left != nil || a.open.Load() != 0 || a.failed.Load() == 0 {
				t.Errorf("%d bodies are open, %d writes have failed, and %d are left", a.open.Load(), a.failed.Load(), len(left))
				for _, l := range left {
					t.Log(l)
				}
			}
		})
	}
}
