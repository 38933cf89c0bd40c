package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/examples/with/service/booking"
)

// This file has what several hosts of one database share.

// Hosts that start at once on a new database all start, also through PgBouncer.
func TestStartAtOnce(t *testing.T) {
	for _, name := range []string{"directly", "PgBouncer"} {
		t.Run(name, func(t *testing.T) {
			address := newDatabase(t)
			if name == "PgBouncer" {
				address, _ = startPooler(t, address)
			}
			var wait sync.WaitGroup
			for range 4 {
				data, err := openStore(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				defer data.Close()
				wait.Go(func() {
					if err := data.Prepare(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			start(t, address).Get("/houses/mill/").Want(200).WantText("2030-05-04")
		})
	}
}

// All that the service does works through PgBouncer.
func TestPooler(t *testing.T) {
	address, _ := startPooler(t, newDatabase(t))
	for name, test := range map[string]func(*testing.T, *service){
		"API": testAPI, "Transactions": testTransactions, "Photos": testPhotos, "Pages": testPages, "TextOfClients": testTextOfClients,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, start(t, address[:strings.LastIndexByte(address, '/')+1]+nameOf(newDatabase(t))))
		})
	}
}

func nameOf(database string) string { return database[strings.LastIndexByte(database, '/')+1:] }

// A user who has logged in on one host is logged in on all, until the logout on any of them.
func TestSharedSessions(t *testing.T) {
	first, second := twoHosts(t)
	const home = "https://example.com/"
	cookie := first.Post(home+"login", apitest.Form{"name": "ann", "password": "rose"}).Want(303).Header.Get("Set-Cookie")
	cookie, _, _ = strings.Cut(cookie, ";")
	second.WithHeader("Cookie", cookie).Get(home).Want(200).WantText("You are ann.")
	second.WithHeader("Cookie", cookie).Post(home+"logout", nil).Want(303)
	if body := first.WithHeader("Cookie", cookie).Get(home).Want(200).Body; strings.Contains(body, "ann") {
		t.Error("the session goes on after the logout")
	}
}

// The logins of a client are counted on all hosts together, by the address that the balancer sees.
func TestLimits(t *testing.T) { onEach(t, testLimits) }

func testLimits(t *testing.T, s *service) {
	login := func(peer, forwarded string) (status int, retryAfter string) {
		r := httptest.NewRequest("POST", "/login", strings.NewReader("name=ann&password=guess"))
		r.RemoteAddr = peer
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Forwarded-For", forwarded)
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		return w.Code, w.Header().Get("Retry-After")
	}
	exhaust := func(peer, forwarded string) {
		t.Helper()
		for n := range loginsPerMinute {
			if status, _ := login(peer, forwarded); status != http.StatusUnprocessableEntity {
				t.Errorf("login %d: got status %d", n+1, status)
			}
		}
		if status, retryAfter := login(peer, forwarded); status != http.StatusTooManyRequests || retryAfter != "60" {
			t.Errorf("login %d: got status %d, Retry-After %q", loginsPerMinute+1, status, retryAfter)
		}
	}
	awaitLongMinute()
	exhaust("10.0.0.1:1000", "192.0.2.1")
	for _, same := range []struct{ peer, forwarded string }{
		{"10.0.0.1:1001", "192.0.2.1"},             // another connection
		{"10.0.0.2:1000", "192.0.2.1"},             // another balancer
		{"10.0.0.1:1000", "192.0.2.77, 192.0.2.1"}, // the client has sent an X-Forwarded-For
	} {
		if status, _ := login(same.peer, same.forwarded); status != http.StatusTooManyRequests {
			t.Errorf("%v: got %d", same, status)
		}
	}
	exhaust("10.0.0.1:1000", "2001:db8::1")
	if status, _ := login("10.0.0.1:1000", "2001:db8::2"); status != http.StatusTooManyRequests { // the same client's network
		t.Errorf("another address of the network: got %d", status)
	}
	for _, other := range []struct{ peer, forwarded string }{
		{"10.0.0.1:1000", "192.0.2.2"},
		{"10.0.0.1:1000", "2001:db8:0:1::1"},
		{"192.0.2.9:1000", "192.0.2.1"}, // not through a balancer
	} {
		if status, _ := login(other.peer, other.forwarded); status != http.StatusUnprocessableEntity {
			t.Errorf("%v: got %d", other, status)
		}
	}
}

// A limit counts the logins on all hosts.
func TestSharedLimits(t *testing.T) {
	first, second := twoHosts(t)
	form := apitest.Form{"name": "ann", "password": "guess"}
	awaitLongMinute()
	for n := range loginsPerMinute {
		[]*service{first, second}[n%2].Post("/login", form).Want(422)
	}
	first.Post("/login", form).Want(429)
	second.Post("/login", form).Want(429)
}

const loginsPerMinute = 10

// awaitLongMinute waits for the next minute if this one ends soon: logins are counted for each.
func awaitLongMinute() {
	if left := time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)); left < 15*time.Second {
		time.Sleep(left)
	}
}

