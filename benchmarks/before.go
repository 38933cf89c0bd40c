package main

// before returns the router of an earlier commit: none, unless -before has put another file in
// place of this one.
func before() []ours { return nil }
