//go:build !cgo

package main

const hasCgo = false

var cgoDrivers []sqlDriver
