// Package accept chooses the format of a response that a client prefers (RFC 9110, 12.5.1).
package accept

import (
	"strconv"
	"strings"
)

// Best returns the index of the offer with the highest weight in the lines of an Accept header. Of
// equal ones it prefers the more specific, then the first. It returns 0 if the client accepts
// none. An offer is a list of media types; wildcards apply to the first of them only.
func Best(header []string, offers [][]string) int {
	best, highest, exactest := 0, 0.0, 0
	if len(header) == 0 {
		return best
	}
	for i, types := range offers {
		weight, exactness := weigh(header, types)
		if weight > highest || weight == highest && weight > 0 && exactness > exactest {
			best, highest, exactest = i, weight, exactness
		}
	}
	return best
}

// weigh returns the weight of an offer, and how specifically it is named: 2 for a type, 1 for
// "text/*", 0 for "*/*", -1 for not at all.
func weigh(header, types []string) (weight float64, exactness int) {
	exactness = -1
	for i, name := range types {
		major, _, _ := strings.Cut(name, "/")
		for _, line := range header {
			for item := range strings.SplitSeq(line, ",") {
				mediaRange, parameters, _ := strings.Cut(item, ";")
				exact := -1
				switch mediaRange = strings.ToLower(strings.TrimSpace(mediaRange)); {
				case mediaRange == name:
					exact = 2
				case i > 0:
				case mediaRange == major+"/*":
					exact = 1
				case mediaRange == "*/*":
					exact = 0
				}
				if exact > exactness {
					weight, exactness = weightOf(parameters), exact
				}
			}
		}
	}
	return weight, exactness
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
