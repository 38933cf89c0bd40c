// Package value decodes and encodes JSON by schemas. It checks a text and sets a Go value in one
// pass, reports all errors with JSON pointers, and encodes values as their schemas describe.
package value
