package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/serving"
)

// This file tests the import of bookings by a slow client, over a server with short timeouts.

// timeout is the server's ReadTimeout and WriteTimeout. Clients send for several times as long.
const timeout = 300 * time.Millisecond

const importing = "/houses/mill/api/v2/bookings/import"

func TestImport(t *testing.T) { onEach(t, testImport) }

func testImport(t *testing.T, s *service) {
	for name, test := range map[string]struct {
		lines  []string
		status int
		want   string // in the response
	}{
		"all":        {[]string{line(1), line(2), line(3)}, 200, `{"added":3}`},
		"taken":      {[]string{line(6), line(7), line(6)}, 409, "Booking 3: room attic on 2031-01-06"},
		"breaks off": {[]string{line(8), line(9), breaks}, 0, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			before := count(t, s)
			server := httptest.NewUnstartedServer(nil)
			server.Config = serving.NewServer(s.handler, slog.New(slog.DiscardHandler))
			server.Config.ReadTimeout, server.Config.WriteTimeout = timeout, timeout
			server.Start()
			status, body := post(t, server, &slowLines{t: t, service: s, lines: test.lines})
			server.Close() // waits until the request has ended, also if its client has left before
			if status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("got %d %s, want %d %s", status, body, test.status, test.want)
			}
			added := 1 // by the other client, while this one sent
			if test.status == http.StatusOK {
				added += len(test.lines)
			}
			if got := count(t, s) - before; got != added {
				t.Errorf("the database has %d more bookings, want %d", got, added)
			}
		})
	}
}

// An import is refused as a whole, with the errors of all lines.
func TestImportsThatAreRefused(t *testing.T) {
	s := start(t, "")
	before := count(t, s)
	writer := s.with("writer").WithHeader("Content-Type", "application/jsonl")
	wrong := strings.Replace(line(3), "2031-01-03", "soon", 1)
	writer.Post(importing, line(1)+"{}\n"+line(2)+wrong).Want(422).
		WantText(`"line":2`, `"line":4`, "/day", "unprocessable_entity", "; and 2 more")
	writer.Post(importing, strings.Repeat("{}\n", 1000)).Want(422).WantText("; and 97 more")
	writer.Post(importing, line(1)+"Dan Poe").Want(400).WantText("Line 2 is not JSON")
	writer.Post(importing, line(1)+strings.Replace(line(2), "attic", "cellar", 1)).Want(404).WantText("Booking 2")
	writer.Post(importing, line(1)+strings.Replace(line(2), `"guests":5`, `"guests":7`, 1)).Want(409).WantText("Booking 2")
	writer.Post(importing, strings.Repeat(line(1), 1<<20/len(line(1))+1)).Want(413)
	s.with("reader").WithHeader("Content-Type", "application/jsonl").Post(importing, line(1)).Want(403)
	s.WithHeader("Content-Type", "application/jsonl").Post(importing, line(1)).Want(401)
	if got := count(t, s); got != before {
		t.Errorf("the database has %d bookings, and had %d", got, before)
	}
}

// line is a booking of the attic on a day of January.
func line(day int) string {
	text, err := json.Marshal(booking.Details{Room: "attic", Day: fmt.Sprintf("2031-01-%02d", day), Name: "Dan Poe", Guests: 5})
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// breaks is the line at which a client disconnects.
const breaks = "disconnect"

// slowLines is the body of a slow client. While it sends, another client books a room of the same
// house.
type slowLines struct {
	t       *testing.T
	service *service
	lines   []string
	sent    int
}

func (s *slowLines) Read(p []byte) (int, error) {
	if s.sent == len(s.lines) {
		return 0, io.EOF
	}
	if s.sent < 2 {
		time.Sleep(timeout)
	}
	next := s.lines[s.sent]
	if next == breaks {
		return 0, io.ErrUnexpectedEOF
	}
	if s.sent++; s.sent == 2 {
		other := booking.Details{Room: "hall", Day: time.Now().AddDate(0, 0, len(s.service.bookings(s.t))).Format(time.DateOnly), Name: "Eve", Guests: 1}
		s.service.with("writer").Post("/houses/mill/api/v2/bookings", other).Want(201)
	}
	return copy(p, next), nil
}

// post sends an import, and returns the status 0 if it breaks off.
func post(t *testing.T, server *httptest.Server, lines io.Reader) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+importing, lines)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/jsonl"}, "Authorization": {"Bearer writer"}}
	response, err := server.Client().Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(text)
}

// bookings returns all bookings of the house in the database.
func (s *service) bookings(t *testing.T) []booking.Booking {
	t.Helper()
	all, err := s.data.Bookings(t.Context(), "mill", "")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func count(t *testing.T, s *service) int { return len(s.bookings(t)) }
