package flowers_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestLongTexts searches for parts of names by the index, and compares the results with a scan.
func TestLongTexts(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	for _, setting := range []string{"enable_seqscan", "enable_indexscan"} {
		s.Exec("postgres", `ALTER DATABASE `+servertest.DatabaseOf(dsn)+` SET `+setting+` = off`)
	}
	all := make([]flowercatalog.Flower, 2000)
	for i := range all {
		all[i] = flowercatalog.Flower{Slug: fmt.Sprint("f", i), Name: fmt.Sprintf(`Rosé %d%% of_the Gärten\%04d, Straße %d, 桜桜桜`, i%7, i, i%100)}
	}
	load(t, dsn, all...)
	store := open(t, dsn)
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 2 {
		for range 150 {
			name := []rune(flowercatalog.Fold(all[rng.IntN(len(all))].Name))
			from := rng.IntN(len(name))
			folded := string(name[from : from+1+rng.IntN(len(name)-from)])
			var got, want []string
			err := store.Search(t.Context(), folded, flowercatalog.Page{}, func(f flowercatalog.Flower) error {
				got = append(got, f.Slug)
				return nil
			})
			for _, f := range all {
				if strings.Contains(flowercatalog.Fold(f.Name), folded) {
					want = append(want, f.Slug)
				}
			}
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("round %d, search %q: got %d flowers, %v, want %d", round, folded, len(got), err, len(want))
			}
		}
		for i := range all {
			all[i].Name = strings.ReplaceAll(all[i].Name, "Gärten", "Lilien")
		}
		load(t, dsn, all...)
	}
}
