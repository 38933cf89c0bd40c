package flowercatalog_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/flowercatalog/catalogtest"
)

func TestMemoryIsAStore(t *testing.T) {
	t.Parallel()
	catalogtest.Run(t, func(t *testing.T, flowers ...flowercatalog.Flower) (flowercatalog.Store, func(...flowercatalog.Flower) error) {
		memory, err := flowercatalog.NewMemory(flowers...)
		if err != nil {
			t.Fatal(err)
		}
		return memory, memory.SetFlowers
	})
}

// plain hides that a store is a Memory, which the App treats specially.
type plain struct{ flowercatalog.Store }

func TestAnyStore(t *testing.T) {
	t.Parallel()
	catalogtest.Run(t, func(t *testing.T, flowers ...flowercatalog.Flower) (flowercatalog.Store, func(...flowercatalog.Flower) error) {
		memory, err := flowercatalog.NewMemory(flowers...)
		if err != nil {
			t.Fatal(err)
		}
		return plain{memory}, memory.SetFlowers
	})
}

func TestZeroMemory(t *testing.T) {
	memory := new(flowercatalog.Memory)
	app, err := flowercatalog.New(flowercatalog.WithStore(memory))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	get := func(path string) (status int, body string) {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	if status, body := get("/flowers/"); status != 200 || body != "[]" {
		t.Errorf("got %d %s, want an empty list", status, body)
	}
	if status, _ := get("/flowers/rose"); status != 404 {
		t.Errorf("rose: got %d, want 404", status)
	}
	if _, err := memory.Find(t.Context(), "rose"); !errors.Is(err, flowercatalog.ErrNotFound) {
		t.Errorf("Find: got %v", err)
	}
	if err := memory.SetFlowers(flowercatalog.Flower{Slug: "rose", Name: "Rose"}); err != nil {
		t.Fatal(err)
	}
	if status, _ := get("/flowers/rose"); status != 200 {
		t.Errorf("rose after SetFlowers: got %d, want 200", status)
	}
}

func TestZeroMemoryIsClosed(t *testing.T) {
	app, err := flowercatalog.New(flowercatalog.WithStore(new(flowercatalog.Memory)))
	if err != nil {
		t.Fatal(err)
	}
	app.Close()
	for _, path := range []string{"/flowers/", "/flowers/?name=rose", "/flowers/rose"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: got %d %v, want 503 with Retry-After", path, w.Code, w.Header())
		}
	}
}
