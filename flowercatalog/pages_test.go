package flowercatalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
)

// follow reads all pages from target on. Like a client, it resolves each Link against the URL of
// the page.
func follow(t *testing.T, server, target string) (flowers []flowercatalog.Flower, pages int) {
	t.Helper()
	address, err := url.Parse(server + target)
	if err != nil {
		t.Fatal(err)
	}
	for {
		response, err := http.Get(address.String())
		if err != nil {
			t.Fatal(err)
		}
		var page []flowercatalog.Flower
		err = json.NewDecoder(response.Body).Decode(&page)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 {
			t.Fatalf("%s: got %d, %v", address, response.StatusCode, err)
		}
		pages++
		flowers = append(flowers, page...)
		link := response.Header.Get("Link")
		if link == "" {
			return flowers, pages
		}
		reference, ok := strings.CutSuffix(link, `>; rel="next"`)
		reference, found := strings.CutPrefix(reference, "<")
		if !ok || !found || len(page) == 0 {
			t.Fatalf("%s: got Link %q with %d flowers", address, link, len(page))
		}
		if address, err = address.Parse(reference); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPages(t *testing.T) {
	flowers := manyFlowers(1000, false)
	for i := range flowers {
		flowers[i].Slug = []string{"a b", "ü", "a&b=c", `"<>;`, "%41", "+", "桜"}[i%7] + fmt.Sprint(i)
	}
	for _, base := range []string{"", "/shop"} {
		server := httptest.NewServer(newApp(t, flowercatalog.WithFlowers(flowers...), flowercatalog.WithBasePath(base), flowercatalog.WithPageSize(100)))
		t.Cleanup(server.Close)
		for _, test := range []struct {
			target string
			text   string
			pages  int // not compared if 0
		}{
			{"/flowers", "", 10},
			{"/flowers/", "", 10},
			{"/flowers/?limit=100", "", 10},
			{"/flowers?limit=99&lang=de", "", 11},
			{"/flowers?limit=1&name=%E6%A1%9C", "桜", 0},
			{"/flowers/?name=G%C3%9CL&limit=7", "gül", 0},
			{"/flowers/?name=100%zz", "100%zz", 1},
			{"/flowers/?name=none", "none", 1},
		} {
			var want []flowercatalog.Flower
			for _, f := range flowers {
				if strings.Contains(reference(f.Name), test.text) {
					want = append(want, f)
				}
			}
			got, pages := follow(t, server.URL, base+test.target)
			if !slices.Equal(got, want) || test.pages != 0 && pages != test.pages {
				t.Errorf("%s%s: got %d flowers on %d pages, want %d on %d", base, test.target, len(got), pages, len(want), test.pages)
			}
		}
	}
}

func TestPageParameters(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(sameName(30, "Rose")...), flowercatalog.WithPageSize(10))
	for _, test := range []struct {
		query  string
		status int
		count  int
		link   string
		says   string
	}{
		{"", 200, 10, `<?after=rose-9&limit=10>; rel="next"`, ""},
		{"limit=3&limit=7", 200, 3, `<?after=rose-2&limit=3>; rel="next"`, ""},
		{"after=rose-19", 200, 10, "", ""},
		{"after=rose-18", 200, 10, `<?after=rose-28&limit=10>; rel="next"`, ""},
		{"after=rose-29", 200, 0, "", ""},
		{"after=&limit=1&name=Ro", 200, 1, `<?after=rose-0&limit=1&name=Ro>; rel="next"`, ""},
		{"after=rose-18&name=lily", 200, 0, "", ""},
		{"lang=de&limit=2", 200, 2, `<?after=rose-1&lang=de&limit=2>; rel="next"`, ""},
		{"limit=0", 400, 0, "", "limit must be a number from 1 to 10"},
		{"limit=11", 400, 0, "", "limit must be a number from 1 to 10"},
		{"limit=-1", 400, 0, "", "limit must be a number from 1 to 10"},
		{"limit=", 400, 0, "", "limit must be a number from 1 to 10"},
		{"limit=ten", 400, 0, "", "limit must be a number from 1 to 10"},
		{"limit=1e1", 400, 0, "", "limit must be a number from 1 to 10"},
		{"limit=99999999999999999999", 400, 0, "", "limit must be a number from 1 to 10"},
		{"after=tulip", 400, 0, "", "after must be the slug of a flower"},
		{"after=Rose-1", 400, 0, "", "after must be the slug of a flower"},
		{"after=%FF", 400, 0, "", "after must be the slug of a flower"},
		{"name=rose&after=tulip", 400, 0, "", "after must be the slug of a flower"},
	} {
		w := ask(app, "GET", "/flowers?"+test.query)
		if w.Code != test.status || w.Header().Get("Link") != test.link || strings.Count(w.Body.String(), "slug\"") != test.count || !strings.Contains(w.Body.String(), test.says) {
			t.Errorf("%s: got %d, Link %q, %s; want %d, %q, %d flowers, %q", test.query, w.Code, w.Header().Get("Link"), w.Body, test.status, test.link, test.count, test.says)
		}
		if test.status == 400 && (w.Header().Get("ETag") != "" || w.Header().Get("Content-Type") != "application/json; charset=utf-8") {
			t.Errorf("%s: a 400 with ETag %q, type %q", test.query, w.Header().Get("ETag"), w.Header().Get("Content-Type"))
		}
	}
}

// Each page has its own ETag.
func TestPageTags(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(sameName(30, "Rose")...), flowercatalog.WithPageSize(10))
	seen := make(map[string]string)
	for _, query := range []string{"", "limit=9", "after=rose-1", "after=rose-1&limit=9", "name=r", "name=r&after=rose-1"} {
		tag := ask(app, "GET", "/flowers?"+query).Header().Get("ETag")
		if before, ok := seen[tag]; ok || tag == "" {
			t.Errorf("%q and %q have the ETag %q", before, query, tag)
		}
		seen[tag] = query
		if w := ask(app, "GET", "/flowers?"+query, "If-None-Match", tag); w.Code != 304 || w.Body.Len() > 0 {
			t.Errorf("%q with its ETag: got %d", query, w.Code)
		}
		get, head := ask(app, "GET", "/flowers?"+query), ask(app, "HEAD", "/flowers?"+query)
		if get.Header().Get("Link") != head.Header().Get("Link") || head.Body.Len() > 0 || head.Code != 200 {
			t.Errorf("%q: HEAD has %d, Link %q, GET %q", query, head.Code, head.Header().Get("Link"), get.Header().Get("Link"))
		}
	}
}

