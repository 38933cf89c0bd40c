package flowercatalog_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/flowercatalog"
)

// sameName returns n flowers that all have the same name.
func sameName(n int, name string) []flowercatalog.Flower {
	flowers := make([]flowercatalog.Flower, n)
	for i := range flowers {
		flowers[i] = flowercatalog.Flower{Slug: fmt.Sprint("rose-", i), Name: name}
	}
	return flowers
}

// While the flowers are replaced 1,000 times and 32 readers read them, no response mixes two lists,
// and different contents have different ETags.
func TestSetFlowersDuringReads(t *testing.T) {
	const readers, size = 32, 600 // more than is written at once
	swaps := 100
	if os.Getenv("FLOWERCAFE_LONG") == "1" {
		swaps = 1000
	}
	app := newApp(t, flowercatalog.WithFlowers(sameName(size, "Rose 0")...))
	paged := newApp(t, flowercatalog.WithFlowers(sameName(size, "Rose 0")...), flowercatalog.WithPageSize(100))
	var stop atomic.Bool
	var responses atomic.Int64
	var contents sync.Map // of URL and ETag
	var reading sync.WaitGroup
	for reader := range readers {
		reading.Go(func() {
			for i := reader; !stop.Load(); i++ {
				handler, target, want := app, "/flowers", size
				switch i % 5 {
				case 1:
					target = "/flowers?name=ROSE"
				case 2:
					target = "/flowers?name=rose+1&x=" // found in some lists only
				case 3:
					target, want = fmt.Sprint("/flowers/rose-", i%size), 1
				case 4:
					handler, target, want = paged, "/flowers?after=rose-7", 100
				}
				w := ask(handler, "GET", target)
				body := w.Body.String()
				if !oneList(body, want) && !(i%5 == 2 && body == "[]") {
					t.Errorf("%s: got %d, %.200s", target, w.Code, body)
					return
				}
				before, _ := contents.LoadOrStore(target+w.Header().Get("ETag"), body)
				if before != body {
					t.Errorf("%s: the ETag %s is of %.50s and of %.50s", target, w.Header().Get("ETag"), before, body)
					return
				}
				responses.Add(1)
				time.Sleep(5 * time.Millisecond) // or the swaps would wait for the processor most of the time
			}
		})
	}
	for i := range swaps {
		flowers := sameName(size, fmt.Sprint("Rose ", i%150))
		if err := app.SetFlowers(flowers...); err != nil {
			t.Error(err)
		}
		if err := paged.SetFlowers(flowers...); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	reading.Wait()
	t.Logf("%d responses", responses.Load())
}

// oneList reports whether body is a list of want flowers of one name, or one flower.
func oneList(body string, want int) bool {
	if want > 1 && (!strings.HasPrefix(body, "[{") || !strings.HasSuffix(body, "}]")) {
		return false
	}
	const member = `,"name":"`
	_, name, _ := strings.Cut(body, member)
	name, _, _ = strings.Cut(name, `"`)
	return strings.Count(body, member) == want && strings.Count(body, member+name+`"`) == want
}

// A response in progress keeps the list that it began with.
func TestSetFlowersDuringAResponse(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(sameName(2000, "Rose 0")...))
	w := &swapping{ResponseRecorder: httptest.NewRecorder(), swap: func() {
		if err := app.SetFlowers(sameName(3, "Rose 1")...); err != nil {
			t.Error(err)
		}
	}}
	app.ServeHTTP(w, httptest.NewRequest("GET", "/flowers?name=rose", nil))
	if !oneList(w.Body.String(), 2000) {
		t.Errorf("got %d bytes, %.100s", w.Body.Len(), w.Body)
	}
	if got := ask(app, "GET", "/flowers?name=rose").Body.String(); !oneList(got, 3) {
		t.Errorf("afterwards: got %.200s", got)
	}
}

type swapping struct {
	*httptest.ResponseRecorder
	swap func()
}

func (w *swapping) Write(p []byte) (int, error) {
	w.swap()
	return w.ResponseRecorder.Write(p)
}

// An invalid list changes nothing. The same list has the same ETags, another list has others.
func TestSetFlowers(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(three...))
	tags := func() (tags [3]string) {
		for i, target := range []string{"/flowers", "/flowers?name=r", "/flowers/rose"} {
			tags[i] = ask(app, "GET", target).Header().Get("ETag")
		}
		return tags
	}
	first := tags()
	if err := app.SetFlowers(three[0], three[1], three[0]); err == nil || !strings.Contains(err.Error(), `"rose"`) {
		t.Errorf("a slug twice: got error %v, want one that names it", err)
	}
	if got := ask(app, "GET", "/flowers").Body.String(); got != threeJSON || tags() != first {
		t.Errorf("after a wrong list: got %s, tags %v; want %s, %v", got, tags(), threeJSON, first)
	}
	if err := app.SetFlowers(three...); err != nil || tags() != first {
		t.Errorf("the same list: got %v, tags %v; want %v", err, tags(), first)
	}
	if err := app.SetFlowers(three[:2]...); err != nil {
		t.Fatal(err)
	}
	if now := tags(); now[0] == first[0] || now[1] == first[1] || now[2] != first[2] {
		t.Errorf("one less: got the tags %v after %v, want others for the lists and the same for the flower", now, first)
	}
	if w := ask(app, "GET", "/flowers/a%20b"); w.Code != 404 {
		t.Errorf("the flower that is gone: got %d, want 404", w.Code)
	}
	if err := app.SetFlowers(); err != nil || ask(app, "GET", "/flowers").Body.String() != "[]" {
		t.Errorf("no flowers: got %v", err)
	}
}