// A request with the same Idempotency-Key changes nothing, on any host, and gets the same response.
func TestIdempotencyKeys(t *testing.T) { onEach(t, testIdempotencyKeys) }

func testIdempotencyKeys(t *testing.T, s *service) {
	writer := s.with("writer").WithHeader("Idempotency-Key", "key-1")
	var first booking.Booking
	response := writer.Post(bookingsPath, party).Want(201).Decode(&first)
	again := writer.Post(bookingsPath, party).Want(201, first)
	for _, name := range []string{"Location", "ETag"} {
		again.WantHeader(name, response.Header.Get(name))
	}
	other := party
	other.Day = "2030-06-02"
	writer.Post(bookingsPath, other).Want(422).WantText("belongs to another request")
	s.with("writer").WithHeader("Idempotency-Key", "key-2").Post(bookingsPath, party).Want(409)
	s.with("writer").WithHeader("Idempotency-Key", "key-2").Post(bookingsPath, other).Want(201) // an error keeps no key
	s.with("writer").WithHeader("Idempotency-Key", strings.Repeat("k", 65)).Post(bookingsPath, other).Want(422)
	s.with("writer").WithHeader("Idempotency-Key", "key-1").Post("/houses/pier/api/v2/bookings", // another house
		booking.Details{Room: "deck", Day: "2030-06-02", Name: "Dan", Guests: 1}).Want(201)

	load := s.with("writer").WithHeader("Content-Type", "application/jsonl").WithHeader("Idempotency-Key", "key-3")
	for range 2 {
		load.Post(importing, line(1)+line(2)).Want(200, `{"added":2}`)
	}
	if got := count(t, s); got != 2+4 {
		t.Errorf("got %d bookings", got)
	}
}

// Of many requests at once with a key, on two hosts, one books, and all get its booking.
func TestIdempotencyKeyAtOnce(t *testing.T) {
	first, second := twoHosts(t)
	ids := make([]string, 20)
	var wait sync.WaitGroup
	for i := range ids {
		host := []*service{first, second}[i%2]
		wait.Go(func() {
			var b booking.Booking
			host.with("writer").WithHeader("Idempotency-Key", "key-1").Post(bookingsPath, party).Want(201).Decode(&b)
			ids[i] = b.ID
		})
	}
	wait.Wait()
	if all := slices.Compact(ids); len(all) != 1 || all[0] == "" {
		t.Errorf("got the IDs %q", all)
	}
}

// The state of the plugin is the same on all hosts.
func TestSharedPlugin(t *testing.T) {
	first, second := twoHosts(t)
	first.with("writer").Put("/houses/pier/api/v2/gangway", map[string]bool{"open": false}).Want(204)
	second.Get("/houses/pier/").Want(200).WantText("The gangway is closed")
	second.with("writer").Put("/houses/pier/api/v2/gangway", map[string]bool{"open": true}).Want(204)
	first.Get("/houses/pier/").Want(200).WantText("Book the upper deck")
}

// What has expired is removed, and nothing else.
func TestRemoveExpired(t *testing.T) { onEach(t, testRemoveExpired) }

func testRemoveExpired(t *testing.T, s *service) {
	ctx, sessions := t.Context(), s.data.Sessions()
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for name, expires := range map[string]time.Time{"old": past, "new": future} {
		if err := sessions.CommitCtx(ctx, name, []byte(name), expires); err != nil {
			t.Fatal(err)
		}
		if _, err := s.data.Count(ctx, name, expires); err != nil {
			t.Fatal(err)
		}
	}
	if _, found, err := sessions.FindCtx(ctx, "old"); found || err != nil {
		t.Errorf("a session that has expired: got %t, %v", found, err)
	}
	if err := s.data.RemoveExpired(ctx); err != nil {
		t.Fatal(err)
	}
	if content, _, err := sessions.FindCtx(ctx, "new"); string(content) != "new" || err != nil {
		t.Errorf("got %q, %v", content, err)
	}
	for name, want := range map[string]int{"old": 0, "new": 1} {
		if n, err := s.data.Counter(ctx, name); n != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", name, n, err, want)
		}
	}
}

// Hosts with the same file have the same password and token. A file with anything else is refused.
func TestSecrets(t *testing.T) {
	name := filepath.Join(t.TempDir(), "secrets")
	for text, want := range map[string][2]string{"rose\nwriter\n": {"rose", "writer"}, "": {}, "rose": {}, "a b c": {}} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		password, token, err := readSecrets(name)
		if got := [2]string{password, token}; got != want || (err == nil) != (want[0] != "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	if _, _, err := readSecrets(name + "x"); err == nil {
		t.Error("a file that does not exist is no error")
	}
	err := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-db", "host=127.0.0.1 port=1"}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "-secrets FILE") {
		t.Errorf("PostgreSQL without -secrets: got %v", err)
	}
}

// twoHosts returns two services with one database.
func twoHosts(t *testing.T) (first, second *service) {
	address := newDatabase(t)
	return start(t, address), start(t, address)
}
