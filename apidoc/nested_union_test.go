package apidoc_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests the depth of values whose types decode themselves: each decodes the text of those
// in it again, so a deep body of some hundred kilobytes took seconds.

type (
	condition struct{ any }
	not       struct {
		Not condition `json:"not"`
	}
	is struct {
		Is string `json:"is"`
	}
)

func (condition) OneOf() []any                   { return []any{not{}, is{}} }
func (c condition) MarshalJSON() ([]byte, error) { return json.Marshal(c.any) }

func (c *condition) UnmarshalJSON(text []byte) error {
	var n struct{ Not *condition }
	if err := json.Unmarshal(text, &n); err != nil || n.Not != nil {
		c.any = n
		return err
	}
	var i is
	err := json.Unmarshal(text, &i)
	c.any = i
	return err
}

func TestDepthOfNestedUnions(t *testing.T) {
	calls := 0
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in condition) (none struct{}, _ error) { calls++; return none, nil })
	nested := func(depth int) string {
		return strings.Repeat(`{"not":`, depth-1) + `{"is":"oak"}` + strings.Repeat("}", depth-1)
	}
	for depth, want := range map[int]int{1: 204, 2: 204, 64: 204, 65: 422, 100: 422, 9000: 422} {
		w := call(app, "POST", "/", "application/json", nested(depth))
		if w.Code != want || want == 422 && !strings.Contains(w.Body.String(), "must") {
			t.Errorf("%d deep: got %d %.200s", depth, w.Code, w.Body)
		}
	}
	if calls != 3 {
		t.Errorf("called %d times", calls)
	}
}
