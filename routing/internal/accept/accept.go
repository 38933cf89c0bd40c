// Package accept chooses the format of a response that a client prefers (RFC 9110, 12.5.1).
package accept

import (
	"slices"
	"strconv"
	"strings"
)

// These limits are for media ranges, of which browsers send up to ten short ones.
const mostRanges, longestRange = 100, 256

// Best returns the index of the offer with the highest weight in the lines of an Accept header. Of
// equal ones it prefers the more specific, then the first. If the client accepts none, it returns 0
// and false. An empty header is the same as none: every offer is accepted. An offer is a list of
// media types; wildcards apply to the first of them only. Media ranges after the first hundred, and
// those of more than 256 bytes, do not count.
func Best(header []string, offers [][]string) (number int, accepted bool) {
	if !slices.ContainsFunc(header, func(line string) bool { return strings.Trim(line, ", \t") != "" }) {
		return 0, true
	}
	var best candidate
	for i, found := range weigh(header, offers) {
		if found.weight > best.weight || found.weight == best.weight && found.weight > 0 && found.exactness > best.exactness {
			best, number = found, i
		}
	}
	return number, best.weight > 0
}

// candidate says how a header names an offer.
type candidate struct {
	weight    float64
	exactness int
	kind      int // the number of the media type in the offer
}

// exact is the exactness of a media range that names a type itself.
const exact = 3

// weigh returns how the header names each offer, in one pass over the header. The most specific
// name counts, then that of the offer's first type, then the first in the header.
func weigh(header []string, offers [][]string) []candidate {
	found := make([]candidate, len(offers))
	ranges := 0
	for item := range strings.SplitSeq(strings.Join(header, ","), ",") {
		if ranges++; ranges > mostRanges {
			break
		}
		if len(item) > longestRange {
			continue
		}
		mediaRange, parameters, _ := strings.Cut(item, ";")
		mediaRange, weight := strings.TrimSpace(mediaRange), weightOf(parameters)
		for i, types := range offers {
			for kind, name := range types {
				how := exactnessOf(mediaRange, name)
				if how < exact && kind > 0 {
					continue
				}
				if f := &found[i]; how > f.exactness || how == f.exactness && how > 0 && kind < f.kind {
					*f = candidate{weight, how, kind}
				}
			}
		}
	}
	return found
}

// exactnessOf says how specifically a media range names a type: 1 for "*/*", 2 for "text/*", 3 for
// the type itself, 0 if it does not.
func exactnessOf(mediaRange, name string) int {
	major, isOpen := strings.CutSuffix(mediaRange, "/*")
	ofName, _, _ := strings.Cut(name, "/")
	switch {
	case strings.EqualFold(mediaRange, name):
		return exact
	case isOpen && strings.EqualFold(major, ofName):
		return 2
	case isOpen && major == "*":
		return 1
	}
	return 0
}

// weightOf returns the parameter q. It is 1 if missing, and 0 if it is not a number.
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
