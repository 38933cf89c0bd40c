package schema

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file reads and writes durations of ISO 8601, such as P1DT2H.

// isoDuration has a sign, weeks, or days, hours, minutes and seconds. Years and months have no
// fixed length. The numbers of digits keep sums within 64 bits.
var isoDuration = regexp.MustCompile(`^(-?)P(?:(\d{1,9})W|(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12}(?:\.\d{1,9})?)S)?)?)$`)

// ParseDuration reads a duration.
func ParseDuration(text string) (time.Duration, error) {
	parts := isoDuration.FindStringSubmatch(text)
	if parts == nil || strings.HasSuffix(text, "P") || strings.HasSuffix(text, "T") {
		return 0, errors.New("not a duration")
	}
	hours := 0
	for i, length := range []int{7 * 24, 24, 1} {
		n, _ := strconv.Atoi(parts[2+i]) // digits, or nothing
		hours += n * length
	}
	return time.ParseDuration(fmt.Sprintf("%s%dh0%sm0%ss", parts[1], hours, parts[5], parts[6]))
}

// formatDuration writes a duration in hours, minutes and seconds. Between hours and seconds,
// minutes are written even if they are 0 (RFC 3339, appendix A).
func formatDuration(d time.Duration) string {
	text := "PT"
	n := uint64(d)
	if d < 0 {
		text, n = "-PT", -n // also of the least duration
	}
	second := uint64(time.Second)
	hours, minutes, seconds, rest := n/second/3600, n/second/60%60, n/second%60, n%second
	hasSeconds := seconds > 0 || rest > 0
	if hours > 0 {
		text += strconv.FormatUint(hours, 10) + "H"
	}
	if minutes > 0 || hours > 0 && hasSeconds {
		text += strconv.FormatUint(minutes, 10) + "M"
	}
	if rest > 0 {
		return text + strings.TrimRight(fmt.Sprintf("%d.%09d", seconds, rest), "0") + "S"
	}
	if hasSeconds || n == 0 {
		text += strconv.FormatUint(seconds, 10) + "S"
	}
	return text
}
