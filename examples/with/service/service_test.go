package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"html"
	"image"
	"image/png"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/examples/with/service/api"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/examples/with/service/observe"
	"example.com/flowercafe/examples/with/service/pier"
	"example.com/flowercafe/examples/with/service/store"
	"example.com/flowercafe/examples/with/service/web"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

// service is the whole service over a database in memory.
type service struct {
	*apitest.Client
	handler http.Handler
	data    *store.Store
	log     *bytes.Buffer
}

// start returns the service with a database as in the flag db, below a base path.
func start(t *testing.T, database string) *service { return startBelow(t, "", database) }

func startBelow(t *testing.T, base, database string) *service {
	t.Helper()
	data, err := openStore(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := data.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := data.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	log := new(bytes.Buffer)
	logger := slog.New(observe.IDs(slog.NewJSONHandler(log, nil)))
	site := &web.Site{Logger: logger, Store: data, Secure: true, Proxies: []string{"10.0.0.0/8"},
		IsUser: func(name, password string) bool { return name == "ann" && password == "rose" }}
	access := api.Access{}
	access.Allow("reader", "bookings:read")
	access.Allow("writer", "bookings:read", "bookings:write")
	handler, err := newService(base, site, access, observe.New(logger))
	if err != nil {
		t.Fatal(err)
	}
	return &service{apitest.New(t, handler), handler, data, log}
}

// with returns a client with a token of the API.
func (s *service) with(token string) *apitest.Client {
	return s.WithHeader("Authorization", "Bearer "+token)
}

var party = booking.Details{Room: "attic", Day: "2030-06-01", Name: "Dan Poe", Guests: 5}

func TestAPI(t *testing.T) { onEach(t, testAPI) }

func testAPI(t *testing.T, s *service) {
	writer, reader := s.with("writer"), s.with("reader")
	for _, version := range []string{"v1", "v2"} {
		s.Get("/houses/mill/api/"+version+"/rooms").Want(200, []booking.Room{{ID: "attic", Name: "Attic", Seats: 6}, {ID: "hall", Name: "Great Hall", Seats: 40}})
		s.Get("/houses/mill/api/" + version + "/bookings").Want(401)
		reader.Get("/houses/mill/api/"+version+"/bookings/ann").Want(200, booking.Booking{ID: "ann", Version: 1, Details: booking.Details{
			Room: "attic", Day: "2030-05-04", Name: "Ann Reed", Guests: 4, Note: "A cake, please"}}).WantHeader("ETag", `"1"`)
		reader.Post("/houses/mill/api/"+version+"/bookings", party).Want(403)
	}
	reader.Get("/houses/mill/api/v2/bookings/cleo").Want(404) // of another house
	reader.Get("/houses/none/api/v2/bookings/ann").Want(404)
	s.with("guess").Get("/houses/mill/api/v2/bookings").Want(401)

	const bookings = "/houses/mill/api/v2/bookings"
	var added booking.Booking
	response := writer.Post(bookings, party).Want(201).Decode(&added).WantHeader("ETag", `"1"`)
	if added != (booking.Booking{ID: added.ID, Version: 1, Details: party}) {
		t.Errorf("got %+v", added)
	}
	address, err := url.Parse(bookings)
	if err != nil {
		t.Fatal(err)
	}
	if address, err = address.Parse(response.Header.Get("Location")); err != nil {
		t.Fatal(err)
	}
	reader.Get(address.Path).Want(200, added)
	writer.Post(bookings, party).Want(409).WantText("The room is taken on that day")
	writer.Post(bookings, booking.Details{Room: "attic", Day: "2030-06-02", Name: "Dan", Guests: 7}).Want(409).WantText("The room does not have enough seats")
	writer.Post(bookings, booking.Details{Room: "cellar", Day: "2030-06-02", Name: "Dan", Guests: 7}).Want(404)
	writer.Post(bookings, `{"room": "attic", "day": "soon", "name": "D", "guests": 0}`).Want(422).WantText("/day", "/name", "/guests")
	writer.Post(bookings, booking.Details{Room: "attic", Day: "2020-01-01", Name: "Dan", Guests: 1}).Want(422).WantText("/day", "must be today or later")
	var list []booking.Booking
	if reader.Get(bookings + "?from=2030-06-01").Want(200).Decode(&list); len(list) != 1 || list[0].Details != party {
		t.Errorf("got %+v", list)
	}
}

// A change needs the ETag of the booking's current version.
func TestConditionalChanges(t *testing.T) { onEach(t, testConditionalChanges) }

func testConditionalChanges(t *testing.T, s *service) {
	writer := s.with("writer").WithHeader("Content-Type", "application/merge-patch+json")
	const one = "/houses/mill/api/v2/bookings/ann"
	writer.Patch(one, `{"day": "2030-05-05"}`).Want(428)
	writer.WithHeader("If-Match", `"7"`).Patch(one, `{"day": "2030-05-05"}`).Want(412)
	writer.WithHeader("If-Match", `"7", "1"`).Patch(one, `{"day": "2030-05-05"}`).Want(200).WantHeader("ETag", `"2"`).WantText("A cake")
	writer.WithHeader("If-Match", `"2"`).Patch(one, `{"note": null}`).
		Want(200, booking.Booking{ID: "ann", Version: 3, Details: booking.Details{Room: "attic", Day: "2030-05-05", Name: "Ann Reed", Guests: 4}})
	writer.WithHeader("If-Match", `"3"`).Patch(one, `{"day": null}`).Want(422).WantText("/day")
	writer.WithHeader("If-Match", `"3"`).Patch(one, `{"day": "2020-01-01"}`).Want(422).WantText("must be today or later")
	s.with("writer").Post("/houses/mill/api/v2/bookings", booking.Details{Room: "attic", Day: "2030-05-06", Name: "Eve", Guests: 1}).Want(201)
	writer.WithHeader("If-Match", `*`).Patch(one, `{"day": "2030-05-06"}`).Want(409)
	writer.WithHeader("If-Match", `"1"`).Delete(one).Want(412)
	writer.WithHeader("If-Match", `"3"`).Delete(one).Want(204)
	writer.WithHeader("If-Match", `*`).Delete(one).Want(404)
	writer.Get(one).Want(404)
	writer.Patch("/houses/mill/api/v1/bookings/ben", `{}`).Want(405) // only version 2 has it
}

// Of many concurrent requests for the same room, or changes of the same booking, one succeeds.
func TestTransactions(t *testing.T) { onEach(t, testTransactions) }

func testTransactions(t *testing.T, s *service) {
	const bookings, one = "/houses/mill/api/v2/bookings", "/houses/mill/api/v2/bookings/ben"
	writer := s.with("writer")
	change := writer.WithHeader("Content-Type", "application/merge-patch+json").WithHeader("If-Match", `"1"`)
	added, changed := make([]int, 20), make([]int, 20)
	var wait sync.WaitGroup
	for i := range added {
		wait.Go(func() { added[i] = writer.Post(bookings, party).Status })
		wait.Go(func() { changed[i] = change.Patch(one, `{"note": "first"}`).Status })
	}
	wait.Wait()
	count := func(statuses []int) map[int]int {
		n := make(map[int]int)
		for _, status := range statuses {
			n[status]++
		}
		return n
	}
	if got, want := count(added), (map[int]int{201: 1, 409: 19}); !maps.Equal(got, want) {
		t.Errorf("added: got %v, want %v", got, want)
	}
	if got, want := count(changed), (map[int]int{200: 1, 412: 19}); !maps.Equal(got, want) {
		t.Errorf("changed: got %v, want %v", got, want)
	}
}

func TestPages(t *testing.T) { onEach(t, testPages) }

func testPages(t *testing.T, s *service) {
	s.Get("/").Want(200).WantText(`<a href="/houses/mill/">The Old Mill</a>`)
	s.Get("/houses/mill/").Want(200).WantText("Great Hall", "2030-05-04", `data-events="/houses/mill/events?seen=0"`)
	s.Get("/houses/none/").Want(404)
	s.Get("/houses/mill/book?room=hall").Want(200).WantText(`<option value="hall" selected>`)
	s.Post("/houses/mill/book", apitest.Form{"room": "attic", "day": "soon", "name": "<", "guests": "many", "note": "x"}).Want(422).
		WantText(`role="alert"`, `value="&lt;" `, "Your name must have at least 2 characters.", `value="many"`, "The number of guests must be an integer.", "The day must be")
	s.Post("/houses/mill/book", apitest.Form{"room": "attic", "day": "2030-05-04", "name": "Dan", "guests": 2}).Want(422).WantText("The day is taken")
	s.Post("/houses/mill/book", apitest.Form{"room": "attic", "day": "2030-05-07", "name": "Dan", "guests": 9}).Want(422).WantText("more than the room has seats")
	s.Post("https://example.com/houses/mill/book", apitest.Form{"room": "attic", "day": "2030-05-07", "name": "Dan", "guests": 2}).
		Want(303).WantHeader("Location", "/houses/mill/")
	s.Get("https://example.com/houses/mill/").Want(200).WantText("The room is yours on 2030-05-07.", "2030-05-07")
	// The redirect after the change is not a failure, so the transaction is committed.
	s.with("reader").Get("/houses/mill/api/v2/bookings?from=2030-05-07").Want(200).WantText(`"day":"2030-05-07"`)
	s.Get("/static/style.css").Want(200).WantHeader("Content-Type", "text/css; charset=utf-8")
}

// The plugin overrides the page of one house, and passes for all others.
func TestPlugin(t *testing.T) {
	s := start(t, "")
	s.Get("/houses/pier/").Want(200).WantText("Come aboard!")
	s.Get("/houses/pier/book").Want(200).WantText("Upper Deck")
	s.Get("/houses/mill/").Want(200).WantText("Great Hall")
	for _, path := range []string{"/houses/pier/guests", "/houses/mill/guests"} { // the filter guards both
		s.Get(path).Want(303).WantHeader("Location", "/login")
	}
	s.Post("https://example.com/login", apitest.Form{"name": "ann", "password": "rose"}).Want(303)
	s.Get("https://example.com/houses/pier/guests").Want(200).WantText("at the gangway")
	s.Get("https://example.com/houses/mill/guests").Want(200).WantText("Guests of")
}

// While the plugin's gangway is closed, nobody books at the pier, by any operation or page.
func TestPluginInFrontOfOperations(t *testing.T) {
	s := start(t, "")
	writer := s.with("writer")
	gangway := func(client *apitest.Client, house string, open bool, want int) {
		t.Helper()
		client.Put("/houses/"+house+"/api/v2/gangway", map[string]bool{"open": open}).Want(want)
	}
	gangway(s.Client, "pier", false, 401)
	gangway(s.with("reader"), "pier", false, 403)
	gangway(writer, "mill", false, 404)
	book := func(house, room string) *apitest.Response {
		return writer.Post("/houses/"+house+"/api/v1/bookings", map[string]any{"room": room, "day": "2030-07-01", "name": "Dan Poe", "guests": 2})
	}
	line := []byte(`{"room":"deck","day":"2030-07-02","name":"Dan Poe","guests":2}`)
	load := func() *apitest.Response {
		return writer.WithHeader("Content-Type", "application/jsonl").Post("/houses/pier/api/v2/bookings/import", line)
	}
	gangway(writer, "pier", false, 204)
	book("pier", "deck").Want(503)
	load().Want(503).WantText("The gangway is closed")
	book("mill", "attic").Want(201)
	s.with("reader").Get("/houses/pier/api/v2/bookings").Want(200)
	s.Get("/houses/pier/book").Want(303).WantHeader("Location", "/houses/pier/")
	s.Get("/houses/pier/").Want(200).WantText("The gangway is closed", "1 have asked")
	gangway(writer, "pier", true, 204)
	book("pier", "deck").Want(201)
	load().Want(200)
	s.Post("/houses/pier/api/v1/bookings", map[string]any{}).Want(401) // counted, and refused by the operation
	s.Get("/houses/pier/").Want(200).WantText("Book the upper deck", "3 have asked")
}

// The plugin removes nothing from the description, and adds its operation.
func TestDescriptionWithPlugin(t *testing.T) {
	operations := func(described *apidoc.API) (ids []string) {
		d, err := described.Document()
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`"operationId": "(\w+)"`).FindAllSubmatch(d.OpenAPI(), -1) {
			ids = append(ids, string(found[1]))
		}
		return ids
	}
	data, err := openStore(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	house, token := routing.New(), api.Access{}.Token()
	described := api.Define(house, data, token)
	routing.New().Mount("/houses/:house", house)
	before := operations(described)
	pier.Install(house, described, data, token)
	if got, want := operations(described), append(before, "v2Gangway"); len(before) < 10 || !slices.Equal(got, want) {
		t.Errorf("the operations are %q, want %q", got, want)
	}
}

// Every link and file of the pages exists: at the root, below a base path, and in another app.
func TestLinks(t *testing.T) {
	data, err := openStore(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if err := data.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	outer := routing.New()
	site := &web.Site{Store: data}
	outer.Mount("/outer", site.App("", site.House()))
	for base, handler := range map[string]http.Handler{"": start(t, "").handler, "/stay": startBelow(t, "/stay", "").handler, "/outer": outer} {
		seen := follow(t, apitest.New(t, handler), base)
		for _, path := range []string{"/login", "/houses/mill/rooms/attic", "/houses/mill/book", "/static/style.css", "/static/icon.svg", "/static/live.js"} {
			if !seen[base+path] {
				t.Errorf("base %q: no page links to %s; there are %v", base, path, slices.Sorted(maps.Keys(seen)))
			}
		}
		apitest.New(t, handler).Get(base+"/houses/mill/guests").Want(303).WantHeader("Location", base+"/login")
	}
	startBelow(t, "/stay", "").Get("/stay/houses/mill/api-docs/openapi.json").Want(200).WantText(`"/stay/houses/mill"`)
}

var link = regexp.MustCompile(`(?:href|src)="([^"]+)"`)

// follow requests the site and all that its pages link to, and returns the paths.
func follow(t *testing.T, client *apitest.Client, base string) map[string]bool {
	t.Helper()
	seen, open := map[string]bool{}, []string{cmp.Or(base, "/"), base + "/"}
	for len(open) > 0 {
		page := open[0]
		open = open[1:]
		if seen[page] || strings.Contains(page, "/api-docs/") {
			continue
		}
		seen[page] = true
		response := client.Get(page).Want(200)
		if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
			continue
		}
		at, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(response.Body, -1) {
			to, err := at.Parse(html.UnescapeString(found[1]))
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, to.String())
		}
	}
	return seen
}

