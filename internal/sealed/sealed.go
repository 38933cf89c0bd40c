// Package sealed keeps others from implementing an interface of this module whose methods cannot be
// unexported, since types of several packages have them: each takes a Seal.
package sealed

// Seal is a value that only this module has.
type Seal struct{}
