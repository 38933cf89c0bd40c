package pattern

import (
	tree "regexp/syntax"
	"slices"
)

// This file finds regular expressions that need several slashes in a row, which no path has in an
// app with loose slashes.

// collapses reports whether an expression that matches a path with two slashes in a row certainly
// matches it with one. A dot, and any other class that has more than the slash, is for values,
// which have no slashes that do not count: only the slashes of the expression that stand next to
// each other are two.
func collapses(expression string) bool {
	program, err := programOf(expression)
	if err != nil {
		return false
	}
	p := readers{program}
	sets := [][]uint32{p.from(uint32(program.Start), nil)} // which instructions may read a character together
	for at := range program.Inst {
		if p.isReader(uint32(at)) {
			sets = append(sets, p.from(program.Inst[at].Out, nil))
		}
	}
	for first := range uint32(len(program.Inst)) {
		if !p.isSlash(first) {
			continue
		}
		between := p.from(program.Inst[first].Out, nil)
		if slices.ContainsFunc(between, func(at uint32) bool { return p.isReader(at) && p.Inst[at].MatchRune('/') && !p.isSlash(at) }) {
			continue
		}
		for _, second := range between {
			isMore := func(at uint32) bool { return !slices.Contains(between, at) }
			isNeeded := func(set []uint32) bool { return slices.Contains(set, first) && !slices.Contains(set, second) }
			after := p.from(program.Inst[second].Out, nil)
			// With one slash, it may leave out the second, or the first.
			if p.isSlash(second) && slices.ContainsFunc(after, isMore) && slices.ContainsFunc(sets, isNeeded) {
				return false
			}
		}
	}
	return true
}

// readers finds the instructions that read a character, match, or wait for the end.
type readers struct{ *tree.Prog }

// from adds those that are reached from an instruction without a character.
func (p readers) from(at uint32, reached []uint32) []uint32 {
	switch in := p.Inst[at]; {
	case slices.Contains(reached, at):
	case in.Op == tree.InstAlt || in.Op == tree.InstAltMatch:
		reached = p.from(in.Arg, p.from(in.Out, append(reached, at)))
	case in.Op == tree.InstCapture || in.Op == tree.InstNop || in.Op == tree.InstEmptyWidth && tree.EmptyOp(in.Arg)&(tree.EmptyEndText|tree.EmptyEndLine) == 0:
		reached = p.from(in.Out, append(reached, at))
	default:
		reached = append(reached, at)
	}
	return reached
}

func (p readers) isReader(at uint32) bool { return p.Inst[at].Op >= tree.InstRune }

// isSlash reports whether an instruction reads a slash and nothing else.
func (p readers) isSlash(at uint32) bool {
	in := p.Inst[at]
	return p.isReader(at) && in.MatchRune('/') && !slices.ContainsFunc(in.Rune, func(r rune) bool { return r != '/' })
}