func TestSessions(t *testing.T) {
	s := start(t, "")
	const login = "https://example.com/login"
	s.Post(login, apitest.Form{"name": "ann", "password": "wrong"}).Want(422).WantText("The name or the password is wrong.", `value="ann"`)
	cookie := s.Post(login, apitest.Form{"name": "ann", "password": "rose"}).Want(303).Header.Get("Set-Cookie")
	for _, part := range []string{"session=", "HttpOnly", "Secure", "SameSite=Lax"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("got the cookie %q, want it to contain %q", cookie, part)
		}
	}
	s.Get("https://example.com/").WantText("You are ann.")
	s.WithHeader("Origin", "https://evil.example").Post("https://example.com/logout", nil).Want(403)
	s.WithHeader("Sec-Fetch-Site", "same-origin").Post("https://example.com/logout", nil).Want(303)
	if body := s.Get("https://example.com/").Body; strings.Contains(body, "ann") {
		t.Errorf("after the end: %s", body)
	}
}

func TestPhotos(t *testing.T) { onEach(t, testPhotos) }

func testPhotos(t *testing.T, s *service) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	const attic = "https://example.com/houses/mill/rooms/attic"
	upload := func(content []byte) apitest.Form {
		return apitest.Form{"photo": apitest.File{Name: "../../attic.png", Content: content}}
	}
	s.Post(attic, upload(b.Bytes())).Want(403)
	s.Post("https://example.com/login", apitest.Form{"name": "ann", "password": "rose"}).Want(303)
	s.Post(attic, upload([]byte("<script>"))).Want(422).WantText("The photo must be of the type image/png,image/jpeg.")
	s.Post(attic, upload(make([]byte, 10<<20))).Want(413)
	s.Post(strings.Replace(attic, "attic", "none", 1), upload(b.Bytes())).Want(404)
	s.Post(attic, upload(b.Bytes())).Want(303).WantHeader("Location", "/houses/mill/rooms/attic")
	page := s.Get(attic).Want(200).Body
	_, rest, _ := strings.Cut(page, `<img src="`)
	address, _, _ := strings.Cut(rest, `"`)
	s.Get(address).Want(200, b.String()).WantHeader("Content-Type", "image/png")
	s.WithHeader("Range", "bytes=1-3").Get(address).Want(206, "PNG")
	s.WithHeader("If-None-Match", s.Get(address).Header.Get("ETag")).Get(address).Want(304)
	s.Get(strings.Replace(address, "mill", "pier", 1)).Want(404) // of another house
}

