package apidoc

import (
	"encoding/json"
	"errors"
)

// Optional is a member of a JSON object that is absent, null or a value, for merge patches (RFC
// 7396). A member is described as a T that may be null and is not required. Rules in its field's
// tag apply to the value. A parameter is never Null.
//
// Without a default, an absent Optional is not written. For encoding/json, as in an interface, its
// tag needs omitzero.
type Optional[T any] struct {
	Value T // zero if null or not set
	Null  bool
	Set   bool // to null or a value, which may be the default
}

// Some returns an Optional with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Value: v, Set: true} }

// Null returns an Optional that is null.
func Null[T any]() Optional[T] { return Optional[T]{Null: true, Set: true} }

// IsZero reports whether the member is absent.
func (o Optional[T]) IsZero() bool { return !o.Set && !o.Null }

// MarshalJSON is for encoding/json.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	switch {
	case o.IsZero():
		return nil, errors.New("apidoc: an absent Optional has no JSON, and null would be another value: add omitzero to the json tag of its field")
	case o.Null:
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// UnmarshalJSON is for encoding/json.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	*o = Optional[T]{Set: true, Null: string(text) == "null"}
	if o.Null {
		return nil // T may not decode it
	}
	return json.Unmarshal(text, &o.Value)
}
