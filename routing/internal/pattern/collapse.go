package pattern

import (
	"fmt"
	tree "regexp/syntax"
	"slices"
	"unicode"
)

// This file finds regular expressions that need several slashes in a row, which no path has in an
// app with loose slashes. It follows an expression from one set of instructions to the next, as a
// search does, with one character of each kind that the instructions distinguish.
//
// A dot, and any other class that has more than the slash, is for values, which have no slashes that
// do not count. So only the slashes that stand next to each other in the expression are several.

// mostSets limits the time for an expression.
const mostSets = 1000

// collapses reports whether an expression also matches what it matches with one slash in place of
// several, or at the end of a path without one. It is false for an expression that is too complex.
func collapses(expression string) bool {
	program, err := programOf(expression)
	if err != nil {
		return false
	}
	kinds := []rune{'a', '\n', unicode.MaxRune}
	for _, in := range program.Inst {
		for i, r := range in.Rune {
			kinds = append(kinds, r+rune(i%2)) // each begins a range, or follows one
		}
	}
	slices.Sort(kinds)
	kinds = slices.DeleteFunc(slices.Compact(kinds), func(r rune) bool { return r == '/' })
	search := follower{program}
	sets := []positions{search.from(nil, uint32(program.Start), true)}
	seen := map[string]bool{}
	for i := 0; i < len(sets); i++ {
		if len(sets) > mostSets {
			return false
		}
		one := search.after(sets[i], '/')
		two := search.afterTwo(sets[i])
		isRoot, next := i == 0, []positions{one}
		for _, r := range kinds {
			if !search.after(two, r).isIn(search.after(one, r)) {
				return false
			}
			if !isRoot { // a path begins with a slash
				next = append(next, search.after(sets[i], r))
			}
		}
		if !isRoot && search.ends(two) && !search.ends(one) && !search.ends(sets[i]) {
			return false
		}
		for _, set := range next {
			if key := fmt.Sprint(set); !seen[key] {
				seen[key] = true
				sets = append(sets, set)
			}
		}
	}
	return true
}

// positions are the instructions that may read the next character, match, or wait for the end. They
// are sorted.
type positions []uint32

func (p positions) isIn(others positions) bool {
	return !slices.ContainsFunc(p, func(at uint32) bool { return !slices.Contains(others, at) })
}

// follower follows the instructions of a program. It takes words to begin and end anywhere.
type follower struct{ *tree.Prog }

// from adds the positions that are reached from an instruction without a character.
func (f follower) from(p positions, at uint32, isStart bool) positions {
	var reached []uint32
	for open := []uint32{at}; len(open) > 0; {
		at, open = open[len(open)-1], open[:len(open)-1]
		if slices.Contains(reached, at) {
			continue
		}
		reached = append(reached, at)
		in := f.Inst[at]
		const begin, end = tree.EmptyBeginText | tree.EmptyBeginLine, tree.EmptyEndText | tree.EmptyEndLine
		switch assertion := tree.EmptyOp(in.Arg); in.Op {
		case tree.InstAlt, tree.InstAltMatch:
			open = append(open, in.Arg, in.Out)
		case tree.InstCapture, tree.InstNop:
			open = append(open, in.Out)
		case tree.InstEmptyWidth:
			if assertion&end != 0 {
				p = append(p, at)
			} else if assertion&begin == 0 || isStart {
				open = append(open, in.Out)
			}
		case tree.InstFail:
		default:
			p = append(p, at)
		}
	}
	slices.Sort(p)
	return slices.Compact(p)
}

// after returns the positions after a character. A match stays one, and may begin later.
func (f follower) after(p positions, r rune) positions {
	next := f.from(nil, uint32(f.Start), false)
	for _, at := range p {
		if f.reads(at, r) {
			next = f.from(next, f.Inst[at].Out, false)
		} else if f.Inst[at].Op == tree.InstMatch {
			next = f.from(next, at, false)
		}
	}
	return next
}

// afterTwo returns the positions after two slashes that stand next to each other.
func (f follower) afterTwo(p positions) (next positions) {
	isSlash := func(at uint32) bool { return f.reads(at, '/') && !f.reads(at, 'a') && !f.reads(at, '.') }
	for _, at := range p {
		if !isSlash(at) {
			continue
		}
		between := f.from(nil, f.Inst[at].Out, false)
		if slices.ContainsFunc(between, func(at uint32) bool { return f.reads(at, '/') && !isSlash(at) }) {
			continue
		}
		for _, at := range between {
			if isSlash(at) {
				next = f.from(next, f.Inst[at].Out, false)
			}
		}
	}
	return next
}

// reads reports whether an instruction reads a character.
func (f follower) reads(at uint32, r rune) bool {
	in := f.Inst[at]
	return in.Op != tree.InstMatch && in.Op != tree.InstEmptyWidth && in.MatchRune(r)
}

// ends reports whether the expression matches a text that ends there.
func (f follower) ends(p positions) bool {
	return slices.ContainsFunc(p, func(at uint32) bool { return f.Inst[at].Op == tree.InstMatch || f.Inst[at].Op == tree.InstEmptyWidth })
}
