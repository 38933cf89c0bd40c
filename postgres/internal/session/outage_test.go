package session

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A call without a response while others get one, as on a host whose CPU is full, is no outage. A
// server that refuses is one, and so is one that responds to nobody.
func TestSlowIsNoOutage(t *testing.T) {
	silent, refusal := errors.New("no response"), &pgconn.PgError{Code: "53300"}
	for _, test := range []struct {
		name     string
		answered bool // another call, meanwhile
		err      error
		want     bool
	}{
		{"slow", true, silent, false},
		{"silent", false, silent, true},
		{"refused", true, refusal, true},
	} {
		o := outages{logger: slog.New(slog.DiscardHandler), opened: time.Now().Add(-time.Minute)}
		begin := time.Now()
		if test.answered {
			o.success()
		}
		o.failure(begin.Add(-time.Second), test.err)
		if got := o.active.Load(); got != test.want {
			t.Errorf("%s: got an outage: %v, want %v", test.name, got, test.want)
		}
	}
}
