//go:build go1.27 && goexperiment.jsonv2

package apidoc_test

import (
	"context"
	"encoding/json"
	"encoding/json/jsontext"
	"errors"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// temperature has only the methods for encoding/json/v2, which encoding/json calls too.
type temperature struct{ tenths int64 }

func (t temperature) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.Int(t.tenths))
}

func (t *temperature) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '0' {
		return errors.New("write a number")
	}
	token, err := d.ReadToken()
	if err == nil {
		t.tenths, err = token.Int()
	}
	return err
}

// label has only AppendText.
type label struct{ text string }

func (l label) AppendText(b []byte) ([]byte, error) { return append(b, l.text...), nil }
func (l *label) UnmarshalText(b []byte) (err error) { l.text = string(b); return nil }

// The JSON that Go 1.27 writes for new methods and options is described and decoded.
func TestJSONOfGo127(t *testing.T) {
	type Size struct {
		Width  int  `json:"width"`
		Height *int `json:"height,omitempty"`
	}
	type pot struct {
		Heat  temperature            `json:"heat"`
		Heats map[string]temperature `json:"heats"`
		Label label                  `json:"label"`
		Size  Size                   `json:",embed"`
		Cover *struct {
			Lid bool `json:"lid"`
		} `json:",embed"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, p pot) (pot, error) { return p, nil })
	for name, text := range map[string]string{
		"nil pointers": `{"heat":215,"heats":{"a":-1},"label":"rose","width":3}`,
		"all members":  `{"heat":215,"heats":{},"label":"","width":3,"height":4,"lid":true}`,
	} {
		w := call(app, "POST", "/", "application/json", text)
		if w.Code != http.StatusOK || w.Body.String() != text {
			t.Errorf("%s: got %d %s, want %s", name, w.Code, w.Body, text)
		}
		var same pot
		if err := json.Unmarshal([]byte(text), &same); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b, err := json.Marshal(same); string(b) != text {
			t.Errorf("%s: encoding/json writes %s, %v", name, b, err)
		}
	}
	if w := call(app, "POST", "/", "application/json", `{"heat":"hot","heats":{},"label":"","width":3}`); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("got %d %s, want 422", w.Code, w.Body)
	}
	checkProperties[pot](t)

	type open struct {
		Rest map[string]int `json:",embed"`
	}
	refused := panicOf(func() {
		apidoc.Post(api, "/open", "", func(_ context.Context, o open) (open, error) { return o, nil })
	})
	if !strings.Contains(refused, "open.Rest: the option embed is for structs here") {
		t.Errorf("got %q", refused)
	}
}
