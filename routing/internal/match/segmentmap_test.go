package match

import (
	"strings"
	"testing"
)

// longSegment finds a slash at every offset of texts of up to 39 bytes.
func TestLongSegment(t *testing.T) {
	for length := range 40 {
		for slash := range length + 1 {
			path := []byte(strings.Repeat("é", 20)[:length])
			if slash < length {
				path[slash] = '/'
			}
			for i := range length + 1 {
				want := length
				if n := strings.IndexByte(string(path[i:]), '/'); n >= 0 {
					want = i + n
				}
				if _, got := longSegment(string(path), i); got != want {
					t.Fatalf("%q from %d: got %d, want %d", path, i, got, want)
				}
			}
		}
	}
}
