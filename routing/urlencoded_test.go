package routing_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	encoded "example.com/flowercafe/internal/urlencoded"
)

// literalCharacter matches characters that url.ParseQuery refuses and the URL Standard keeps.
var literalCharacter = regexp.MustCompile(`;|%($|[^0-9A-Fa-f]|[0-9A-Fa-f]($|[^0-9A-Fa-f]))`)

// parsedByURL reads a text with url.ParseQuery, after escaping the characters that it refuses.
func parsedByURL(t testing.TB, text string) url.Values {
	escaped := ""
	for text != "" {
		at := literalCharacter.FindStringIndex(text)
		if at == nil {
			break
		}
		escaped += text[:at[0]] + fmt.Sprintf("%%%02X", text[at[0]])
		text = text[at[0]+1:]
	}
	values, err := url.ParseQuery(escaped + text)
	if err != nil {
		t.Skip(err) // the limit on the number of parameters
	}
	return values
}

// All functions find the same values as package url.
func FuzzFields(f *testing.F) {
	for _, text := range []string{
		"", "a=1", "a=1&a=2", "a+b=%20&%61=x", "=&=x&&", "a=b=c", "%zz=%", "%%61=1&a%6=2&a=%%31", "b=1;a=2", "ü=%C3%BC%ff",
		strings.Repeat("a=1&%61=%31+&b=%&", 20),
	} {
		f.Add(text, "a")
		f.Add(text, "")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		want := parsedByURL(t, text)
		var index encoded.Index
		for how, fields := range map[string]encoded.Fields{
			"text":              encoded.Of(text),
			"index, first time": index.Fields(text),
			"index, again":      index.Fields(text),
			"values":            encoded.Parsed(encoded.Parse(text)),
		} {
			var each []string
			fields.Each(key, func(value string) bool { each = append(each, value); return true })
			if !slices.Equal(each, want[key]) {
				t.Errorf("%s %q: got the values %q of %q, want %q", how, text, each, key, want[key])
			}
			if got := fields.Append(nil, key); !slices.Equal(got, want[key]) {
				t.Errorf("%s %q: appended the values %q of %q, want %q", how, text, got, key, want[key])
			}
			keys := slices.Compact(slices.Sorted(slices.Values(fields.AppendKeys(nil))))
			if want := slices.Sorted(maps.Keys(want)); !slices.Equal(keys, want) {
				t.Errorf("%s %q: got the keys %q, want %q", how, text, keys, want)
			}
		}
	})
}

// Each stops when its function returns false.
func TestURLEncodedEachStops(t *testing.T) {
	for _, fields := range []encoded.Fields{encoded.Of("a=1&a=2"), encoded.Parsed(url.Values{"a": {"1", "2"}})} {
		var got []string
		if fields.Each("a", func(value string) bool { got = append(got, value); return false }) || len(got) != 1 {
			t.Errorf("got %q, want one value", got)
		}
	}
}

// A lookup in a short text does not allocate. In a long text, the third and later lookups do not
// allocate, since the values are decoded once.
func TestURLEncodedAllocations(t *testing.T) {
	short, long := "page=2&q=rose", strings.Repeat("%61=%62&", 100)
	var found int
	count := func(string) bool { found++; return true }
	first := testing.AllocsPerRun(100, func() {
		encoded.NewIndex(short).Fields(short).Each("q", count)
	})
	index := encoded.NewIndex(long)
	index.Fields(long)
	third := testing.AllocsPerRun(100, func() { index.Fields(long).Each("a", count) })
	if first != 0 || third != 0 {
		t.Errorf("got %v and %v allocations, want none", first, third)
	}
	if want := 101 + 101*100; found != want {
		t.Errorf("found %d values, want %d", found, want)
	}
}

// A percent sign that encodes nothing costs no allocation, since a body may have many.
func TestURLEncodedPercentSigns(t *testing.T) {
	fields := encoded.Of(strings.Repeat("%zz", 1000) + "=1")
	allocs := testing.AllocsPerRun(10, func() {
		fields.Each("a", func(string) bool { return true })
	})
	if allocs > 10 {
		t.Errorf("got %v allocations for 1000 percent signs, want a few", allocs)
	}
}

// Middleware may change the query between two lookups.
func TestURLEncodedTextChanges(t *testing.T) {
	padding := strings.Repeat("x", encoded.Short)
	var index encoded.Index
	for _, value := range []string{"1", "1", "2", "1", "1", "1"} {
		if got := index.Fields("a="+value+"&"+padding).Append(nil, "a"); !slices.Equal(got, []string{value}) {
			t.Errorf("got %q, want %q", got, value)
		}
	}
}

// A form that was parsed before is found without the values of the query.
func TestURLEncodedForm(t *testing.T) {
	request := func(method string) *http.Request {
		r := httptest.NewRequest(method, "/?a=query&b=query", strings.NewReader("a=1&a=2&c=3"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return r
	}
	want := url.Values{"a": {"1", "2"}, "c": {"3"}}
	for method, isForm := range map[string]bool{"POST": true, "PUT": true, "PATCH": true, "QUERY": true, "DELETE": false, "GET": false} {
		if encoded.TakesForm(method) != isForm {
			t.Errorf("%s: want %v", method, isForm)
		}
		r := request(method)
		if _, isParsed := encoded.Form(r); isParsed {
			t.Errorf("%s: parsed before it is parsed", method)
		}
		r.ParseForm()
		for range 2 {
			values, isParsed := encoded.Form(r)
			if isForm := isForm && method != "QUERY"; isParsed != isForm || isParsed && !maps.EqualFunc(values, want, slices.Equal) {
				t.Errorf("%s: got %v, %v", method, values, isParsed)
			}
			r.PostForm = nil // then Form has them all
		}
	}
}
