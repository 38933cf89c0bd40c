package pattern

import (
	"encoding/binary"
	tree "regexp/syntax"
	"slices"
	"unicode"
)

// This file compares the paths that patterns match. It simulates the automata of both expressions
// in parallel, with the set of instructions that each may execute next (the subset construction).

// Paths is the set of paths that a pattern matches.
type Paths struct {
	program *tree.Prog // of a whole path; nil if it is too large
	text    string     // of its expression
}

// Paths returns the set of paths that p matches.
func (p *Pattern) Paths() *Paths {
	text := `\A(?s:.*)\z`
	switch {
	case p == nil:
	case p.syntax == regular: // it may match a part of the path
		text = `\A(?s:.*)(?:` + p.shapes[0].expression.re.String() + `)(?s:.*)\z`
	default:
		text = `\A` + expressionOf(p.Tokens(), false) + `\z`
	}
	program, _ := programOf(text)
	return &Paths{program, text}
}

// maxSteps limits the time of [Paths.Include] to a few milliseconds.
const maxSteps = 1 << 20

// Include reports whether all paths of other are in ps. It may report false for
// a large expression, or one with word or line boundaries.
func (ps *Paths) Include(other *Paths) bool {
	if ps.text == other.text {
		return true
	}
	if ps.program == nil || other.program == nil {
		return false
	}
	type pair struct{ a, b state }
	first := pair{newState(ps.program, false), newState(other.program, true)}
	first.a.add(uint32(ps.program.Start), atBegin)
	first.b.add(uint32(other.program.Start), atBegin)
	seen, pending, steps := make(map[string]bool), []pair{first}, 0
	for len(pending) > 0 {
		p := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if p.b.ends && !p.a.ends {
			return false
		}
		key := string(p.a.key(p.b.key(nil)))
		if seen[key] {
			continue
		}
		seen[key] = true
		borders := p.a.borders(p.b.borders([]rune{0}))
		slices.Sort(borders)
		borders = slices.Compact(borders)
		if steps += len(borders) * (len(p.a.reads) + len(p.b.reads) + 1); steps > maxSteps {
			return false
		}
		for _, r := range borders { // all characters up to the next border lead to the same states
			if next := (pair{p.a.after(r), p.b.after(r)}); next.b.ends || len(next.b.reads) > 0 {
				pending = append(pending, next)
			}
		}
	}
	return true
}

// state is the set of instructions that a program may execute next.
type state struct {
	program *tree.Prog
	isWide  bool     // \b, ^ and the like are treated as true everywhere, else as false
	reads   []uint32 // the instructions that read a character
	ends    bool     // the text may end
	seen    map[uint64]bool
}

// position is where an instruction runs in the text.
type position uint64

const (
	between position = iota
	atBegin
	atEnd
)

func newState(p *tree.Prog, isWide bool) state {
	return state{program: p, isWide: isWide, seen: make(map[uint64]bool)}
}

// add adds the instructions that follow instruction n without reading a character.
func (s *state) add(n uint32, at position) {
	key := uint64(n)<<2 | uint64(at)
	if s.seen[key] {
		return
	}
	s.seen[key] = true
	switch in := &s.program.Inst[n]; in.Op {
	case tree.InstAlt, tree.InstAltMatch:
		s.add(in.Out, at)
		s.add(in.Arg, at)
	case tree.InstCapture, tree.InstNop:
		s.add(in.Out, at)
	case tree.InstMatch:
		s.ends = true
	case tree.InstFail:
	case tree.InstEmptyWidth:
		switch tree.EmptyOp(in.Arg) {
		case tree.EmptyBeginText:
			if at == atBegin || at == atEnd && s.isWide { // the text may be empty
				s.add(in.Out, at)
			}
		case tree.EmptyEndText:
			s.add(in.Out, atEnd)
		default:
			if s.isWide {
				s.add(in.Out, at)
			}
		}
	default:
		if at != atEnd && !slices.Contains(s.reads, n) {
			s.reads = append(s.reads, n)
		}
	}
}

// after returns the state after a character.
func (s *state) after(r rune) state {
	next := newState(s.program, s.isWide)
	for _, n := range s.reads {
		if in := &s.program.Inst[n]; in.MatchRune(r) {
			next.add(in.Out, between)
		}
	}
	return next
}

// borders appends the characters at which the next state may change.
func (s *state) borders(to []rune) []rune {
	for _, n := range s.reads {
		in := &s.program.Inst[n]
		switch {
		case len(in.Rune) == 1: // the expression may ignore case
			r := in.Rune[0]
			to = append(to, r, r+1)
			for folded := unicode.SimpleFold(r); folded != r; folded = unicode.SimpleFold(folded) {
				to = append(to, folded, folded+1)
			}
		default:
			for i, r := range in.Rune {
				to = append(to, r+rune(i&1))
			}
		}
	}
	return to
}

// key appends a text that is the same for states with the same instructions.
func (s *state) key(to []byte) []byte {
	slices.Sort(s.reads)
	for _, n := range s.reads {
		to = binary.AppendUvarint(to, uint64(n)+1)
	}
	return append(to, 0)
}
