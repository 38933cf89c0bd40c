package flowercatalog_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
)

// oddSlugs are accepted, so a URL must reach each of them.
var oddSlugs = []string{
	"a", "A", "gül", "桜", "🌹", "a b", " ", "a+b", "a&b=c", "a?b", "?", "#", "%", "%41", "100%", "a;b", "a:b", ":a", "*", "a*", "(a)", "\\", `a\b`,
	`"`, `a"b`, `a","name":"b`, "<b>", "a\nb", "\r\n", "\t", "\x7f", "...", "..a", "a..", "-", "~", "\u2028", "\ufffd", "\ufeff", "e\u0301", "é",
	"rose", "roses", "ros", strings.Repeat("x", 8183),
}

func TestSlugsAreReached(t *testing.T) {
	flowers := make([]flowercatalog.Flower, len(oddSlugs))
	for i, slug := range oddSlugs {
		flowers[i] = flowercatalog.Flower{Slug: slug, Name: "number " + fmt.Sprint(i)}
	}
	mux := http.NewServeMux()
	mux.Handle("/", newApp(t, flowercatalog.WithFlowers(flowers...)))
	mux.Handle("/shop/", newApp(t, flowercatalog.WithFlowers(flowers...), flowercatalog.WithBasePath("/shop")))
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, base := range []string{"", "/shop"} {
		for _, flower := range flowers {
			response, err := http.Get(server.URL + base + "/flowers/" + url.PathEscape(flower.Slug))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(flower)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != 200 || string(body) != string(want) {
				t.Errorf("%s/flowers/ and the slug %.40q: got %d %.80s, want 200 %.80s", base, flower.Slug, response.StatusCode, body, want)
			}
		}
	}
}

func TestSlugsThatNoURLReaches(t *testing.T) {
	for _, test := range []struct{ name, slug, says string }{
		{"NUL", "a\x00b", `"a\x00b"`},
		{"longer than paths are read", strings.Repeat("x", 8184), `"xxxxxxxxxxxxxxxxxxxx"`},
	} {
		_, err := flowercatalog.New(flowercatalog.WithFlowers(flowercatalog.Flower{Slug: test.slug}))
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got error %v, want one that says %s", test.name, err, test.says)
		}
	}
}

// The list is that of encoding/json.
func FuzzJSON(f *testing.F) {
	for _, slug := range oddSlugs {
		f.Add(slug, "Name of "+slug)
	}
	f.Fuzz(func(t *testing.T, slug, name string) {
		flowers := []flowercatalog.Flower{{Slug: slug, Name: name}, {Slug: slug + "2", Name: slug}}
		app, err := flowercatalog.New(flowercatalog.WithFlowers(flowers...))
		if err != nil {
			t.Skip()
		}
		want, err := json.Marshal(flowers)
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(app, "GET", "/flowers/").Body.String(); got != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// Every slug finds its flower and no other, however many there are.
func TestManySlugs(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{1, 2, 3, 10, 1000, 20_000} {
		var flowers []flowercatalog.Flower
		for i := range n {
			flowers = append(flowers, flowercatalog.Flower{Slug: fmt.Sprintf("f%x", i*3), Name: fmt.Sprint(i)})
		}
		app := newApp(t, flowercatalog.WithFlowers(flowers...))
		for range 300 {
			i := random.IntN(n)
			want := fmt.Sprintf(`{"slug":"f%x","name":"%d"}`, i*3, i)
			if got := ask(app, "GET", "/flowers/"+flowers[i].Slug).Body.String(); got != want {
				t.Errorf("%d flowers: got %s, want %s", n, got, want)
			}
			if w := ask(app, "GET", fmt.Sprintf("/flowers/f%x", i*3+1)); w.Code != 404 {
				t.Errorf("%d flowers: got %d for a slug that is not there, want 404", n, w.Code)
			}
		}
	}
}

func TestFlowersAreCopied(t *testing.T) {
	flowers := []flowercatalog.Flower{{Slug: "rose", Name: "Rose"}}
	app := newApp(t, flowercatalog.WithFlowers(flowers...))
	flowers[0] = flowercatalog.Flower{Slug: "weed", Name: "Weed"}
	if got := ask(app, "GET", "/flowers/rose"); got.Code != 200 {
		t.Errorf("after the host has changed its slice: got %d, want 200", got.Code)
	}
}

func TestSlugThatIsNotUTF8(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(flowercatalog.Flower{Slug: "\ufffd", Name: "Unknown"}))
	if w := ask(app, "GET", "/flowers/%FF"); w.Code != 404 {
		t.Errorf("got %d for a byte that is not UTF-8, want 404", w.Code)
	}
}
