package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"example.com/flowercafe/routing"
)

// browser is a client with cookies that does not follow redirects.
type browser struct {
	*testing.T
	http.Client
	address string
}

// start serves the site below a prefix, as in a larger service.
func start(t *testing.T) (b *browser, end func()) {
	t.Helper()
	photos, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { photos.Close() })
	life, end := context.WithCancel(t.Context())
	outer := routing.New()
	outer.Mount("/flowers", newSite(life, photos, false, func(name, password string) bool { return name == "ann" && password == "rose" }))
	server := httptest.NewServer(outer)
	t.Cleanup(func() { end(); server.Close() })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, server.URL + "/flowers"}, end
}

// ask sends a request and returns the response with its whole body.
func (b *browser) ask(method, path, contentType, body string, header ...string) (*http.Response, string) {
	b.Helper()
	r, err := http.NewRequest(method, b.address+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := b.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return response, string(content)
}

const form = "application/x-www-form-urlencoded"

func (b *browser) login() {
	b.Helper()
	if response, body := b.ask("POST", "/login", form, "name=ann&password=rose"); response.StatusCode != 303 {
		b.Fatalf("log in: %d %s", response.StatusCode, body)
	}
}

// upload sends a file and the name of its flower.
func (b *browser) upload(flower string, file []byte) (*http.Response, string) {
	b.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	if file != nil {
		part, err := w.CreateFormFile("photo", "../../photo.png")
		if err != nil {
			b.Fatal(err)
		}
		part.Write(file)
	}
	if flower != "" {
		w.WriteField("flower", flower)
	}
	w.Close()
	return b.ask("POST", "/members/photos", w.FormDataContentType(), body.String())
}

// problem checks problem details.
func (b *browser) problem(response *http.Response, body string, status int, detail string) {
	b.Helper()
	var p struct{ Type, Title, Detail string }
	err := json.Unmarshal([]byte(body), &p)
	if response.StatusCode != status || response.Header.Get("Content-Type") != "application/problem+json" ||
		err != nil || p.Detail != detail || p.Title != http.StatusText(status) {
		b.Errorf("got %d %s %s, want %d with %q", response.StatusCode, response.Header.Get("Content-Type"), body, status, detail)
	}
}

func photo(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSessions(t *testing.T) {
	b, _ := start(t)
	if _, body := b.ask("GET", "/", "", ""); !strings.Contains(body, `action="login"`) || !strings.Contains(body, `<base href="/flowers/">`) {
		t.Errorf("before the login: %s", body)
	}
	for _, form := range []string{"name=ann&password=wrong", "name=ben&password=rose", "password=rose", ""} {
		response, body := b.ask("POST", "/login", "application/x-www-form-urlencoded", form)
		b.problem(response, body, 403, "The name or the password is wrong.")
	}
	response, _ := b.ask("POST", "/login", form, "name=ann&password=rose")
	if cookie := response.Header.Get("Set-Cookie"); response.StatusCode != 303 || response.Header.Get("Location") != "/flowers/" ||
		!strings.HasPrefix(cookie, "session=") || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") {
		t.Errorf("log in: %d %v", response.StatusCode, response.Header)
	}
	if response, body := b.ask("GET", "/", "", ""); !strings.Contains(body, "You are ann.") || response.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("after the login: %s", body)
	}
	if response, _ := b.ask("POST", "/logout", form, ""); response.StatusCode != 303 {
		t.Errorf("log out: %d", response.StatusCode)
	}
	if _, body := b.ask("GET", "/", "", ""); strings.Contains(body, "ann") {
		t.Errorf("after the end: %s", body)
	}
}

func TestOtherSites(t *testing.T) {
	b, _ := start(t)
	b.login()
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		response, body := b.ask("POST", "/logout", form, "", header...)
		b.problem(response, body, 403, "The request comes from another site.")
	}
	if response, _ := b.ask("POST", "/logout", form, "", "Sec-Fetch-Site", "same-origin"); response.StatusCode != 303 {
		t.Errorf("from the site itself: %d", response.StatusCode)
	}
}

