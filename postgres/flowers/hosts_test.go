package flowers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file serves one catalog from several apps, and kills the server.

// Limits against hanging, far above what a slow machine needs: grace is the time after a wait
// limit, hangGuard is for what has no other limit.
const (
	grace     = 10 * time.Second
	hangGuard = time.Minute
)

// serve starts an app with a new store and returns its address.
func serve(t *testing.T, dsn string, wait time.Duration, options ...flowers.Option) string {
	t.Helper()
	store := open(t, dsn, append(options, flowers.WithAcquireTimeout(wait))...)
	app, err := flowercatalog.New(flowercatalog.WithStore(store), flowercatalog.WithStoreTimeout(wait),
		flowercatalog.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(app)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// many returns flowers.
func many(n int) []flowercatalog.Flower {
	all := make([]flowercatalog.Flower, n)
	for i := range all {
		all[i] = flowercatalog.Flower{Slug: fmt.Sprintf("flower-%07d", i), Name: fmt.Sprintf("Flower No. %07d", i)}
	}
	return all
}

// get returns the status, the header and the body. An incomplete response is an error.
func get(address, tag string) (int, http.Header, []byte, error) {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, nil, err
	}
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, body, err
}

func TestTagsOfTwoHosts(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(10)...)
	hosts := []string{serve(t, dsn, hangGuard), serve(t, dsn, hangGuard)}
	var before []string
	for _, all := range [][]flowercatalog.Flower{many(10), many(9)} {
		load(t, dsn, all...)
		var tags []string
		for _, path := range []string{"/flowers/", "/flowers/flower-0000003", "/flowers/?name=NO.%20000"} {
			_, header, first, err := get(hosts[0]+path, "")
			if err != nil {
				t.Fatal(err)
			}
			tag := header.Get("ETag")
			_, header, second, err := get(hosts[1]+path, "")
			if err != nil || tag == "" || header.Get("ETag") != tag || !bytes.Equal(first, second) {
				t.Errorf("%s: got tags %s and %s, %v, want the same for the same body", path, tag, header.Get("ETag"), err)
			}
			if status, _, _, err := get(hosts[1]+path, tag); err != nil || status != http.StatusNotModified {
				t.Errorf("%s: the other host's tag: got %d, %v, want 304", path, status, err)
			}
			tags = append(tags, tag)
		}
		if before != nil && (tags[0] == before[0] || tags[1] != before[1] || tags[2] == before[2]) {
			t.Errorf("after another load: got tags %s after %s, want those of the lists to change, and that of the flower to stay", tags, before)
		}
		before = tags
	}
}

// TestServerKilledInLists kills the server several times while clients of two hosts read lists.
// Every complete list is correct.
func TestServerKilledInLists(t *testing.T) {
	const wait = 6 * time.Second
	s := servertest.New(t)
	dsn := s.Database(t)
	all := many(30_000)
	load(t, dsn, all...)
	hosts := []string{serve(t, dsn, wait), serve(t, dsn, wait)}
	_, _, want, err := get(hosts[0]+"/flowers/", "")
	var decoded []flowercatalog.Flower
	if err != nil || json.Unmarshal(want, &decoded) != nil || len(decoded) != len(all) {
		t.Fatalf("before: got %d flowers, %v, want %d", len(decoded), err, len(all))
	}
	var whole, broken, busy atomic.Int64
	var over atomic.Bool
	var clients sync.WaitGroup
	for c := range 6 {
		clients.Go(func() {
			for !over.Load() {
				begin := time.Now()
				status, header, body, err := get(hosts[c%2]+"/flowers/", "")
				switch {
				case err != nil:
					broken.Add(1)
				case status == http.StatusOK && bytes.Equal(body, want):
					whole.Add(1)
				case status == http.StatusServiceUnavailable && header.Get("Retry-After") != "":
					if spent := time.Since(begin); spent > wait+grace {
						t.Errorf("got 503 after %v, want it within %v", spent, wait+grace)
					}
					busy.Add(1)
				default:
					t.Errorf("got %d with %d bytes, want 200 with %d, or 503, or nothing whole", status, len(body), len(want))
				}
			}
		})
	}
	for round := range 6 {
		time.Sleep(time.Duration(150+37*round) * time.Millisecond)
		s.Kill()
		if round == 3 { // for longer than the acquire timeout
			begin := time.Now()
			status, header, _, err := get(hosts[0]+"/flowers/flower-0000001", "")
			if spent := time.Since(begin); err != nil || status != 503 || header.Get("Retry-After") == "" || spent > wait+grace {
				t.Errorf("without a server: got %d, %v after %v, want 503 with Retry-After within %v", status, err, spent, wait+grace)
			}
		}
		s.Start()
	}
	time.Sleep(200 * time.Millisecond)
	for end := time.Now().Add(hangGuard); whole.Load() == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	over.Store(true)
	clients.Wait()
	t.Logf("6 kills: %d lists whole, %d connections aborted, %d times 503; 0 torn lists that look whole", whole.Load(), broken.Load(), busy.Load())
	if whole.Load() == 0 || broken.Load()+busy.Load() == 0 {
		t.Error("the kills were not in lists: the test tests nothing")
	}
}

