package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/examples/with/service/api"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/examples/with/service/observe"
	"example.com/flowercafe/examples/with/service/web"
)

// service is the whole service over a database in memory.
type service struct {
	*apitest.Client
	handler http.Handler
	log     *bytes.Buffer
	end     context.CancelFunc
}

func start(t *testing.T) *service {
	t.Helper()
	data, err := openStore(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := data.Close(); err != nil {
			t.Error(err)
		}
	})
	photos, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { photos.Close() })
	life, end := context.WithCancel(t.Context())
	log := new(bytes.Buffer)
	site := &web.Site{Life: life, Store: data, Photos: photos, Secure: true, IsUser: func(name, password string) bool { return name == "ann" && password == "rose" }}
	access := []api.Access{{Token: "reader", Scopes: []string{"bookings:read"}}, {Token: "writer", Scopes: []string{"bookings:read", "bookings:write"}}}
	handler, err := newService(site, access, &observe.Observer{Logger: slog.New(slog.NewJSONHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return &service{apitest.New(t, handler), handler, log, end}
}

// with returns a client with a token of the API.
func (s *service) with(token string) *apitest.Client { return s.With("Authorization", "Bearer "+token) }

var party = booking.Wish{Room: "attic", Day: "2030-06-01", Name: "Dan Poe", Guests: 5}

func TestAPI(t *testing.T) {
	s := start(t)
	writer, reader := s.with("writer"), s.with("reader")
	for _, version := range []string{"v1", "v2"} {
		s.Get("/houses/mill/api/"+version+"/rooms").Want(200, []booking.Room{{ID: "attic", Name: "Attic", Seats: 6}, {ID: "hall", Name: "Great Hall", Seats: 40}})
		s.Get("/houses/mill/api/" + version + "/bookings").Want(401)
		reader.Get("/houses/mill/api/"+version+"/bookings/1").Want(200, booking.Booking{ID: 1, Version: 1, Wish: booking.Wish{
			Room: "attic", Day: "2030-05-04", Name: "Ann Reed", Guests: 4, Note: "A cake, please"}}).WantHeader("ETag", `"1-1"`)
		reader.Post("/houses/mill/api/"+version+"/bookings", party).Want(403)
	}
	reader.Get("/houses/mill/api/v2/bookings/3").Want(404) // of another house
	reader.Get("/houses/none/api/v2/bookings/1").Want(404)
	s.with("guess").Get("/houses/mill/api/v2/bookings").Want(401)

	const bookings = "/houses/mill/api/v2/bookings"
	writer.Post(bookings, party).Want(201, booking.Booking{ID: 4, Version: 1, Wish: party}).WantHeader("Location", "bookings/4")
	writer.Post(bookings, party).Want(409).WantText("The room is taken on that day")
	writer.Post(bookings, booking.Wish{Room: "attic", Day: "2030-06-02", Name: "Dan", Guests: 7}).Want(409).WantText("too small")
	writer.Post(bookings, booking.Wish{Room: "cellar", Day: "2030-06-02", Name: "Dan", Guests: 7}).Want(404)
	writer.Post(bookings, `{"room": "attic", "day": "soon", "name": "D", "guests": 0}`).Want(422).WantText("/day", "/name", "/guests")
	var list []booking.Booking
	if reader.Get(bookings + "?from=2030-06-01").Want(200).Decode(&list); len(list) != 1 || list[0].Wish != party {
		t.Errorf("got %+v", list)
	}
}

// A booking is changed only by who has seen its last version.
func TestConditionalChanges(t *testing.T) {
	s := start(t)
	writer := s.with("writer").With("Content-Type", "application/merge-patch+json")
	const one = "/houses/mill/api/v2/bookings/1"
	writer.Patch(one, `{"guests": 5}`).Want(428)
	writer.With("If-Match", `"1-7"`).Patch(one, `{"guests": 5}`).Want(412)
	writer.With("If-Match", `"1-7", "1-1"`).Patch(one, `{"guests": 5}`).Want(200).WantHeader("ETag", `"1-2"`).WantText("A cake")
	writer.With("If-Match", `"1-2"`).Patch(one, `{"note": null}`).
		Want(200, booking.Booking{ID: 1, Version: 3, Wish: booking.Wish{Room: "attic", Day: "2030-05-04", Name: "Ann Reed", Guests: 5}})
	writer.With("If-Match", `*`).Patch(one, `{"guests": 7}`).Want(409)
	writer.With("If-Match", `"1-1"`).Delete(one).Want(412)
	writer.With("If-Match", `"1-3"`).Delete(one).Want(204)
	writer.Get(one).Want(404)
	writer.Patch("/houses/mill/api/v1/bookings/2", `{}`).Want(405) // only version 2 has it
}

// Of many that want the same room at once, one gets it.
func TestTransactions(t *testing.T) {
	s := start(t)
	var wait sync.WaitGroup
	statuses := make([]int, 20)
	for i := range statuses {
		wait.Go(func() { statuses[i] = s.with("writer").Post("/houses/mill/api/v2/bookings", party).Status })
	}
	wait.Wait()
	count := make(map[int]int)
	for _, status := range statuses {
		count[status]++
	}
	if count[201] != 1 || count[409] != len(statuses)-1 {
		t.Errorf("got the statuses %v", count)
	}
}

func TestPages(t *testing.T) {
	s := start(t)
	s.Get("/").Want(200).WantText(`<a href="houses/mill/">The Old Mill</a>`)
	s.Get("/houses/mill/").Want(200).WantText("Great Hall", "2030-05-04", `data-events="/houses/mill/events"`)
	s.Get("/houses/none/").Want(404)
	s.Get("/houses/mill/book?room=hall").Want(200).WantText(`<option value="hall" selected>`)
	s.Post("/houses/mill/book", apitest.Form{"room": "attic", "day": "soon", "name": "<", "guests": "many", "note": "x"}).Want(422).
		WantText(`role="alert"`, `value="&lt;" `, "Your name must have at least 2 characters.", `value="many"`, "The number of guests must be an integer.", "The day must be")
	s.Post("/houses/mill/book", apitest.Form{"room": "attic", "day": "2030-05-04", "name": "Dan", "guests": 2}).Want(422).WantText("The day is taken")
	s.Post("/houses/mill/book", apitest.Form{"room": "attic", "day": "2030-05-07", "name": "Dan", "guests": 9}).Want(422).WantText("more than the room has seats")
	s.Post("https://example.com/houses/mill/book", apitest.Form{"room": "attic", "day": "2030-05-07", "name": "Dan", "guests": 2}).
		Want(303).WantHeader("Location", "/houses/mill/")
	s.Get("https://example.com/houses/mill/").Want(200).WantText("The room is yours on 2030-05-07.", "2030-05-07")
	s.Get("/static/style.css").Want(200).WantHeader("Content-Type", "text/css; charset=utf-8")
	s.Get("/houses/mill/api-docs/openapi.json").Want(200).WantText(`"/houses/mill"`)
}

// The plugin overrides the booking page on holidays, and passes on other days.
func TestHolidays(t *testing.T) {
	s := start(t)
	s.Get("/houses/mill/book?day=2030-12-25").Want(409).WantText("The house is closed on that day.")
	s.Post("/houses/mill/book", apitest.Form{"room": "hall", "day": "2030-12-25", "name": "Dan", "guests": 2}).Want(409)
	s.Get("/houses/mill/book?day=2030-12-24").Want(200).WantText(`value="2030-12-24"`)
}

func TestSessions(t *testing.T) {
	s := start(t)
	const login = "https://example.com/login"
	s.Post(login, apitest.Form{"name": "ann", "password": "wrong"}).Want(422).WantText("The name or the password is wrong.", `value="ann"`)
	cookie := s.Post(login, apitest.Form{"name": "ann", "password": "rose"}).Want(303).Header.Get("Set-Cookie")
	for _, part := range []string{"session=", "HttpOnly", "Secure", "SameSite=Lax"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("got the cookie %q, want it to contain %q", cookie, part)
		}
	}
	s.Get("https://example.com/").WantText("You are ann.")
	s.With("Origin", "https://evil.example").Post("https://example.com/logout", nil).Want(403)
	s.With("Sec-Fetch-Site", "same-origin").Post("https://example.com/logout", nil).Want(303)
	if body := s.Get("https://example.com/").Body; strings.Contains(body, "ann") {
		t.Errorf("after the end: %s", body)
	}
}

func TestPhotos(t *testing.T) {
	s := start(t)
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
	s.With("Range", "bytes=1-3").Get(address).Want(206, "PNG")
	s.With("If-None-Match", s.Get(address).Header.Get("ETag")).Get(address).Want(304)
	s.Get(strings.Replace(address, "mill", "pier", 1)).Want(404) // of another house
}

func TestOperators(t *testing.T) {
	s := start(t)
	s.With("X-Request-Id", "abc-1").Get("/houses/mill/rooms/attic").Want(200).WantHeader("X-Request-Id", "abc-1")
	if id := s.With("X-Request-Id", "bad id\n").Get("/houses/none/").Header.Get("X-Request-Id"); len(id) != 26 {
		t.Errorf("got the ID %q, want a new one", id)
	}
	first, _, _ := strings.Cut(s.log.String(), "\n")
	var line struct{ ID, Route string }
	if err := json.Unmarshal([]byte(first), &line); err != nil || line.ID != "abc-1" || line.Route != "GET /houses/:house/rooms/:room" {
		t.Errorf("got the log line %s, %v", first, err)
	}
	s.Get("/metrics").Want(200).WantText(`http_requests_total{route="GET /houses/:house/rooms/:room",status="200"} 1`)
	s.Get("/healthz").Want(200, "ok\n")
	s.Get("/readyz").Want(200, "ok\n")
	s.end()
	s.Get("/readyz").Want(503)
	s.Get("/healthz").Want(200)
}

// Pages hear of bookings, those of the API too, and their streams end with the service.
func TestEvents(t *testing.T) {
	s := start(t)
	server := newServer(t, s.handler)
	response, err := http.Get(server + "/houses/mill/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	head := make([]byte, 3)
	if _, err := io.ReadFull(response.Body, head); err != nil || string(head) != ":\n\n" {
		t.Fatalf("got %q, %v, want a comment first", head, err)
	}
	s.with("writer").Post("/houses/mill/api/v1/bookings", party).Want(201)
	const want = "event: booking\ndata: mill\n\n"
	event := make([]byte, len(want))
	if _, err := io.ReadFull(response.Body, event); err != nil || string(event) != want {
		t.Fatalf("got %q, %v", event, err)
	}
	s.end()
	if rest, err := io.ReadAll(response.Body); len(rest) > 0 || err != nil {
		t.Errorf("in the end: %q, %v", rest, err)
	}
}
