// Command compare compares the API of package nursery in apidoc and in huma: lines of code, and CPU
// time, bytes and allocations for each request. Both are measured alternately in many rounds, and
// the table has the medians. The ResponseWriter is wrapped, as behind middleware. Run it in the
// module's directory, on Unix: go run ./compare
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
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.com/flowercafe/apidoc/conformance/internal/humanursery"
	"example.com/flowercafe/apidoc/conformance/internal/nursery"
	"example.com/flowercafe/apidoc/conformance/internal/stock"
)

const (
	item     = `{"name":"Lily","code":"LI0001","price":"3.00","pack":12,"light":"sun","colour":"white","tags":["new","tall"],"note":null}`
	labelled = `{"name":"Lily","code":"LI0001","price":"3.00","labels":{"size":"small"},"note":null}`
	order    = `{"lines":[{"item":"0190c0de-0000-4000-8000-000000000001","count":2,"with":[{"item":"0190c0de-0000-4000-8000-000000000001","count":1}]}],` +
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
	{"GET with one parameter", "GET", rose, "", 200, 0.55, 0},
	{"GET with an ETag", "GET", "/plants/1", "", 200, 0.6, 0},
	{"GET with four parameters", "GET", "/items?limit=1&offset=0&colour=yellow&below=20.00", "", 200, 0, 0},
	{"GET of a list of 100", "GET", "/items?limit=100", "", 200, 0.8, 0},
	{"GET of a photo", "GET", rose + "/photo", "", 200, 0, 0},
	{"POST of a small body", "POST", "/items", item, 201, 0.55, 0.45},
	{"POST of a body with a map", "POST", "/items", labelled, 201, 0.6, 0},
	{"POST of a nested body", "POST", "/orders", order, 201, 0, 0},
	{"POST that is refused", "POST", "/items", `{"name":"","code":"x","price":"1","note":null}`, 422, 0.8, 0},
}

// cost is the cost of one request.
type cost struct{ ns, bytes, allocations float64 }

func main() {
	rounds := flag.Int("rounds", 15, "how often everything is measured; the median counts")
	flag.Parse()
	ours, err := nursery.New("")
	if err != nil {
		log.Fatal(err)
	}
	apis := [2]http.Handler{ours, humanursery.New()}
	for _, api := range apis {
		call := caller(api, "POST", "/items", item, 201)
		for range 100 {
			call()
		}
	}
	fmt.Printf("%-26s %10s %10s %7s\n", "", "apidoc", "huma", "ratio")
	a, h := lines("internal/nursery/nursery.go"), lines("internal/humanursery/humanursery.go")
	row("lines of code", "%.0f", float64(a), float64(h), float64(a)/float64(h), 1)
	for _, r := range requests {
		measured := apis
		if strings.HasPrefix(r.path, "/plants/") {
			measured = tagged()
		}
		var costs [2][]cost
		for range *rounds {
			for i, api := range measured {
				costs[i] = append(costs[i], measure(caller(api, r.method, r.path, r.body, r.status)))
			}
		}
		fmt.Println(r.name)
		compare := func(name, format string, goal float64, of func(cost) float64) {
			var own, other, ratios []float64
			for i := range costs[0] {
				a, h := of(costs[0][i]), of(costs[1][i])
				own, other, ratios = append(own, a), append(other, h), append(ratios, a/h)
			}
			row(name, format, median(own), median(other), median(ratios), goal)
		}
		compare("  µs", "%.2f", r.time, func(c cost) float64 { return c.ns / 1000 })
		compare("  bytes", "%.0f", 0, func(c cost) float64 { return c.bytes })
		compare("  allocations", "%.0f", r.allocations, func(c cost) float64 { return c.allocations })
	}
}

func median(list []float64) float64 { return slices.Sorted(slices.Values(list))[len(list)/2] }

// row prints two figures and their ratio, and whether the ratio is within the limit.
func row(name, format string, a, h, ratio, goal float64) {
	note := ""
	if goal > 0 {
		note = fmt.Sprintf("  (goal %.2f)", goal)
		if ratio > goal {
			note = fmt.Sprintf("  (goal %.2f MISSED)", goal)
		}
	}
	fmt.Printf("%-26s %10s %10s %7.2f%s\n", name, fmt.Sprintf(format, a), fmt.Sprintf(format, h), ratio, note)
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

// caller returns a function that serves a request without a network, after it has checked the
// status of the first response.
func caller(api http.Handler, method, path, body string, status int) func() {
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
		w.status = http.StatusOK
		api.ServeHTTP(struct{ http.ResponseWriter }{w}, &http.Request{
			Method: method, URL: address, Header: header, Body: content, ContentLength: int64(len(body)),
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "localhost", RequestURI: path,
		})
	}
	w.kept = new(bytes.Buffer)
	if call(); w.status != status {
		log.Fatalf("%s %s: status %d: %s", method, path, w.status, w.kept)
	}
	w.kept = nil
	return call
}

// measure makes calls for some milliseconds, and returns their average cost.
func measure(call func()) cost {
	const enough = 20 * time.Millisecond
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, count := processTime(), 0
	var taken time.Duration
	for taken < enough {
		for range 100 {
			call()
		}
		count += 100
		taken = processTime() - start
	}
	runtime.ReadMemStats(&after)
	n := float64(count)
	return cost{float64(taken) / n, float64(after.TotalAlloc-before.TotalAlloc) / n, float64(after.Mallocs-before.Mallocs) / n}
}

// processTime returns the CPU time of the process, including the garbage collector.
func processTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// response is a writer that keeps only the first body.
type response struct {
	header http.Header
	status int
	kept   *bytes.Buffer
}

func (r *response) Header() http.Header    { return r.header }
func (r *response) WriteHeader(status int) { r.status = status }
func (r *response) Write(b []byte) (int, error) {
	if r.kept != nil {
		r.kept.Write(b)
	}
	return len(b), nil
}