// TestSlowReaders: lists whose clients have stopped reading hold no connections.
func TestSlowReaders(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(100_000)...)
	host := serve(t, dsn, hangGuard, flowers.WithPoolSize(2))
	for range 10 {
		conn, err := net.Dial("tcp", host[len("http://"):])
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "GET /flowers/ HTTP/1.1\r\nHost: cafe\r\n\r\n")
		if _, err := conn.Read(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		if status, _, _, err := get(fmt.Sprintf("%s/flowers/flower-%07d", host, i), ""); err != nil || status != http.StatusOK {
			t.Fatalf("beside 10 clients that do not read: got %d, %v, want 200", status, err)
		}
	}
}

// TestReadersDuringLoad reads flowers while they are replaced.
func TestReadersDuringLoad(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(20_000)...)
	store := open(t, dsn)
	loaded := make(chan error, 1)
	go func() {
		_, err := flowers.Load(t.Context(), dsn, sequence(many(50_000)...))
		loaded <- err
	}()
	var longest time.Duration
	reads := 0
	for done := false; !done; reads++ {
		select {
		case err := <-loaded:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
		begin := time.Now()
		if _, err := store.Find(t.Context(), "flower-0000001"); err != nil {
			t.Fatal(err)
		}
		longest = max(longest, time.Since(begin))
		n := 0
		err := store.List(t.Context(), flowercatalog.Page{}, func(flowercatalog.Flower) error {
			n++
			return nil
		})
		if err == nil && n != 20_000 && n != 50_000 || err != nil && !errors.Is(err, flowercatalog.ErrChanged) {
			t.Fatalf("list: got %d flowers, %v", n, err)
		}
	}
	t.Logf("%d reads while 50,000 flowers were loaded; the longest took %v", reads, longest)
}

// changing is a store whose flowers are replaced while each list is read.
type changing struct {
	*flowers.Store
	change func()
}

func (s changing) List(ctx context.Context, page flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	number := 0
	return s.Store.List(ctx, page, func(f flowercatalog.Flower) error {
		if number++; number == 1 {
			s.change()
		}
		return each(f)
	})
}

// TestListChangesTwice: a page that changes each time it is read is a 503.
func TestListChangesTwice(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	loaded := 2500 // more than a store reads at a time
	load(t, dsn, many(loaded)...)
	app, err := flowercatalog.New(flowercatalog.WithStore(changing{open(t, dsn), func() {
		loaded++
		load(t, dsn, many(loaded)...)
	}}), flowercatalog.WithPageSize(10_000))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/flowers/", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("got %d, want 503 with Retry-After", w.Code)
	}
}
