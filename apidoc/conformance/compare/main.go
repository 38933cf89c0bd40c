// Command compare compares the API of package nursery in apidoc and in huma: lines of code, and
// time, bytes and allocations for each request, measured alternately in several rounds. Run it in
// the module's directory: go run ./compare
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc/conformance/internal/humanursery"
	"example.com/flowercafe/apidoc/conformance/internal/nursery"
	"example.com/flowercafe/apidoc/conformance/internal/stock"
)

const (
	item  = `{"name":"Lily","code":"LI0001","price":"3.00","pack":12,"light":"sun","colour":"white","tags":["new","tall"],"note":null}`
	order = `{"lines":[{"item":"0190c0de-0000-4000-8000-000000000001","count":2,"with":[{"item":"0190c0de-0000-4000-8000-000000000001","count":1}]}],` +
		`"payment":{"kind":"card","number":"4000000000000002"},"email":"ann@example.com"}`
	rose = "/items/0190c0de-0000-4000-8000-000000000001"
)

// requests are the measured requests, with limits for their time and allocations relative to huma;
// 0 is no limit. Reading requests come first, because many POSTs remove the first items.
var requests = []struct {
	name, method, path, body string
	status                   int
	time, allocations        float64
}{
	{"GET with one parameter", "GET", rose, "", 200, 0.4, 0},
	{"GET with four parameters", "GET", "/items?limit=1&offset=0&colour=yellow&below=20.00", "", 200, 0, 0},
	{"GET of a photo", "GET", rose + "/photo", "", 200, 0, 0},
	{"POST of a small body", "POST", "/items", item, 201, 0.6, 0.5},
	{"POST of a nested body", "POST", "/orders", order, 201, 0, 0},
	{"POST that is refused", "POST", "/items", `{"name":"","code":"x","price":"1","note":null}`, 422, 0, 0},
}

// cost is the cost of one request.
type cost struct{ ns, bytes, allocations float64 }

func main() {
	rounds := flag.Int("rounds", 7, "how often everything is measured; the best counts")
	flag.Parse()
	ours, err := nursery.New("")
	if err != nil {
		log.Fatal(err)
	}
	apis := [2]http.Handler{ours, humanursery.New()}
	fmt.Printf("%-26s %10s %10s %7s\n", "", "apidoc", "huma", "ratio")
	a, h := lines("internal/nursery/nursery.go"), lines("internal/humanursery/humanursery.go")
	row("lines of code", "%.0f", float64(a), float64(h), 1)
	for _, r := range requests {
		var best [2]cost
		for range *rounds {
			for i, api := range apis {
				c := measure(api, r.method, r.path, r.body, r.status)
				if best[i].ns == 0 || c.ns < best[i].ns {
					best[i] = c
				}
			}
		}
		fmt.Println(r.name)
		row("  µs", "%.2f", best[0].ns/1000, best[1].ns/1000, r.time)
		row("  bytes", "%.0f", best[0].bytes, best[1].bytes, 0)
		row("  allocations", "%.0f", best[0].allocations, best[1].allocations, r.allocations)
	}
}

// row prints two figures and their ratio, and whether the ratio is within the limit.
func row(name, format string, a, h, goal float64) {
	note := ""
	if goal > 0 {
		note = fmt.Sprintf("  (goal %.1f)", goal)
		if a/h > goal {
			note = fmt.Sprintf("  (goal %.1f MISSED)", goal)
		}
	}
	fmt.Printf("%-26s %10s %10s %7.2f%s\n", name, fmt.Sprintf(format, a), fmt.Sprintf(format, h), a/h, note)
}

// lines counts the lines of a file that are neither empty nor comments.
func lines(file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	all := slices.Collect(strings.Lines(string(text)))
	return len(slices.DeleteFunc(all, func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || strings.HasPrefix(line, "//")
	}))
}

// measure calls a handler for a tenth of a second, without a network.
func measure(api http.Handler, method, path, body string, status int) cost {
	address, err := url.Parse(path)
	if err != nil {
		log.Fatal(err)
	}
	header := http.Header{"Authorization": {"Bearer " + stock.Secret}, "Content-Type": {"application/json"}, "Accept": {"application/json"}}
	reader := strings.NewReader(body)
	w := &response{header: make(http.Header)}
	call := func() {
		content := io.ReadCloser(http.NoBody) // as in a server
		if body != "" {
			reader.Reset(body)
			content = io.NopCloser(reader)
		}
		clear(w.header)
		w.status, w.size = http.StatusOK, 0
		api.ServeHTTP(w, &http.Request{
			Method: method, URL: address, Header: header, Body: content, ContentLength: int64(len(body)),
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "localhost", RequestURI: path,
		})
	}
	w.kept = new(bytes.Buffer)
	call()
	if w.status != status {
		log.Fatalf("%s %s: status %d: %s", method, path, w.status, w.kept)
	}
	w.kept = nil
	testing.Init()
	flag.Set("test.benchtime", (100 * time.Millisecond).String())
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call()
		}
	})
	return cost{float64(r.T.Nanoseconds()) / float64(r.N), float64(r.AllocedBytesPerOp()), float64(r.AllocsPerOp())}
}

// response is a writer that keeps only the first body.
type response struct {
	header http.Header
	status int
	size   int
	kept   *bytes.Buffer
}

func (r *response) Header() http.Header    { return r.header }
func (r *response) WriteHeader(status int) { r.status = status }
func (r *response) Write(b []byte) (int, error) {
	if r.kept != nil {
		r.kept.Write(b)
	}
	r.size += len(b)
	return len(b), nil
}