func TestOperators(t *testing.T) {
	s := start(t, "")
	s.WithHeader("X-Request-Id", "abc-1").Get("/houses/mill/rooms/attic").Want(200).WantHeader("X-Request-Id", "abc-1")
	if id := s.WithHeader("X-Request-Id", "bad id\n").Get("/houses/none/").Header.Get("X-Request-Id"); len(id) != 26 {
		t.Errorf("got the ID %q, want a new one", id)
	}
	first, _, _ := strings.Cut(s.log.String(), "\n")
	var line struct{ ID, Route string }
	if err := json.Unmarshal([]byte(first), &line); err != nil || line.ID != "abc-1" || line.Route != "GET /houses/:house/rooms/:room" {
		t.Errorf("got the log line %s, %v", first, err)
	}
	s.Get("/metrics").Want(200).WantText(`http_request_seconds_count{route="GET /houses/:house/rooms/:room",status="200"} 1`)
	s.Get("/healthz").Want(200, "ok\n")
	s.Get("/readyz").Want(200, "ok\n")
}

// Text that PostgreSQL refuses does not cause a 500.
func TestTextOfClients(t *testing.T) { onEach(t, testTextOfClients) }

func testTextOfClients(t *testing.T, s *service) {
	for _, path := range []string{"/houses/%00", "/houses/%ff/", "/houses/mill/rooms/%00", "/houses/mill/rooms/%ff"} {
		s.Get(path).Want(404)
	}
	const bookings = "/houses/mill/api/v2/bookings"
	writer := s.with("writer")
	details := `{"room": "attic", "day": "2030-06-01", "guests": 5, "name": "Dan", "note": ""}`
	writer.Post(bookings, strings.Replace(details, "attic", `\u0000`, 1)).Want(404)
	writer.Post(bookings, strings.Replace(details, "Dan", `D\u0000n`, 1)).Want(422).WantText("/name")
	writer.Post(bookings, strings.Replace(details, `""`, `"\u0000"`, 1)).Want(422).WantText("/note")
	writer.WithHeader("If-Match", "*").WithHeader("Content-Type", "application/merge-patch+json").
		Patch(bookings+"/ann", `{"note": "\u0000"}`).Want(422).WantText("/note")
}

