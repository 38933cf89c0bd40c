//go:build !linux

package serving

func acceptWaiting(int) []int { return nil }
