package flowers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestFigures prints the times of requests with as many flowers as FIGURES says, for PostgreSQL and
// for a catalog in memory. The client is in this process, the server is on loopback.
//
//	FIGURES=1000000 go test ./flowers -v -run TestFigures -timeout 30m
func TestFigures(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("FIGURES"))
	if err != nil {
		t.Skip("it measures: set FIGURES=1000000")
	}
	s := servertest.New(t, "shared_buffers=512MB", "max_wal_size=4GB")
	dsn := s.Database(t)
	sequence := func(yield func(flowercatalog.Flower, error) bool) {
		for i := range n {
			if !yield(figure(i), nil) {
				return
			}
		}
	}
	begin := time.Now()
	if _, err := flowers.Load(t.Context(), dsn, sequence); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d flowers loaded in %v; the table takes %d MB, its indexes %d MB", n, time.Since(begin).Round(100*time.Millisecond),
		s.Value(servertest.DatabaseOf(dsn), `SELECT pg_table_size('flowers') >> 20`), s.Value(servertest.DatabaseOf(dsn), `SELECT pg_indexes_size('flowers') >> 20`))
	apps := make(map[string]http.Handler)
	if apps["PostgreSQL"], err = flowercatalog.New(flowercatalog.WithStore(open(t, dsn)), flowercatalog.WithPageSize(100)); err != nil {
		t.Fatal(err)
	}
	all := make([]flowercatalog.Flower, n)
	for i := range all {
		all[i] = figure(i)
	}
	if apps["memory"], err = flowercatalog.New(flowercatalog.WithFlowers(all...), flowercatalog.WithPageSize(100)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what string
		path func(i int) string
		tag  bool
	}{
		{"a flower by its slug", func(i int) string { return "/flowers/" + figure(i).Slug }, false},
		{"a page of 100", func(i int) string { return "/flowers/?limit=100&after=" + figure(i).Slug }, false},
		{"the same, known by its ETag: 304", func(i int) string { return "/flowers/?limit=100&after=" + figure(i).Slug }, true},
		{"a selective search, 1 hit", func(i int) string { return fmt.Sprintf("/flowers/?limit=100&name=%07d", i) }, false},
		{"a whole name, whose words others have too", func(i int) string {
			return "/flowers/?limit=100&name=" + url.QueryEscape(figure(i).Name)
		}, false},
		{"a search with 1 hit in 1,000, page of 100", func(i int) string { return fmt.Sprintf("/flowers/?limit=100&name=%03d.", i%1000) }, false},
		{"a search with hits everywhere, page of 100", func(i int) string { return "/flowers/?limit=100&name=rose" }, false},
		{"a search of two letters, page of 100", func(i int) string { return "/flowers/?limit=100&name=ro" }, false},
		{"a search of two letters without hits", func(int) string { return "/flowers/?limit=100&name=zq" }, false},
		{"a search without hits", func(i int) string { return fmt.Sprintf("/flowers/?limit=100&name=x%07dx", i) }, false},
	} {
		for _, app := range []string{"PostgreSQL", "memory"} {
			requests := 500
			if test.what == "a search of two letters without hits" {
				requests = 10 // it scans
			}
			var took []time.Duration
			size := 0
			for k := range requests {
				i := (k*7919 + 13) % n
				request := httptest.NewRequest(http.MethodGet, test.path(i), nil)
				if test.tag {
					w := httptest.NewRecorder()
					apps[app].ServeHTTP(w, request)
					request.Header.Set("If-None-Match", w.Header().Get("ETag"))
				}
				w := httptest.NewRecorder()
				begin := time.Now()
				apps[app].ServeHTTP(w, request)
				took = append(took, time.Since(begin))
				if size = w.Body.Len(); w.Code != http.StatusOK && w.Code != http.StatusNotModified {
					t.Fatalf("%s: got %d %s", test.path(i), w.Code, w.Body)
				}
			}
			slices.Sort(took)
			t.Logf("%-44s %-10s p50 %8v  p99 %8v  %d bytes", test.what, app, took[requests/2].Round(time.Microsecond),
				took[requests*99/100].Round(time.Microsecond), size)
		}
	}
}

// figure returns one of the flowers. All names are different and have a word in common.
func figure(i int) flowercatalog.Flower {
	return flowercatalog.Flower{Slug: fmt.Sprintf("rose-%07d", i), Name: fmt.Sprintf("Rose %03d. of Garden %07d", i%1000, i)}
}
