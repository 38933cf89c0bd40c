// Package catalogtest tests implementations of [flowercatalog.Store].
//
//	func TestStore(t *testing.T) { catalogtest.Run(t, open) }
//
// where open is an [Opener].
package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/flowercatalog"
)

// Opener opens a store with these flowers, in this order. The function replace replaces all of them
// while the store is in use, as the program that fills the store would. If replace returns an
// error, it must not have changed anything.
type Opener func(t *testing.T, flowers ...flowercatalog.Flower) (store flowercatalog.Store, replace func(...flowercatalog.Flower) error)

// Run tests a store, in subtests that each open and close one.
func Run(t *testing.T, open Opener) {
	for _, test := range []struct {
		name    string
		flowers []flowercatalog.Flower
		run     func(*testing.T, *fixture)
	}{
		{"Find", special, testFind},
		{"Pages", special, testPages},
		{"Search", special, testSearch},
		{"SearchAtRandom", random(3000), testSearchAtRandom},
		{"Empty", nil, testEmpty},
		{"Revision", special, testRevision},
		{"RefusedFlowers", special, testRefusedFlowers},
		{"OneRevision", generation(0), testOneRevision},
		{"EachError", special, testEachError},
		{"EachPanic", special, testEachPanic},
		{"ContextEnded", special, testContextEnded},
		{"ContextEndsDuringList", random(3000), testContextEndsDuringList},
		{"Concurrent", random(500), testConcurrent},
		{"Closed", special, testClosed},
		{"CloseInterrupts", random(3000), testCloseInterrupts},
		{"Requests", random(300), testRequests},
	} {
		t.Run(test.name, func(t *testing.T) {
			store, replace := open(t, test.flowers...)
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Errorf("Close at the end: got %v, want no error", err)
				}
			})
			f := &fixture{T: t, store: store, replace: replace}
			f.expect(test.flowers)
			test.run(t, f)
		})
	}
}

// patience is how long a test waits before it fails because a call hangs.
const patience = 30 * time.Second

// fixture is a store with helpers for tests.
type fixture struct {
	*testing.T
	store   flowercatalog.Store
	replace func(...flowercatalog.Flower) error
	flowers []flowercatalog.Flower // that the store should have
	folded  []string               // their names
}

// expect sets the flowers that the store should have.
func (f *fixture) expect(flowers []flowercatalog.Flower) {
	f.flowers, f.folded = flowers, make([]string, len(flowers))
	for i, flower := range flowers {
		f.folded[i] = flowercatalog.Fold(flower.Name)
	}
}

type page = flowercatalog.Page

// read returns what a list finds, or, if folded is not empty, a search.
func (f *fixture) read(ctx context.Context, folded string, p page) ([]flowercatalog.Flower, error) {
	found := []flowercatalog.Flower{}
	each := func(flower flowercatalog.Flower) error {
		found = append(found, flower)
		return nil
	}
	if folded == "" {
		return found, f.store.List(ctx, p, each)
	}
	return found, f.store.Search(ctx, folded, p, each)
}

// expected returns what read should find, by an obviously correct search.
func (f *fixture) expected(folded string, p page) []flowercatalog.Flower {
	found := []flowercatalog.Flower{}
	begun := p.After == ""
	for i, flower := range f.flowers {
		if begun && strings.Contains(f.folded[i], folded) && (p.Limit == 0 || len(found) < p.Limit) {
			found = append(found, flower)
		}
		begun = begun || flower.Slug == p.After
	}
	return found
}

// check compares read with expected.
func (f *fixture) check(step, folded string, p page) {
	f.Helper()
	got, err := f.read(f.Context(), folded, p)
	if err != nil {
		f.Errorf("%s: %q, %+v: got error %v", step, folded, p, err)
		return
	}
	if want := f.expected(folded, p); !slices.Equal(got, want) {
		f.Errorf("%s: %q, %+v: got %s, want %s", step, folded, p, short(got), short(want))
	}
}