func TestProblems(t *testing.T) {
	b, _ := start(t)
	for _, path := range []string{"/members/photos/rose.png", "/members/events", "/members/echo", "/members/none"} {
		response, body := b.ask("GET", path, "", "")
		b.problem(response, body, 403, "Log in first.")
	}
	b.login()
	response, body := b.ask("GET", "/members/photos/none.png", "", "")
	b.problem(response, body, 404, "")
	response, body = b.ask("GET", "/members/photos/..%2fsecret", "", "")
	b.problem(response, body, 404, "")
	response, body = b.ask("DELETE", "/login", "", "")
	b.problem(response, body, 405, "")
	response, body = b.ask("GET", "/none", "", "", "Accept", "text/html")
	if response.StatusCode != 404 || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		t.Errorf("for people: %d %s", response.StatusCode, body)
	}
	if response, body := b.ask("GET", "/static/photos.js", "", ""); response.StatusCode != 200 || !strings.Contains(body, "EventSource") {
		t.Errorf("the script: %d %s", response.StatusCode, body)
	}
}

func TestUpload(t *testing.T) {
	b, _ := start(t)
	b.login()
	rose := photo(t)
	if response, body := b.upload("rose", rose); response.StatusCode != 303 || response.Header.Get("Location") != "/flowers/" {
		t.Fatalf("upload: %d %s", response.StatusCode, body)
	}
	response, body := b.ask("GET", "/members/photos/rose.png", "", "")
	if response.StatusCode != 200 || body != string(rose) || response.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the photo: %d, %d bytes, %v", response.StatusCode, len(body), response.Header)
	}
	if response, _ := b.ask("GET", "/members/photos/rose.png", "", "", "If-None-Match", response.Header.Get("ETag")); response.StatusCode != 304 {
		t.Errorf("asked again: %d", response.StatusCode)
	}
	if _, body := b.ask("GET", "/", "", ""); strings.Count(body, "<li>") != 1 || !strings.Contains(body, `<a href="members/photos/rose.png">rose.png</a>`) {
		t.Errorf("the list: %s", body)
	}
	const wanted = "Upload a PNG or JPEG, and name the flower in letters a to z, digits and hyphens."
	for _, test := range []struct {
		name, flower string
		file         []byte
		status       int
		detail       string
	}{
		{"there is one", "rose", rose, 409, "There is a photo of that flower."},
		{"no name", "", rose, 400, `The parameter "flower" is missing.`},
		{"no file", "tulip", nil, 400, ""},
		{"an empty file", "tulip", []byte{}, 422, wanted},
		{"a page", "tulip", []byte("<!doctype html><script>"), 422, wanted},
		{"a path", "../tulip", rose, 422, wanted},
		{"more than 8 MiB", "tulip", append(rose, make([]byte, 8<<20)...), 413, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			response, body := b.upload(test.flower, test.file)
			b.problem(response, body, test.status, test.detail)
		})
	}
	large := append(photo(t), make([]byte, 7<<20)...)
	if response, body := b.upload("large", large); response.StatusCode != 303 {
		t.Errorf("7 MiB: %d %s", response.StatusCode, body)
	}
	if _, body := b.ask("GET", "/", "", ""); strings.Count(body, "<li>") != 2 {
		t.Errorf("the list in the end: %s", body)
	}
}

func TestEvents(t *testing.T) {
	b, end := start(t)
	b.login()
	response, err := b.Get(b.address + "/members/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %v", response.StatusCode, response.Header)
	}
	lines := bufio.NewReader(response.Body)
	if comment, err := lines.ReadString('\n'); comment != ":\n" || err != nil {
		t.Fatalf("got %q, %v, want a comment first", comment, err)
	}
	lines.ReadString('\n')
	for _, flower := range []string{"rose", "tulip"} {
		b.upload(flower, photo(t))
		var event strings.Builder
		for range 3 {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			event.WriteString(line)
		}
		if want := "event: photo\ndata: " + flower + ".png\n\n"; event.String() != want {
			t.Errorf("got %q, want %q", event.String(), want)
		}
	}
	end() // shuts the service down
	if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
		t.Errorf("in the end: %q, %v", rest, err)
	}
}

func TestEcho(t *testing.T) {
	b, end := start(t)
	b.login()
	dial := func(header http.Header) (*websocket.Conn, *http.Response, error) {
		client := http.Client{Jar: b.Jar}
		return websocket.Dial(t.Context(), b.address+"/members/echo", &websocket.DialOptions{HTTPClient: &client, HTTPHeader: header})
	}
	conn, _, err := dial(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	for _, text := range []string{"hello", "again"} {
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, got, err := conn.Read(t.Context()); string(got) != "ann: "+text || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if _, response, err := dial(http.Header{"Origin": {"https://evil.example"}}); err == nil || response.StatusCode != 403 {
		t.Errorf("from another site: %v", err)
	}
	end()
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("in the end: %v", err)
	}
}
