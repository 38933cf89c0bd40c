// Package value reads and writes JSON by schemas: it checks a text and sets a Go value in one pass,
// tells all that is wrong with JSON pointers, and encodes values so that they fit.
package value
