package routing_test

// This file compares patterns with recorded matches of Mustermann (of Sinatra) and Rails.
// testdata/oracle/record.rb recorded it.

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// A recordedPattern has the answers for some paths: a path, and lists of values by name, or null if
// it did not match.
type recordedPattern struct {
	Pattern string               `json:"pattern"`
	Where   map[string]string    `json:"where"`
	Paths   [][2]json.RawMessage `json:"paths"`
}

func TestRecordedPatterns(t *testing.T) {
	data, err := os.ReadFile("testdata/oracle/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Sinatra, Rails []recordedPattern }
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	for _, syntax := range []struct {
		name     string
		patterns []recordedPattern
		app      func() *routing.App
	}{
		{"Sinatra", recorded.Sinatra, func() *routing.App { return routing.New(quiet()) }},
		{"Rails", recorded.Rails, func() *routing.App { return railsApp() }},
	} {
		refused, compared, different := 0, 0, 0
		if testing.Short() {
			syntax.patterns = syntax.patterns[:len(syntax.patterns)/4]
		}
		for _, p := range syntax.patterns {
			app := syntax.app()
			var got map[string][]string
			if err := defined(app, syntax.name == "Sinatra", p, &got); err != nil {
				refused++
				t.Logf("%s %q: %v", syntax.name, p.Pattern, err)
				continue
			}
			for _, row := range p.Paths {
				var path string
				var want map[string][]string
				if json.Unmarshal(row[0], &path) != nil || json.Unmarshal(row[1], &want) != nil {
					t.Fatalf("cannot read %s", row)
				}
				got = nil
				app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://x"+path, nil))
				compared++
				if (got == nil) != (want == nil) || !maps.EqualFunc(got, want, slices.Equal) {
					if different++; isOddity(p.Pattern, path) {
						continue
					}
					t.Errorf("%s %q where %v on %q: got %v, recorded %v", syntax.name, p.Pattern, p.Where, path, got, want)
				}
			}
		}
		t.Logf("%s: %d compared, %d different, %d patterns refused", syntax.name, compared, different, refused)
		if different*100 > compared || refused*20 > len(syntax.patterns) {
			t.Errorf("%s: too many are different or refused", syntax.name)
		}
	}
}

// isOddity reports whether Mustermann answers differently: its look-ahead does not let "/:a" in
// front of "b?" match "/b".
func isOddity(pattern, path string) bool {
	return strings.HasSuffix(pattern, "b?") && strings.HasSuffix(path, "/b")
}

// defined defines a route that stores its parameters, and returns a panic as an error.
func defined(app *routing.App, isSinatra bool, p recordedPattern, got *map[string][]string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	var options []routing.RouteOption
	for name, is := range p.Where {
		options = append(options, routing.Where(name, is))
	}
	text := p.Pattern
	if isSinatra {
		text = regexp.MustCompile(`\*([a-z])`).ReplaceAllString(text, "{+$1}") // a star has no name here
	}
	app.Get(text, func(c routing.Context) (routing.Result, error) {
		*got = make(map[string][]string)
		for _, key := range c.Params().Keys() {
			(*got)[key] = c.Params().Values(key)
		}
		return routing.Result{}, nil
	}, options...)
	return nil
}
