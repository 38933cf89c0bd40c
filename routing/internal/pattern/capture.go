package pattern

// This file captures parameters from paths that match. Literal text has the same length in the
// path and in the shape's source, so only the parameters need a search. The path may have changed
// since it matched: a missing part has no value.

// First returns the first value of key in path, which has shape s. A nil shape has no parameters.
func (s *Shape) First(path, key string) (string, bool) {
	if s == nil {
		return "", false
	}
	if s.end == decided {
		return s.expression.first(path, key)
	}
	begin, from := 0, 0 // in the path, in the source
	for i, p := range s.params {
		begin += int(p.from) - from
		from = int(p.to)
		if begin > len(path) {
			break
		}
		end := s.valueEnd(path, begin, i)
		if s.key(p) == key {
			return cut(path, begin, end)
		}
		begin = end
	}
	return "", false
}

// Values returns all values of key in path, which has shape s.
func (s *Shape) Values(path, key string) (values []string) {
	for k, value := range s.All(path) {
		if k == key {
			values = append(values, value)
		}
	}
	return values
}

// Keys returns the parameters that have a value in path, which has shape s, once for each value.
func (s *Shape) Keys(path string) (keys []string) {
	for key := range s.All(path) {
		keys = append(keys, key)
	}
	return keys
}

// All returns the names and values in path, which has shape s, in order.
func (s *Shape) All(path string) func(yield func(key, value string) bool) {
	return func(yield func(key, value string) bool) {
		switch {
		case s == nil:
			return
		case s.end == decided:
			s.expression.all(path, yield)
			return
		}
		begin, from := 0, 0
		for i, p := range s.params {
			if begin += int(p.from) - from; begin > len(path) {
				return
			}
			end := s.valueEnd(path, begin, i)
			value, ok := cut(path, begin, end)
			if !ok || !yield(s.key(p), value) {
				return
			}
			begin, from = end, int(p.to)
		}
	}
}

func cut(path string, begin, end int) (string, bool) {
	if end < begin {
		return "", false
	}
	return path[begin:end], true
}

// key returns the name of a parameter.
func (s *Shape) key(p span) string {
	if p.to-p.from == 1 {
		return splatKey
	}
	return s.source[p.from+1 : p.to]
}

// valueEnd returns the end of the value of parameter i, which starts at begin.
func (s *Shape) valueEnd(path string, begin, i int) int {
	if i == len(s.params)-1 {
		return len(path) - (len(s.source) - int(s.params[i].to)) // only literal text follows
	}
	return SegmentEnd(path, begin)
}
