package stock

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// The tokens of clients: Secret may do everything, Visitor only what needs no scopes.
const (
	Secret  = "correct-horse"
	Visitor = "just-looking"
)

// Rose is the item that exists from the start. It was created at Opened.
var (
	Rose   = uuid.MustParse("0190c0de-0000-4000-8000-000000000001")
	Opened = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
)

// PNG is the photo of the Rose, with bytes that are not valid text.
var PNG = func() []byte {
	dot := image.NewRGBA(image.Rect(0, 0, 4, 4))
	dot.Set(1, 2, color.RGBA{R: 200, G: 20, B: 60, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, dot); err != nil {
		panic(err)
	}
	return b.Bytes()
}()

// Now returns the time in whole seconds.
func Now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// ETag returns a tag for a text.
func ETag(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return fmt.Sprintf("%q", strconv.FormatUint(h.Sum64(), 16))
}

// Has reports whether a value is in a list.
func Has[T comparable](list []T, value T) bool { return slices.Contains(list, value) }

// Set sets *to unless value is nil.
func Set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// After returns the events after the last event that a client has seen. They are numbered from 1.
func After(seen string, events ...string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		last, _ := strconv.Atoi(seen) // 0 for a client that has received none
		for i, event := range events {
			if i+1 > last && !yield(strconv.Itoa(i+1), event) {
				return
			}
		}
	}
}

// ImageType returns image/gif or image/png, the types of photos.
func ImageType(photo []byte) string {
	if http.DetectContentType(photo) == "image/gif" {
		return "image/gif"
	}
	return "image/png"
}
