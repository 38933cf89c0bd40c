package routing_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

func TestUnindexed(t *testing.T) {
	app := routing.New()
	for _, test := range []struct {
		pattern routing.Pattern
		want    bool
	}{
		{routing.Regexp(regexp.MustCompile(`\.png$`)), true},
		{routing.Regexp(regexp.MustCompile(`^/(\w+)-(\d+)$`)), true},
		{routing.Regexp(regexp.MustCompile(`(?i)^/a`)), true},
		{routing.Regexp(regexp.MustCompile(`^/a|^/b`)), true},
		{routing.Regexp(regexp.MustCompile(`^/year/(\d+)$`)), false},
		{routing.Regexp(regexp.MustCompile(`^(/api)/v(\d+)`)), false},
		{routing.Must(routing.Sinatra("/:name.:format")), true},
		{routing.Must(routing.Rails("/:name(.:format)")), false},
		{routing.Must(routing.Sinatra("*.png")), true},
		{routing.Must(routing.Sinatra("/files/*.png")), false},
		{routing.Must(routing.Sinatra("/:a/x-:b")), false},
		{routing.Must(routing.Sinatra("/:a")), false},
		{routing.Must(routing.Sinatra("*")), false},
		{routing.Pattern{}, false},
	} {
		before := len(app.Unindexed())
		app.Route("GET", test.pattern, text(""))
		if got := len(app.Unindexed()) > before; got != test.want {
			t.Errorf("%q: got %v, want %v", test.pattern, got, test.want)
		}
	}
}

// Many patterns that are tried on every request are logged once, however often routes are added.
func TestManyUnindexedAreLogged(t *testing.T) {
	var log strings.Builder
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	for i := range 103 {
		app.Route("GET", routing.Regexp(regexp.MustCompile(fmt.Sprintf(`x%d$`, i))), text(""))
		app.Get(fmt.Sprintf("/a%d", i), text(""))
		app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if told := strings.Count(log.String(), "every request"); (i == 100) != (told == 1) && i <= 100 || told > 1 {
			t.Fatalf("with %d routes the log is %q", i+1, &log)
		}
	}
	if !strings.Contains(log.String(), "routes=101") || !strings.Contains(log.String(), "GET x0$") {
		t.Errorf("the log is %q, want the number and an example", &log)
	}
}