// Scripts of other origins may follow the links.
func TestLinksAcrossOrigins(t *testing.T) {
	app := newApp(t, flowercatalog.WithPageSize(1), flowercatalog.WithCORSOnFlowers())
	w := ask(app, "GET", "/flowers", "Origin", "https://elsewhere.example")
	if got := w.Header().Get("Access-Control-Expose-Headers"); w.Header().Get("Link") == "" || !strings.Contains(got, "Link") {
		t.Errorf("got Access-Control-Expose-Headers %q with the Link %q, want Link in it", got, w.Header().Get("Link"))
	}
}

// Without the option the two parameters are ignored.
func TestNoPages(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(three...))
	w := ask(app, "GET", "/flowers?limit=1&after=none")
	if w.Code != 200 || w.Body.String() != threeJSON || w.Header().Get("Link") != "" {
		t.Errorf("got %d, Link %q, %s", w.Code, w.Header().Get("Link"), w.Body)
	}
}

// changing is a Memory whose flowers are removed during the first list, which returns ErrChanged.
type changing struct {
	*flowercatalog.Memory
	changed bool
}

func (s *changing) List(ctx context.Context, page flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	err := s.Memory.List(ctx, page, each)
	if err != nil || s.changed {
		return err
	}
	s.changed = true
	if err := s.SetFlowers(); err != nil {
		return err
	}
	return flowercatalog.ErrChanged
}

// After ErrChanged, a page has only the new flowers.
func TestPageRestartsAfterChange(t *testing.T) {
	memory, err := flowercatalog.NewMemory(three...)
	if err != nil {
		t.Fatal(err)
	}
	app := newApp(t, flowercatalog.WithStore(&changing{Memory: memory}), flowercatalog.WithPageSize(2))
	w := ask(app, "GET", "/flowers")
	if w.Code != 200 || w.Body.String() != "[]" || w.Header().Get("Link") != "" || w.Header().Get("ETag") != "" {
		t.Errorf("got %d %v %s, want an empty list, without a next page and a tag", w.Code, w.Header(), w.Body)
	}
}
