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
	code := func(code string) error { return &pgconn.PgError{Code: code} }
	for _, test := range []struct {
		err  error
		want bool
	}{
		{fmt.Errorf("%w: %w", errNoSession, errors.New("pgxpool: too many failed attempts")), true},
		{fmt.Errorf("%w: %w", errNoSession, code("53300")), true},
		{fmt.Errorf("%w: %w", errNotBegun, code("0A000")), true},
		{fmt.Errorf("%w: %w", errLost, io.ErrUnexpectedEOF), true},
		{fmt.Errorf("%w: %w", errLost, code("57P01")), true},
		{code("40001"), true},
		{code("40P01"), true},
		{code("55P03"), true},
		{code("57014"), true},
		{code("42P01"), false},
		{code("53100"), false},
		{fmt.Errorf("%w: %w", ErrUnknown, io.EOF), false},
		{fmt.Errorf("%w: %w", errNoSession, errEncoding), false},
		{fmt.Errorf("%w: %w", errRows, errors.New("too many")), false},
		{context.Canceled, false},
		{errors.New("other"), false},
	} {
		if got := Repeatable(fmt.Errorf("wrapped: %w", test.err)); got != test.want {
			t.Errorf("%v: got %v, want %v", test.err, got, test.want)
		}
	}
}
