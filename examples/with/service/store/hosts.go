package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/alexedwards/scs/v2"

	"example.com/flowercafe/examples/with/service/booking"
)

// This file is what hosts with the same database must not keep in memory: sessions, counters, and
// the results of requests that clients repeat.

// Sessions returns a store for the sessions of users.
func (s *Store) Sessions() scs.CtxStore { return sessions{store: s} }

type sessions struct {
	scs.Store // nil: scs prefers the methods with a context
	store     *Store
}

func (s sessions) FindCtx(ctx context.Context, token string) (content []byte, found bool, err error) {
	read := func(r row, content *[]byte) error { return r.Scan(content) }
	content, err = one(ctx, s.store, read, "SELECT content FROM sessions WHERE token = $1 AND expires > $2", token, time.Now().Unix())
	if errors.Is(err, booking.ErrNotFound) {
		return nil, false, nil
	}
	return content, err == nil, err
}

func (s sessions) CommitCtx(ctx context.Context, token string, content []byte, expires time.Time) error {
	return s.store.run(ctx, `INSERT INTO sessions (token, content, expires) VALUES ($1, $2, $3)
		ON CONFLICT (token) DO UPDATE SET content = excluded.content, expires = excluded.expires`, token, content, expires.Unix())
}

func (s sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.store.run(ctx, "DELETE FROM sessions WHERE token = $1", token)
}

// Count adds 1 to a counter, and returns its value.
func (s *Store) Count(ctx context.Context, name string, expires time.Time) (int, error) {
	return one(ctx, s, readInt, `INSERT INTO counters (name, value, expires) VALUES ($1, 1, $2)
		ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`, name, expires.Unix())
}

// Counter returns the value of a counter, or 0 if there is none.
func (s *Store) Counter(ctx context.Context, name string) (int, error) {
	return one(ctx, s, readInt, "SELECT coalesce(max(value), 0) FROM counters WHERE name = $1", name)
}

// SetCounter sets the value of a counter.
func (s *Store) SetCounter(ctx context.Context, name string, value int, expires time.Time) error {
	return s.run(ctx, `INSERT INTO counters (name, value, expires) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires = excluded.expires`, name, value, expires.Unix())
}

func readInt(r row, n *int) error { return r.Scan(n) }

// Once calls f and keeps its result for a day. For a request with the same key it returns that
// result, and does not call f again. Without a key it only calls f. Call it in [Store.Change] of
// the house, so that the key is kept if and only if the change is.
func Once[T any](ctx context.Context, s *Store, house, key string, request any, f func(context.Context) (T, error)) (result T, err error) {
	if key == "" {
		return f(ctx)
	}
	text, err := json.Marshal(request)
	if err != nil {
		return result, fmt.Errorf("keep the request: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%T %s", request, text))
	digest := hex.EncodeToString(sum[:])
	type earlier struct{ request, result string }
	read := func(r row, e *earlier) error { return r.Scan(&e.request, &e.result) }
	switch before, err := one(ctx, s, read, "SELECT request, result FROM idempotency_keys WHERE house = $1 AND key = $2", house, key); {
	case errors.Is(err, booking.ErrNotFound):
	case err != nil:
		return result, err
	case before.request != digest:
		return result, booking.ErrKeyUsed
	default:
		return result, json.Unmarshal([]byte(before.result), &result)
	}
	if result, err = f(ctx); err != nil {
		return result, err
	}
	if text, err = json.Marshal(result); err != nil {
		return result, fmt.Errorf("keep the result: %w", err)
	}
	return result, s.run(ctx, "INSERT INTO idempotency_keys (house, key, request, result, expires) VALUES ($1, $2, $3, $4, $5)",
		house, key, digest, string(text), time.Now().AddDate(0, 0, 1).Unix())
}

// RemoveExpired removes sessions, counters and keys that have expired.
func (s *Store) RemoveExpired(ctx context.Context) error {
	for _, table := range []string{"sessions", "counters", "idempotency_keys"} {
		if err := s.run(ctx, "DELETE FROM "+table+" WHERE expires < $1", time.Now().Unix()); err != nil {
			return err
		}
	}
	return nil
}
