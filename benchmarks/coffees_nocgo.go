//go:build !cgo

package main

import "net/http"

const hasCgo = false

var cgoDrivers []sqlDriver

func ginWithGorm() (http.Handler, func() error, error) { return nil, nil, nil }
