package routing_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing/internal/accept"
)

var acceptOffers = [][]string{{"text/html", "application/xhtml+xml"}, {"application/problem+json", "application/json"}, {"text/plain"}}

func TestAcceptBest(t *testing.T) {
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
		if got, _ := accept.Best(test.header, acceptOffers); got != test.want {
			t.Errorf("%q: got %v, want %v", test.header, acceptOffers[got], acceptOffers[test.want])
		}
	}
}

// An offer is accepted if its weight is above 0. Without a header, every offer is accepted.
func TestAcceptRefusesOffers(t *testing.T) {
	for header, want := range map[string]bool{
		"": true, " , ,": true, "*/*": true, "text/html": true, "text/*;q=0.001": true, "application/json": true,
		"image/png": false, "text/*;q=0": false, "text/plain;q=0, application/json;q=0": false, "text": false, "/": false, "*": false,
		"*/*;q=0": false, "text/html;q=0, application/json;q=0, text/plain;q=0, */*": false,
	} {
		if _, got := accept.Best([]string{header}, [][]string{{"text/html"}, {"application/json"}, {"text/plain"}}); got != want {
			t.Errorf("%q: got %v, want %v", header, got, want)
		}
	}
	if _, got := accept.Best(nil, acceptOffers); !got {
		t.Error("without a header, nothing is accepted")
	}
}

// Only the first hundred media ranges of all lines are read, including empty ones. A range that is
// too long is ignored.
func TestAcceptReadsAHundredRanges(t *testing.T) {
	for _, test := range []struct {
		header []string
		want   int
	}{
		{[]string{strings.Repeat("image/png,", 99) + "text/plain"}, 2},
		{[]string{strings.Repeat("image/png,", 100) + "text/plain"}, 0},
		{[]string{strings.Repeat(",", 99), "text/plain"}, 0},
		{[]string{"text/plain" + strings.Repeat(",", 1<<20)}, 2},
		{[]string{"application/json;a=" + strings.Repeat("x", 200) + ", text/html;q=0.5"}, 1},
		{[]string{"application/json" + strings.Repeat(";a=x", 1<<18) + ", text/html;q=0.5"}, 0},
	} {
		if got, _ := accept.Best(test.header, acceptOffers); got != test.want {
			t.Errorf("%.20q of %d: got %v, want %v", test.header[0], len(test.header[0]), acceptOffers[got], acceptOffers[test.want])
		}
	}
}

// Best agrees with a slow search of the whole header for each type of each offer.
func TestAcceptOfRandomHeaders(t *testing.T) {
	ranges := []string{"*/*", "text/*", "application/*", "image/*", "text/html", "application/xhtml+xml", "application/problem+json", "application/json", "text/plain"}
	random := rand.New(rand.NewPCG(seeded(t), 2))
	for range 5_000 {
		var header []string
		var names []string
		var weights []float64
		for range random.IntN(6) {
			name, weight := ranges[random.IntN(len(ranges))], float64(random.IntN(4))/4
			names, weights = append(names, name), append(weights, weight)
			header = append(header, fmt.Sprintf("%s;q=%v", name, weight))
		}
		want, highest, exactest := 0, 0.0, 0
		for i, types := range acceptOffers {
			weight, exactness := 0.0, 0
			for kind, name := range types {
				named := []string{name} // and less exactly
				if kind == 0 {
					named = append(named, name[:strings.Index(name, "/")]+"/*", "*/*")
				}
				for j := range names {
					if at := slices.Index(named, names[j]); at >= 0 && 3-at > exactness {
						weight, exactness = weights[j], 3-at
					}
				}
			}
			if weight > highest || weight == highest && weight > 0 && exactness > exactest {
				want, highest, exactest = i, weight, exactness
			}
		}
		if got, _ := accept.Best([]string{strings.Join(header, " , ")}, acceptOffers); got != want {
			t.Fatalf("%q: got %v, want %v", header, acceptOffers[got], acceptOffers[want])
		}
	}
}
