package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestRepeatable(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{&pgconn.PgError{Code: "08000"}, true},
		{&pgconn.PgError{Code: "08006"}, true},
		{&pgconn.PgError{Code: "08P01"}, true}, // of PgBouncer, for a lost server
		{&pgconn.PgError{Code: "40001"}, true},
		{&pgconn.PgError{Code: "53300"}, true},
		{&pgconn.PgError{Code: "53400"}, true},
		{&pgconn.PgError{Code: "55P03"}, true},
		{&pgconn.PgError{Code: "57014"}, true},
		{&pgconn.PgError{Code: "57P01"}, true},
		{&pgconn.PgError{Code: "57P05"}, true},
		{io.ErrUnexpectedEOF, true},
		{&pgconn.PgError{Code: "28P01"}, false},
		{&pgconn.PgError{Code: "42P01"}, false},
		{&pgconn.PgError{Code: "53100"}, false},
		{fmt.Errorf("%w: %w", ErrUnknown, io.EOF), false},
		{context.Canceled, false},
		{errors.New("other"), false},
	} {
		if got := Repeatable(fmt.Errorf("wrapped: %w", test.err)); got != test.want {
			t.Errorf("%v: got %v, want %v", test.err, got, test.want)
		}
	}
}
