package message

import (
	"net/url"
	"slices"
	"testing"
)

// Queries are parsed like by net/url, unless it returns an error.
func FuzzQueries(f *testing.F) {
	for _, seed := range []string{"a=1&a=2", "%61=x+y", "a", "&&a=&=", "a=%zz", "b=1;a=2", "+=1"} {
		f.Add(seed, "a")
		f.Add(seed, "+")
	}
	f.Fuzz(func(t *testing.T, query, name string) {
		want, err := url.ParseQuery(query)
		if err != nil {
			t.Skip()
		}
		if got := Query(query, name, nil); !slices.Equal(got, want[name]) {
			t.Errorf("%q in %q: got %q, want %q", name, query, got, want[name])
		}
	})
}
