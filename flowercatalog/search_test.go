package flowercatalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

func find(app http.Handler, text string) string {
	return ask(app, "GET", "/flowers/?"+url.Values{"name": {text}}.Encode()).Body.String()
}

// The response is a JSON array of the flowers found: of a few, of neighbors, and of more than one
// write, with an index and without.
func TestSearchWritesJSON(t *testing.T) {
	sizes := []int{0, 1, 2, 9, 700, 20_000}
	if testing.Short() {
		sizes[5] = 2000 // more than is written at once
	}
	for _, n := range sizes {
		flowers := make([]flowercatalog.Flower, n)
		for i := range flowers {
			flowers[i] = flowercatalog.Flower{Slug: fmt.Sprint("f", i), Name: fmt.Sprintf("Ärger %d <&> %s", i, strings.Repeat("x", i%5))}
		}
		app := newApp(t, flowercatalog.WithFlowers(flowers...))
		folded := make([]string, n)
		for i, f := range flowers {
			folded[i] = reference(f.Name)
		}
		for _, text := range []string{"ä", "ärger", "x", "xx", "xxxx", "r 1", "7", "77", "r 13", "<", "19999", "none at all"} {
			found := []flowercatalog.Flower{}
			for i, f := range flowers {
				if strings.Contains(folded[i], reference(text)) {
					found = append(found, f)
				}
			}
			want, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			if got := find(app, text); got != string(want) {
				t.Errorf("%q in %d flowers: got %d bytes %.100s…, want %d bytes %.100s…", text, n, len(got), got, len(want), want)
			}
		}
	}
}

// Bytes that are not UTF-8 become U+FFFD, so a part of a letter's bytes does not find the letter.
func TestSearchForInvalidUTF8(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(flowercatalog.Flower{Slug: "a", Name: "Gül"}, flowercatalog.Flower{Slug: "b", Name: "\ufffd"}))
	for _, test := range []struct{ text, want string }{
		{"\xbc", `[{"slug":"b","name":"` + "\ufffd" + `"}]`},
		{"\xc3", `[{"slug":"b","name":"` + "\ufffd" + `"}]`},
		{"\xff", `[{"slug":"b","name":"` + "\ufffd" + `"}]`},
		{"g\xc3", "[]"},
	} {
		if got := find(app, test.text); got != test.want {
			t.Errorf("%q: got %s, want %s", test.text, got, test.want)
		}
	}
}

// A text far longer than any name is cut before it is folded. The cut changes no result.
func TestSearchForLongText(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(flowercatalog.Flower{Slug: "k", Name: strings.Repeat("k", 1000)}))
	const kelvin = "\u212a" // three bytes that are folded to one
	for _, test := range []struct {
		text  string
		found bool
	}{
		{strings.Repeat(kelvin, 1000), true},
		{strings.Repeat(kelvin, 1001), false},
		{strings.Repeat("k", 200_000), false},
		{strings.Repeat("İ", 100_000), false},
	} {
		if got := find(app, test.text) != "[]"; got != test.found {
			t.Errorf("%.12q…, %d bytes: found is %v, want %v", test.text, len(test.text), got, test.found)
		}
	}
}

// A text that would take long to fold is refused before the Store is searched.
func TestStoreRefusesLongTexts(t *testing.T) {
	memory, err := flowercatalog.NewMemory(flowercatalog.Flower{Slug: "u", Name: strings.Repeat("ü", 8192)})
	if err != nil {
		t.Fatal(err)
	}
	app := newApp(t, flowercatalog.WithStore(memory))
	for length, want := range map[int]int{8192: 200, 8193: 400, 100_000: 400} {
		w := ask(app, "GET", "/flowers?name="+url.QueryEscape(strings.Repeat("Ü", length)))
		if w.Code != want {
			t.Errorf("%d characters: got %d %s, want %d", length, w.Code, w.Body, want)
		}
	}
}

// Folding shortens a text to no less than an eighth, on which maxFold relies. A third is the actual
// minimum.
func TestFoldShortens(t *testing.T) {
	for r := rune(1); r < 0x30000; r++ { // beyond are no characters that are decomposed or folded
		if text := string(r); len(text) > 3*len(reference(text)) {
			t.Errorf("%U: %d bytes are folded to %d", r, len(text), len(reference(text)))
		}
	}
}

