package routing_test

// This file tests requests with many parameters.

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// manyParams returns 999 parameters in 1 MiB less one byte.
func manyParams() string {
	const count, size = 999, 1<<20 - 1
	pairs := make([]string, count)
	for i := range pairs {
		key := fmt.Sprintf("%%6b%d=", i)
		length := (i+1)*size/count - i*size/count - 1 // with the &
		if i == count-1 {
			length++
		}
		pairs[i] = key + strings.Repeat("v", length-len(key))
	}
	return strings.Join(pairs, "&")
}

// Reading all parameters of a request takes linear time, even if the action calls Params for each.
func TestManyParams(t *testing.T) {
	text := manyParams()
	requests := map[string]*http.Request{
		"query": httptest.NewRequest("POST", "/?"+text, nil),
		"form":  httptest.NewRequest("POST", "/", strings.NewReader(text)),
	}
	requests["form"].Header.Set("Content-Type", "application/x-www-form-urlencoded")
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		keys, size := c.Params().Keys(), 0
		for _, key := range keys {
			size += len(c.Params().GetOr(key, ""))
		}
		if !raceEnabled {
			allocs := testing.AllocsPerRun(10, func() { c.Params().Get("k7") })
			if allocs > 1 { // a search would decode all the keys
				t.Errorf("%v allocations for a lookup", allocs)
			}
		}
		return routing.Text(fmt.Sprint(len(keys), size)), nil
	})
	for name, r := range requests {
		start := time.Now()
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		t.Logf("%s of %d bytes: %v", name, len(text), time.Since(start).Round(time.Millisecond/10))
		if got := w.Body.String(); w.Code != 200 || !strings.HasPrefix(got, "999 10") {
			t.Errorf("%s: got %d %s", name, w.Code, got)
		}
	}
}