func short(flowers []flowercatalog.Flower) string {
	return fmt.Sprintf("%d flowers %q", len(flowers), flowers[:min(len(flowers), 5)])
}

// must stops the test if there is an error.
func (f *fixture) must(step string, err error) {
	f.Helper()
	if err != nil {
		f.Fatalf("%s: got %v, want no error", step, err)
	}
}

// want compares an error by errors.Is.
func (f *fixture) want(step string, got, want error) {
	f.Helper()
	if !errors.Is(got, want) {
		f.Errorf("%s: got error %v, want %v", step, got, want)
	}
}

func (f *fixture) revision() string {
	f.Helper()
	revision, err := f.store.Revision(f.Context())
	f.must("revision", err)
	return revision
}

func testFind(t *testing.T, f *fixture) {
	for _, want := range f.flowers {
		if got, err := f.store.Find(t.Context(), want.Slug); err != nil || got != want {
			t.Errorf("find %.40q: got %.40q, %v; want %.40q", want.Slug, got, err, want)
		}
	}
	for _, slug := range []string{"RoSe", "ros", "rose ", "roses ", "%", "ro_e", "e", "none"} {
		got, err := f.store.Find(t.Context(), slug)
		f.want(fmt.Sprintf("find %q", slug), err, flowercatalog.ErrNotFound)
		if got != (flowercatalog.Flower{}) {
			t.Errorf("find %q: got %q beside the error, want none", slug, got)
		}
	}
}

func testPages(t *testing.T, f *fixture) {
	for _, limit := range []int{0, 1, 2, 7, len(f.flowers) - 1, len(f.flowers), len(f.flowers) + 1, 1 << 30} {
		f.check("from the beginning", "", page{Limit: limit})
		for _, after := range f.flowers {
			f.check("after a flower", "", page{After: after.Slug, Limit: limit})
			f.check("search after a flower", "e", page{After: after.Slug, Limit: limit})
		}
	}
	for _, folded := range []string{"", "e"} {
		got, err := f.read(t.Context(), folded, page{After: "none"})
		f.want("after an unknown flower", err, flowercatalog.ErrNotFound)
		if len(got) > 0 {
			t.Errorf("after an unknown flower: got %s", short(got))
		}
	}
}