// The ETag of a search depends only on the catalog and the folded text.
func TestSearchTags(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(three...))
	tag := func(h http.Handler, query string) string {
		return ask(h, "GET", "/flowers?"+query).Header().Get("ETag")
	}
	for _, test := range []struct {
		name, a, b string
		same       bool
	}{
		{"an empty text is none", "name=", "", true},
		{"another parameter is none", "color=red", "", true},
		{"letter case", "name=rose", "name=ROSE", true},
		{"the first value counts", "name=rose&name=lily", "name=rose", true},
		{"another text", "name=rose", "name=lily", false},
		{"a text or none", "name=rose", "", false},
	} {
		if got := tag(app, test.a) == tag(app, test.b); got != test.same {
			t.Errorf("%s: the tags of %q and %q are the same: got %v, want %v", test.name, test.a, test.b, got, test.same)
		}
	}
	less := newApp(t, flowercatalog.WithFlowers(three[:2]...))
	if tag(app, "name=e") == tag(less, "name=e") {
		t.Error("a search in another catalog has the same tag")
	}
}

func TestSearchHEAD(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(three...))
	get, head := ask(app, "GET", "/flowers?name=rose"), ask(app, "HEAD", "/flowers?name=rose")
	if head.Code != 200 || head.Body.Len() != 0 {
		t.Errorf("HEAD: got %d with %d bytes, want 200 with none", head.Code, head.Body.Len())
	}
	for _, name := range []string{"Content-Type", "ETag", "Cache-Control", "X-Content-Type-Options"} {
		if got, want := head.Header().Get(name), get.Header().Get(name); got != want || got == "" {
			t.Errorf("HEAD: got %s %q, want %q", name, got, want)
		}
	}
}

// A refused query has no ETag. With one, caches would take the error for the list.
func TestSearchThatIsRefused(t *testing.T) {
	app := newApp(t, flowercatalog.WithPageSize(10))
	w := ask(app, "GET", "/flowers?limit=0")
	if h := w.Header(); w.Code < 400 || w.Code > 499 || h.Get("ETag") != "" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("got %d, ETag %q, X-Content-Type-Options %q; want a 4xx, none, nosniff", w.Code, h.Get("ETag"), h.Get("X-Content-Type-Options"))
	}
}

// failingWriter fails after some bytes, as if the client had disconnected.
type failingWriter struct {
	*httptest.ResponseRecorder
	left, calls int
}

func (g *failingWriter) Write(p []byte) (int, error) {
	g.calls++
	if g.left -= len(p); g.left < 0 {
		return 0, errors.New("failingWriter")
	}
	return len(p), nil
}

func TestSearchEndsWhenTheClientDisconnects(t *testing.T) {
	flowers := make([]flowercatalog.Flower, 20_000)
	for i := range flowers {
		flowers[i] = flowercatalog.Flower{Slug: fmt.Sprint(i), Name: []string{"rose", "lily"}[i%2]}
	}
	app := newApp(t, flowercatalog.WithFlowers(flowers...))
	w := &failingWriter{ResponseRecorder: httptest.NewRecorder(), left: 20_000}
	app.ServeHTTP(w, httptest.NewRequest("GET", "/flowers?name=rose", nil))
	if w.calls != 2 {
		t.Errorf("got %d writes, want the one that failed to be the second and last", w.calls)
	}
	if got := find(app, "lily"); !strings.HasPrefix(got, `[{"slug":"1",`) || !json.Valid([]byte(got)) {
		t.Errorf("the next search: got %.60s…", got)
	}
}

// A status that a before filter has set is that of lists and searches alike. Without one, it is
// written: the writer may hold another one, as gin's does in NoRoute.
func TestStatusOfLists(t *testing.T) {
	app := newApp(t)
	filtered := newApp(t)
	filtered.Routes().Before(func(c routing.Context) error { c.SetStatus(http.StatusNonAuthoritativeInfo); return nil })
	for _, target := range []string{"/flowers", "/flowers?name=rose", "/flowers?name=none", "/flowers/rose"} {
		for _, method := range []string{"GET", "HEAD"} {
			if w := ask(filtered, method, target); w.Code != http.StatusNonAuthoritativeInfo {
				t.Errorf("%s %s below a filter: got %d, want 203", method, target, w.Code)
			}
			w := httptest.NewRecorder()
			written := 0
			app.ServeHTTP(statusWriter{w, &written}, httptest.NewRequest(method, target, nil))
			if written != http.StatusOK {
				t.Errorf("%s %s: got the written status %d, want 200", method, target, written)
			}
		}
	}
}

// statusWriter records the status that is written.
type statusWriter struct {
	http.ResponseWriter
	status *int
}

func (w statusWriter) WriteHeader(status int) {
	*w.status = status
	w.ResponseWriter.WriteHeader(status)
}
