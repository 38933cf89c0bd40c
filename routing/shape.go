package routing

import "strings"

// ending tells how a shape goes on behind its leading segments.
type ending uint8

const (
	exact    ending = iota // the path ends with the last segment
	wildcard               // rest is literal, what follows is the wildcard's value
	verified               // rest is literal, then the pattern's expression decides about the whole path
)

// shape is one reading of a pattern: leading segments, each literal or a parameter, and an ending.
type shape struct {
	pattern  *pattern
	segments []segment
	rest     string // literal text behind the segments; empty if end is exact
	end      ending
	nonEmpty bool // a wildcard that takes at least one character

	// text is the literal text with which every matching path begins; all of it if the shape has no parameters.
	text   string
	static bool // the segments hold no parameter

	// The first of the segments that are literal, and how long they are.
	leading, lead int

	prefix bool // whatever begins with text matches

	places []place
}

// segment is a slash and what follows it.
type segment struct {
	text    string
	param   bool
	dotless bool // a parameter without dots
}

// place is where a shape finds the value of a parameter: in the segment of that number, or behind the last segment and the
// rest.
type place struct {
	key     string
	segment int
}

const behindAll = -1

// wholeSegments makes the shape of tokens that hold no optional part. It reports false if a parameter shares its segment
// with something else or anything follows a wildcard.
func wholeSegments(p *pattern, tokens []token) (*shape, bool) {
	s := &shape{pattern: p, end: exact}
	used := s.read(tokens)
	switch tail := tokens[used:]; {
	case len(tail) == 0 && s.rest == "" && len(s.segments) > 0:
		return s.finish(), true
	case len(tail) == 1 && tail[0].kind == splat:
		s.end = wildcard
		s.nonEmpty = tail[0].greedy
		s.places = append(s.places, place{tail[0].text, behindAll})
		return s.finish(), true
	}
	return nil, false
}

// leadTo makes the shape that leads up to the first token that needs the pattern's expression.
func leadTo(p *pattern, tokens []token) *shape {
	s := &shape{pattern: p, end: verified}
	s.read(tokens)
	s.places = nil // the expression knows them
	return s.finish()
}

// read reads the leading whole segments of tokens into s, and the literal text behind them into s.rest. It returns the
// number of tokens that it has read.
func (s *shape) read(tokens []token) int {
	i := 0
	for ; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case t.kind == literal:
			s.rest += t.text
		case t.kind == param && strings.HasSuffix(s.rest, "/") && endsSegment(tokens[i+1:]) && s.cut(s.rest[:len(s.rest)-1]):
			s.places = append(s.places, place{t.text, len(s.segments)})
			s.segments = append(s.segments, segment{param: true, dotless: t.dotless})
			s.rest = ""
		default:
			// Whole segments in front of the last slash are still certain.
			if slash := strings.LastIndexByte(s.rest, '/'); slash > 0 && s.cut(s.rest[:slash]) {
				s.rest = s.rest[slash:]
			}
			return i
		}
	}
	if s.end == exact && s.cut(s.rest) {
		s.rest = ""
	} else if slash := strings.LastIndexByte(s.rest, '/'); slash > 0 && s.cut(s.rest[:slash]) {
		s.rest = s.rest[slash:]
	}
	return i
}

// endsSegment reports whether a parameter in front of tokens fills its segment to the end.
func endsSegment(tokens []token) bool {
	return len(tokens) == 0 || tokens[0].kind == literal && tokens[0].text[0] == '/'
}

// cut appends the segments of text, which is empty or begins with a slash. It reports false for other texts.
func (s *shape) cut(text string) bool {
	if text == "" {
		return true
	}
	if text[0] != '/' {
		return false
	}
	for _, segmentText := range strings.Split(text[1:], "/") {
		s.segments = append(s.segments, segment{text: segmentText})
	}
	return true
}

// finish computes what match needs.
func (s *shape) finish() *shape {
	s.static = true
	for _, g := range s.segments {
		if g.param {
			s.static = false
			break
		}
		s.text += "/" + g.text
		s.leading++
	}
	s.lead = len(s.text)
	if s.static {
		s.text += s.rest
		s.prefix = s.end == wildcard && !s.nonEmpty
	}
	return s
}

// match reports whether path has the shape s.
func (s *shape) match(path string) bool {
	if !strings.HasPrefix(path, s.text) {
		return false
	}
	if s.prefix {
		return true
	}
	if s.static {
		return s.finishes(path, len(s.text))
	}
	i := 0
	for _, g := range s.segments {
		if i == len(path) || path[i] != '/' {
			return false
		}
		end := segmentEnd(path, i+1)
		if !g.admits(path[i+1 : end]) {
			return false
		}
		i = end
	}
	return strings.HasPrefix(path[i:], s.rest) && s.finishes(path, i+len(s.rest))
}

// finishes reports whether path, of which the segments and the rest of s end at i, goes on as s does.
func (s *shape) finishes(path string, i int) bool {
	switch s.end {
	case exact:
		return i == len(path)
	case wildcard:
		return i < len(path) || !s.nonEmpty
	default:
		return s.pattern.expression.MatchString(path)
	}
}

// admits reports whether text can stand in the segment.
func (g segment) admits(text string) bool {
	if !g.param {
		return text == g.text
	}
	return text != "" && !(g.dotless && strings.IndexByte(text, '.') >= 0)
}

// first returns the first value of key in path, which matches s.
func (s *shape) first(path, key string) (string, bool) {
	if s == nil {
		return "", false
	}
	if s.end == verified {
		for _, value := range s.captured(path, key) {
			return value, true
		}
		return "", false
	}
	for _, place := range s.places {
		if place.key == key {
			return s.at(path, place.segment), true
		}
	}
	return "", false
}

// values returns all values of key in path, which matches s.
func (s *shape) values(path, key string) []string {
	if s == nil {
		return nil
	}
	if s.end == verified {
		return s.captured(path, key)
	}
	var values []string
	for _, place := range s.places {
		if place.key == key {
			values = append(values, s.at(path, place.segment))
		}
	}
	return values
}

// keys returns the keys that have a value in path, which matches s.
func (s *shape) keys(path string) []string {
	if s == nil {
		return nil
	}
	var keys []string
	if s.end == verified {
		for _, g := range s.pattern.groups {
			if len(s.captured(path, g.key)) > 0 {
				keys = append(keys, g.key)
			}
		}
		return keys
	}
	for _, place := range s.places {
		keys = append(keys, place.key)
	}
	return keys
}

// at cuts the value of a place out of path.
func (s *shape) at(path string, number int) string {
	last := number
	if number == behindAll {
		last = len(s.segments)
	}
	// What is literal in front of the first parameter has the same length in every path.
	begin := s.lead
	for range last - s.leading {
		begin = segmentEnd(path, begin+1)
	}
	switch {
	case number == behindAll:
		return path[begin+len(s.rest):]
	case number == len(s.segments)-1 && s.end == exact:
		return path[begin+1:]
	}
	return path[begin+1 : segmentEnd(path, begin+1)]
}

// captured returns the values that the pattern's expression finds for key.
func (s *shape) captured(path, key string) []string {
	var match []int
	var values []string
	for _, g := range s.pattern.groups {
		if g.key != key {
			continue
		}
		if match == nil {
			match = s.pattern.expression.FindStringSubmatchIndex(path)
		}
		switch from := match[2*g.number]; {
		case from >= 0:
			values = append(values, path[from:match[2*g.number+1]])
		case s.pattern.search:
			values = append(values, "") // so that positions stay
		}
	}
	return values
}
