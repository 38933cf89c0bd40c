package main

import "testing"

// The two survivors: no test asks for the age of 6, and "age > 200" may as well be "age >= 200".
func TestSurvivors(t *testing.T) {
	unknown, err := run("testdata/sample", []string{"."}, 1, 0, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if unknown != 2 {
		t.Errorf("%d mutants survived, want 2", unknown)
	}
}
