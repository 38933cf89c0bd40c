package urlencoded

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// This file reads keys such as user[name] and tags[], by the rules of Rack.

// Node is a value of nested keys: a text, a list or a map.
type Node struct {
	Text string
	List []*Node          // nil if it is none
	Map  map[string]*Node // nil if it is none

	isText bool
}

// mostBrackets is how many pairs of brackets a key may have, as in Rack 3. mostNodes is how many
// texts, lists and maps a value may have: each takes some hundred bytes, and three to send.
const mostBrackets, mostNodes = 31, 1 << 15

// Nest returns the value of key and of all keys that continue it with brackets, or nil if there are
// none. Keys that contradict each other, and too many names in one key or in all, are an error.
func (f Fields) Nest(key string) (*Node, error) {
	root, made := new(Node), 0
	err := f.inOrder(key, func(name, value string) error {
		names := split(name[len(key):])
		if len(names) > mostBrackets {
			return fmt.Errorf("a key with more than %d pairs of brackets", mostBrackets)
		}
		if err := root.add(names, value, &made); err != nil {
			return fmt.Errorf("key %q: %w", name, err)
		}
		return nil
	})
	if err != nil || root.isFree() {
		return nil, err
	}
	return root, nil
}

// split returns the names in brackets, which are empty for a list. What is not in brackets is a
// name as it is.
func split(text string) (names []string) {
	for text != "" {
		name, rest, isWhole := strings.Cut(strings.TrimPrefix(text, "["), "]")
		if text[0] != '[' || !isWhole || rest == "[" {
			return append(names, text)
		}
		names, text = append(names, name), rest
	}
	return names
}

// continues reports whether name is the key, or the key with brackets.
func continues(name, key string) bool {
	below, isBelow := strings.CutPrefix(name, key)
	return isBelow && (below == "" || below[0] == '[' && below != "[")
}

// inOrder calls add with the names that continue key and their values, in the order in which they
// were sent, until it returns an error.
func (f Fields) inOrder(key string, add func(name, value string) error) error {
	if f.text != "" {
		for name, value := range f.named(key) {
			if continues(name, key) {
				if err := add(name, unescape(value)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	// A form that net/http has parsed keeps the order of the values, but not that of the keys. This
	// matters for lists of maps alone: their keys are read in turn.
	names := slices.Sorted(maps.Keys(f.values))
	names = slices.DeleteFunc(names, func(name string) bool { return !continues(name, key) })
	for len(names) > 0 {
		together := 1
		list, after, _ := strings.Cut(names[0], "[]")
		if after != "" {
			for together < len(names) && strings.HasPrefix(names[together], list+"[]") {
				together++
			}
		}
		count := len(f.values[names[0]])
		for i := range count {
			for _, name := range names[:together] {
				if len(f.values[name]) != count {
					return fmt.Errorf("key %q: of a list in a multipart form all keys must occur as often as %q", name, names[0])
				}
				if err := add(name, f.values[name][i]); err != nil {
					return err
				}
			}
		}
		names = names[together:]
	}
	return nil
}

// named returns the pairs of a text whose keys may continue key: all, if the text is not parsed.
func (f Fields) named(key string) iter.Seq2[string, string] {
	if f.nested == nil {
		return pairs(f.text)
	}
	return func(yield func(name, value string) bool) {
		name, _, _ := strings.Cut(key, "[")
		for _, p := range f.nested()[name] {
			if !yield(p.key, p.value) {
				return
			}
		}
	}
}

func (n *Node) isFree() bool { return !n.isText && n.List == nil && n.Map == nil }

// add adds a value below n, and the nodes that it needs to made.
func (n *Node) add(names []string, value string, made *int) error {
	if *made > mostNodes {
		return errTooMany
	}
	switch {
	case len(names) == 0:
		*n = Node{Text: value, isText: true}
		return nil
	case names[0] == "" && (n.isFree() || n.List != nil):
		below := names[1:]
		if len(below) > 0 && below[0] != "" && len(n.List) > 0 {
			last := n.List[len(n.List)-1]
			if last.Map != nil && (slices.Contains(below, "") || !last.has(below)) {
				return last.add(below, value, made)
			}
		}
		element := new(Node)
		*made++
		n.List = append(n.List, element)
		return element.add(below, value, made)
	case names[0] != "" && (n.isFree() || n.Map != nil):
		if n.Map == nil {
			n.Map = make(map[string]*Node)
		}
		child := n.Map[names[0]]
		if child == nil {
			child = new(Node)
			*made++
			n.Map[names[0]] = child
		}
		return child.add(names[1:], value, made)
	}
	return errContradiction
}

var (
	errContradiction = errors.New("another key makes it a value of another kind")
	errTooMany       = fmt.Errorf("more than %d texts, lists and maps", mostNodes)
)

// has reports whether there is a value below n.
func (n *Node) has(names []string) bool {
	for _, name := range names {
		if n = n.Map[name]; n == nil {
			return false
		}
	}
	return true
}
