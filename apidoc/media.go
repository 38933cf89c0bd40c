package apidoc

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// This file compares media types.

// checkMedia refuses a body of another media type.
func checkMedia(r *http.Request, media []string) error {
	header := r.Header.Get("Content-Type")
	if header == media[0] || accepts(media, header) || header == "" && slices.Contains(media, typeBytes) {
		return nil
	}
	return unsupportedType.With("Send the body with the content type %s", strings.Join(media, " or "))
}

// accepts reports whether a Content-Type is one of the described media types. JSON has many names,
// and bytes may be anything.
func accepts(media []string, contentType string) bool {
	got, _, err := mime.ParseMediaType(contentType)
	return err == nil && slices.ContainsFunc(media, func(m string) bool {
		prefix, open := strings.CutSuffix(m, "*")
		return m == got || m == typeBytes || m == typeJSON && isJSON(got) || open && strings.HasPrefix(got, prefix)
	})
}

func isJSON(media string) bool {
	return media == typeJSON || strings.HasSuffix(media, "+json")
}

// splitMedia returns the media types of a list with commas between them.
func splitMedia(list string) []string {
	media := strings.Split(list, ",")
	for i := range media {
		media[i] = strings.TrimSpace(media[i])
	}
	return media
}

// headerOf returns the Content-Type of a described media type.
func headerOf(media string) string {
	switch {
	case strings.HasPrefix(media, "text/") && !strings.Contains(media, ";"):
		return media + "; charset=utf-8"
	case strings.Contains(media, "*"):
		return typeBytes
	}
	return media
}