func testSearch(t *testing.T, f *fixture) {
	texts := []string{"none at all", "%", "_", `\`, `\%`, "%%", "r_se", "'", `"`, "?", "$1", "*", "[a-z]", "(", "rose", "ose", " ", "\n", strings.Repeat("long ", 999)}
	for _, name := range f.folded {
		folded := []rune(name)
		for length := 1; length <= 4; length++ {
			for i := 0; i+length <= min(len(folded), 40); i++ {
				texts = append(texts, string(folded[i:i+length]))
			}
		}
		if len(folded) > 0 {
			texts = append(texts, string(folded))
		}
	}
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		f.check("search", text, page{})
	}
}

func testSearchAtRandom(t *testing.T, f *fixture) {
	seed, rng := newRandom()
	t.Logf("seed %d", seed)
	for range rounds(500) {
		p := page{Limit: max(0, rng.IntN(30)-5)}
		if rng.IntN(2) == 0 {
			p.After = f.flowers[rng.IntN(len(f.flowers))].Slug
		}
		f.check("search", flowercatalog.Fold(part(rng, f.flowers)), p)
	}
}

func testEmpty(t *testing.T, f *fixture) {
	f.check("list", "", page{})
	f.check("search", "a", page{Limit: 3})
	if f.revision() == "" {
		t.Error("the revision is empty")
	}
	_, err := f.store.Find(t.Context(), "a")
	f.want("find", err, flowercatalog.ErrNotFound)
	f.must("ping", f.store.Ping(t.Context()))
}

func testRevision(t *testing.T, f *fixture) {
	first := f.flowers
	renamed := slices.Clone(first)
	renamed[3].Name += "!"
	swapped := slices.Clone(first)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	before := f.revision()
	for _, step := range []struct {
		name    string
		flowers []flowercatalog.Flower
	}{
		{"another name", renamed},
		{"another order", swapped},
		{"one less", first[1:]},
		{"none", nil},
		{"one", first[:1]},
	} {
		f.must(step.name, f.replace(step.flowers...))
		f.expect(step.flowers)
		now := f.revision()
		if now == before || strings.TrimSpace(now) == "" || len(now) > 200 {
			t.Errorf("%s: got the revision %q after %q, want another one of 200 bytes at most", step.name, now, before)
		}
		if again := f.revision(); again != now {
			t.Errorf("%s: asked again, got the revision %q, want %q", step.name, again, now)
		}
		for _, folded := range []string{"", "e"} {
			f.check(step.name, folded, page{Revision: now})
			got, err := f.read(t.Context(), folded, page{Revision: before})
			f.want(step.name+", and the previous revision", err, flowercatalog.ErrChanged)
			if len(got) > 0 {
				t.Errorf("%s, and the previous revision: got %s, want none", step.name, short(got))
			}
		}
		before = now
	}
}

func testRefusedFlowers(t *testing.T, f *fixture) {
	before := f.revision()
	for _, bad := range []flowercatalog.Flower{
		f.flowers[0], {Slug: "", Name: "Nameless"}, {Slug: "a/b"}, {Slug: ".."}, {Slug: "\xff"}, {Slug: "x", Name: "\xff"}, {Slug: "x", Name: "\x00"},
	} {
		list := append(slices.Clone(f.flowers), bad)
		if err := f.replace(list...); err == nil {
			t.Fatalf("flowers with %q: got no error", bad)
		}
		f.check("after a list that was refused", "", page{})
		if now := f.revision(); now != before {
			t.Errorf("after a list that was refused: got the revision %q, want %q", now, before)
		}
	}
}

// testOneRevision lists the flowers while they are replaced. Each list is of a single generation,
// or fails with ErrChanged.
func testOneRevision(t *testing.T, f *fixture) {
	length := 300 * time.Millisecond
	if testing.Short() {
		length /= 4
	}
	begin, lists, changed := time.Now(), 0, 0
	var replaced atomic.Int64
	over := func() bool { // a slow store or machine continues until it has done both
		spent := time.Since(begin)
		return spent > length && lists > 0 && replaced.Load() > 0 || spent > patience || t.Failed()
	}
	stop := make(chan struct{})
	var replacing sync.WaitGroup
	replacing.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := f.replace(generation(i)...); err != nil {
				t.Errorf("replace: got %v", err)
				return
			}
			replaced.Add(1)
		}
	})
	for !over() {
		for _, folded := range []string{"", "rose"} {
			got, err := f.read(t.Context(), folded, page{})
			if errors.Is(err, flowercatalog.ErrChanged) {
				changed++
				continue
			}
			if err != nil || len(got) != generationSize {
				t.Errorf("list: got %d flowers, %v, want %d", len(got), err, generationSize)
				continue
			}
			lists++
			for _, flower := range got {
				if flower.Name != got[0].Name {
					t.Errorf("got %q and %q in one list", got[0].Name, flower.Name)
					break
				}
			}
		}
	}
	close(stop)
	replacing.Wait()
	t.Logf("%d lists and %d that ended with ErrChanged, while the flowers were replaced %d times", lists, changed, replaced.Load())
	if lists == 0 || replaced.Load() == 0 {
		t.Error("no list got to its end, or no flowers were replaced")
	}
}

const generationSize = 200

// generation returns flowers that all have the name of this generation.
func generation(i int) []flowercatalog.Flower {
	flowers := make([]flowercatalog.Flower, generationSize)
	for n := range flowers {
		flowers[n] = flowercatalog.Flower{Slug: fmt.Sprintf("rose-%d", n), Name: fmt.Sprintf("Rose %d", i)}
	}
	return flowers
}
