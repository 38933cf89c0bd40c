// Package accept chooses the format of a response that a client prefers (RFC 9110, 12.5.1).
package accept

import (
	"slices"
	"strconv"
	"strings"
)

// These limits are for media ranges. Browsers send up to ten short ones.
const maxRanges, maxRangeLength = 100, 256

// Header is a parsed Accept header. The zero Header has no lines.
type Header struct {
	lines  []string
	ranges []mediaRange
	array  [10]mediaRange // of ranges, unless the header has more
}

// mediaRange is a media range of a header with its weight.
type mediaRange struct {
	name   string
	weight float64
}

// Read reads the lines of an Accept header, unless it has read the same ones.
func (h *Header) Read(lines []string) {
	if h.ranges != nil && slices.Equal(h.lines, lines) {
		return
	}
	h.lines, h.ranges = slices.Clone(lines), h.array[:0]
	for item := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if len(h.ranges) == maxRanges {
			break
		}
		name, parameters, _ := strings.Cut(item, ";")
		if len(item) > maxRangeLength {
			name = ""
		}
		h.ranges = append(h.ranges, mediaRange{strings.TrimSpace(name), weightOf(parameters)})
	}
}

// Best returns the index of the offer with the highest weight. Among equal weights it prefers the
// more specific media range, then the first offer. If the client accepts no offer, it returns 0 and
// false. Without a header, or with an empty header, every offer is accepted. An offer is a list of
// media types; wildcards apply to the first of them only. Media ranges after the first hundred, and
// ranges of more than 256 bytes, are ignored.
func (h *Header) Best(offers [][]string) (index int, accepted bool) {
	if !slices.ContainsFunc(h.lines, func(line string) bool { return strings.Trim(line, ", \t") != "" }) {
		return 0, true
	}
	var best rangeMatch
	for i, types := range offers {
		found := h.weigh(types)
		if found.weight > best.weight || found.weight == best.weight && found.weight > 0 && found.exactness > best.exactness {
			best, index = found, i
		}
	}
	return index, best.weight > 0
}

// Best is [Header.Best] for the lines of a header.
func Best(lines []string, offers [][]string) (index int, accepted bool) {
	if len(lines) == 0 {
		return 0, true
	}
	var h Header
	h.Read(lines)
	return h.Best(offers)
}

// rangeMatch is the media range of a header that matches an offer.
type rangeMatch struct {
	weight    float64
	exactness int
	typeIndex int // of the media type in the offer
}

// exact is the exactness of a media range without wildcards.
const exact = 3

// weigh returns the media range that matches an offer. It prefers the most specific, then a match
// of the offer's first type, then the first in the header.
func (h *Header) weigh(types []string) (found rangeMatch) {
	for _, r := range h.ranges {
		for i, mediaType := range types {
			exactness := exactnessOf(r.name, mediaType)
			if exactness < exact && i > 0 {
				continue
			}
			if exactness > found.exactness || exactness == found.exactness && exactness > 0 && i < found.typeIndex {
				found = rangeMatch{r.weight, exactness, i}
			}
		}
	}
	return found
}

// exactnessOf returns how specifically a media range matches a type: 1 for "*/*", 2 for "text/*", 3
// for the same type, 0 if it does not match.
func exactnessOf(mediaRange, mediaType string) int {
	rangeMajor, hasWildcard := strings.CutSuffix(mediaRange, "/*")
	major, _, _ := strings.Cut(mediaType, "/")
	switch {
	case strings.EqualFold(mediaRange, mediaType):
		return exact
	case hasWildcard && strings.EqualFold(rangeMajor, major):
		return 2
	case hasWildcard && rangeMajor == "*":
		return 1
	}
	return 0
}

// weightOf returns the parameter q, at most 1. It is 1 if q is missing, and 0 if q is not a
// positive number.
func weightOf(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || !(weight > 0) {
				return 0
			}
			return min(weight, 1)
		}
	}
	return 1
}
