package value

import (
	"encoding/json"
	"testing"
)

// A string is encoded so that encoding/json reads what it reads of its own text, and browsers no
// HTML.
func FuzzStrings(f *testing.F) {
	for _, seed := range []string{"", "plain", `"\/`, "\b\f\n\r\t\x00\x1f\x7f", "<script>&", "ä€😀", "\u2028\u2029", "\xff\xc3(\xe2\x80", "\ufffd"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendString(nil, text); string(got) != string(want) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	})
}
