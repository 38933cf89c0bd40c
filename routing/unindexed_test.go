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
