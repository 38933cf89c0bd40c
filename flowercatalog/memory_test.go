package flowercatalog_test

import (
	"testing"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/flowercatalog/catalogtest"
)

func TestMemoryIsAStore(t *testing.T) {
	t.Parallel()
	catalogtest.Run(t, func(t *testing.T, flowers ...flowercatalog.Flower) (flowercatalog.Store, func(...flowercatalog.Flower) error) {
		memory, err := flowercatalog.NewMemory(flowers...)
		if err != nil {
			t.Fatal(err)
		}
		return memory, memory.SetFlowers
	})
}

// plain hides that a store is a Memory, which the App treats specially.
type plain struct{ flowercatalog.Store }

func TestAnyStore(t *testing.T) {
	t.Parallel()
	catalogtest.Run(t, func(t *testing.T, flowers ...flowercatalog.Flower) (flowercatalog.Store, func(...flowercatalog.Flower) error) {
		memory, err := flowercatalog.NewMemory(flowers...)
		if err != nil {
			t.Fatal(err)
		}
		return plain{memory}, memory.SetFlowers
	})
}
