package sample_test

import (
	"testing"

	"example.com/sample"
)

func TestFare(t *testing.T) {
	for age, want := range map[int]int{0: 1, 5: 1, 7: 2, 64: 2, 65: 1, 300: 1} {
		if got, err := sample.Fare(age); got != want || err != nil {
			t.Errorf("Fare(%d) is %d, %v, want %d", age, got, err, want)
		}
	}
	if _, err := sample.Fare(-1); err == nil {
		t.Error("Fare(-1) is no error")
	}
}
