package apidoc_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests the cost of large and deep bodies.

// large returns bodies of about 1 MiB, each the worst case of a part of the decoder.
func large() map[string]string {
	const size = 1 << 20
	fill := func(text string) string { return strings.Repeat(text, size/len(text)-8) }
	// encoding/json reads 10,000 levels.
	deep := strings.Repeat(`{"lines":[],"matrix":[[0,0,0],[0,0,0]],"byName":{},"byID":{},"any":1,"next":`, 5000) + "null" + strings.Repeat("}", 5000)
	return map[string]string{
		"deep":         deep,
		"deep arrays":  strings.Repeat("[", 9999) + strings.Repeat("]", 9999),
		"many wrong":   `{"lines":[` + strings.TrimSuffix(fill(`1,`), ",") + `]}`,
		"deeply wrong": strings.Repeat(`{"next":`, 9990) + "1" + strings.Repeat("}", 9990),
		"long names":   `{"byName":{"` + strings.Repeat("a", size/2) + `":{"slug":[],"price":"","gift":1}}}`,
		"many members": `{"any":{` + members(size/12) + `}}`,
		"many unions":  `{"lines":1,"shapes":[` + strings.TrimSuffix(fill(`{"side":1.0,"inner":[]},`), ",") + `]}`,
	}
}

func members(count int) string {
	var b strings.Builder
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.Repeat("k", i%3) + itoa(i) + `":1`)
	}
	return b.String()
}

func itoa(i int) string {
	b, _ := json.Marshal(i)
	return string(b)
}

// The cost of a body of 1 MiB is proportional to its size.
func TestLargeBodiesAreCheap(t *testing.T) {
	app := kindOf[nested](t).app
	for name, body := range large() {
		if used, status := memoryOf(t, name, app, body); used > 30<<20 || status == 500 || status == 413 {
			t.Errorf("%s: %d bytes for a body of %d, status %d", name, used, len(body), status)
		}
	}
}

// memoryOf posts a JSON body, and returns how much memory was allocated meanwhile.
func memoryOf(t *testing.T, name string, app http.Handler, body string) (used uint64, status int) {
	t.Helper()
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	runtime.ReadMemStats(&after)
	used = after.TotalAlloc - before.TotalAlloc
	t.Logf("%s: %.1f MB for a body of %d, status %d", name, float64(used)/(1<<20), len(body), w.Code)
	return used, w.Code
}

// set has lists whose items must be unique.
type set struct {
	Numbers []float64 `json:"numbers,omitempty" unique:"true"`
	Texts   []string  `json:"texts,omitempty" unique:"true"`
}

// The cost of checking that the items of a list are unique is proportional to its size.
func TestLargeListsWithoutDuplicatesAreCheap(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size >>= 3
	}
	list := func(name string, item func(i int) string) string {
		var b strings.Builder
		b.WriteString(`{"` + name + `":[`)
		for i := 0; b.Len() < size-100; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(item(i))
		}
		return b.String() + `]}`
	}
	app := kindOf[set](t).app
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"numbers":       {list("numbers", itoa), 204},
		"equal numbers": {list("numbers", func(i int) string { return itoa(i % 2) }), 422},
		"decimals":      {list("numbers", func(i int) string { return itoa(i) + ".5e" + itoa(i%3) }), 204},
		"texts":         {list("texts", func(i int) string { return `"` + itoa(i) + `"` }), 204},
	} {
		used, status := memoryOf(t, name, app, c.body)
		if used > 96*uint64(size) || status != c.status {
			t.Errorf("%s: %d bytes for a body of %d, status %d, want %d", name, used, len(c.body), status, c.status)
		}
	}
}

// The short texts of a body share allocations: the names of 50 rooms need fewer than 50.
func TestShortTextsShareMemory(t *testing.T) {
	type room struct {
		Name  string  `json:"name"`
		Price float64 `json:"price"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in []room) (int, error) { return len(in), nil }, apidoc.ID("post"))
	var rooms []room
	for i := range 50 {
		rooms = append(rooms, room{"room " + itoa(i), 1.5})
	}
	body, _ := json.Marshal(rooms)
	allocs := testing.AllocsPerRun(100, func() {
		if w := call(app, "POST", "/", "application/json", string(body)); w.Code != 200 {
			t.Fatal(w.Body)
		}
	})
	if allocs > 60 {
		t.Errorf("%v allocations, want at most 60", allocs)
	} else {
		t.Logf("%v allocations", allocs)
	}
}

func BenchmarkLargeBodies(b *testing.B) {
	app := kindOf[nested](b).app
	for name, body := range large() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest("POST", "/", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				app.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