// While PostgreSQL is down, clients get a 503. After its restart, the service works again.
func TestDatabaseRestarts(t *testing.T) {
	s := start(t, newDatabase(t))
	paths := []string{"/", "/houses/mill/", "/houses/mill/api/v2/bookings"}
	client := s.with("reader")
	restart := server.Stop(t, syscall.SIGINT) // a fast shutdown
	for range 2 {                             // the first time, there are connections in the pool
		for _, path := range paths {
			if got := client.Get(path).Want(503).WantHeader("Retry-After", "1").Body; strings.Contains(got, "connect") {
				t.Errorf("%s: the client sees %s", path, got)
			}
		}
		client.Get("/readyz").Want(200) // the other hosts have the same database
	}
	if !strings.Contains(s.log.String(), "connection refused") {
		t.Errorf("the log does not say why: %s", s.log)
	}
	restart()
	for _, path := range paths {
		client.Get(path).Want(200)
	}
}

// An error of the database is logged with the request's ID. The client does not see it.
func TestBrokenDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bookings.db")
	s := start(t, file)
	conn, err := sqlite.OpenConn(file)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, "DROP TABLE bookings", nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/houses/mill/", "/houses/mill/api/v2/bookings"} {
		s.log.Reset()
		r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
		r.Header.Set("Authorization", "Bearer reader")
		r.Header.Set("X-Request-Id", "abc-2")
		s.handler.ServeHTTP(w, r)
		if body := w.Body.String(); w.Code != 500 || strings.Contains(body, "bookings") {
			t.Errorf("%s: the client sees %d %s", path, w.Code, body)
		}
		first, _, _ := strings.Cut(s.log.String(), "\n")
		if !strings.Contains(first, "no such table") || !strings.Contains(first, `"id":"abc-2"`) {
			t.Errorf("%s: the log has %s", path, first)
		}
	}
}

// Pages get an event after each change, also by the API. During the shutdown, /readyz responds with
// 503, and the streams end.
func TestEvents(t *testing.T) {
	s := start(t, "")
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	logger := slog.New(slog.DiscardHandler)
	go func() {
		ended <- serving.Run(ctx, serving.NewServer(s.handler, logger), listener, logger, serving.WithDrain(time.Second))
	}()
	address := "http://" + listener.Addr().String()
	response, err := http.Get(address + "/houses/mill/events?seen=0")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	s.with("writer").Post("/houses/mill/api/v1/bookings", party).Want(201)
	const want = ":\n\nevent: change\ndata: 1\n\n"
	event := make([]byte, len(want))
	if _, err := io.ReadFull(response.Body, event); err != nil || string(event) != want {
		t.Fatalf("got %q, %v, want %q", event, err, want)
	}
	end()
	if ready, err := http.Get(address + "/readyz"); err == nil { // it is an error if this comes too late
		ready.Body.Close()
		if ready.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("/readyz: got %d", ready.StatusCode)
		}
	}
	if rest, err := io.ReadAll(response.Body); len(rest) > 0 || err != nil {
		t.Errorf("in the end: %q, %v", rest, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
