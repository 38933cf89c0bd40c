package accept_test

import (
	"testing"

	"example.com/flowercafe/routing/internal/accept"
)

func TestBest(t *testing.T) {
	offers := [][]string{{"text/html", "application/xhtml+xml"}, {"application/problem+json", "application/json"}, {"text/plain"}}
	for _, test := range []struct {
		header []string
		want   int
	}{
		{nil, 0},
		{[]string{""}, 0},
		{[]string{"image/png"}, 0},
		{[]string{"*/*"}, 0},
		{[]string{"application/json"}, 1},
		{[]string{"application/*"}, 1},
		{[]string{"text/plain"}, 2},
		{[]string{"text/*"}, 0},
		{[]string{"text/*;q=0.5, text/plain"}, 2},
		{[]string{"text/html;q=0.1", "application/problem+json;q=0.2"}, 1},
		{[]string{"text/html;q=0, */*;q=0.1"}, 1},
		{[]string{"*/*, text/plain;q=0.9"}, 0},
		{[]string{"*/*, application/json"}, 1},
		{[]string{"application/problem+json;q=0, application/json"}, 0},
		{[]string{"TEXT/PLAIN ; Q=1 , */*;q=0.9"}, 2},
		{[]string{"text/plain;q=2, text/html"}, 0},
		{[]string{"text/plain;q=NaN"}, 0},
		{[]string{"text/plain;q=-1, text/html;q=x, application/json;q=0.001"}, 1},
	} {
		if got := accept.Best(test.header, offers); got != test.want {
			t.Errorf("%q: got %v, want %v", test.header, offers[got], offers[test.want])
		}
	}
}
