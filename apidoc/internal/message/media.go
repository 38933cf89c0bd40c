// Package message parses media types, and has the headers of a response as a client gets them.
package message

import (
	"fmt"
	"mime"
	"slices"
	"strings"
)

// Media types.
const (
	JSON      = "application/json"
	Problem   = "application/problem+json"
	Form      = "application/x-www-form-urlencoded"
	Multipart = "multipart/form-data"
	Text      = "text/plain"
	Bytes     = "application/octet-stream"
	Events    = "text/event-stream"
	Lines     = "application/jsonl"
	NDJSON    = "application/x-ndjson" // another name of JSON Lines
)

// Has reports whether media types include a Content-Type: image/* includes all images. Unless a tag
// lists them, JSON includes +json types, and bytes alone include all types.
func Has(media []string, areListed bool, contentType string) bool {
	got, _, err := mime.ParseMediaType(contentType)
	return err == nil && slices.ContainsFunc(media, func(m string) bool {
		return includes(m, got) || !areListed && (m == Bytes && len(media) == 1 || m == JSON && IsJSON(got))
	})
}

// Accepts is [Has] for the media types of a file.
func Accepts(media []string, contentType string) bool { return Has(media, false, contentType) }

// includes reports whether a described media type is got, or a range that includes it.
func includes(described, got string) bool {
	described, _, _ = strings.Cut(described, ";")
	prefix, isOpen := strings.CutSuffix(strings.TrimPrefix(described, "*/"), "*")
	return strings.EqualFold(described, got) || isOpen && strings.HasPrefix(got, strings.ToLower(prefix))
}

// IsJSON reports whether all media types are JSON.
func IsJSON(media ...string) bool {
	return !slices.ContainsFunc(media, func(m string) bool { return m != JSON && !strings.HasSuffix(m, "+json") })
}

// AreLines reports whether all media types are JSON Lines.
func AreLines(media ...string) bool {
	return !slices.ContainsFunc(media, func(m string) bool { return m != Lines && m != NDJSON })
}

// Types returns the media types of a list with commas between them: as they are written, and
// without parameters, which do not matter for reading. It returns an error for an invalid
// media type, and for a duplicate.
func Types(list string) (written, types []string, err error) {
	written = Split(list)
	for _, text := range written {
		media, _, err := mime.ParseMediaType(text)
		switch {
		case err != nil || !strings.Contains(media, "/"):
			return nil, nil, fmt.Errorf("%q is not a media type: write one such as application/json", text)
		case slices.Contains(types, media):
			return nil, nil, fmt.Errorf("the media type %s occurs twice: write it once", media)
		}
		types = append(types, media)
	}
	return written, types, nil
}

// Split returns the parts of a list with commas between them.
func Split(list string) []string {
	parts := strings.Split(list, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// ContentType returns the header for a described media type.
func ContentType(media string) string {
	switch {
	case strings.HasPrefix(media, "text/") && !strings.Contains(media, ";"):
		return media + "; charset=utf-8"
	case strings.Contains(media, "*"):
		return Bytes
	}
	return media
}
