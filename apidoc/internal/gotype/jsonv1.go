//go:build !(go1.27 && goexperiment.jsonv2)

package gotype

// This encoding/json calls no other methods.
var marshalers, unmarshalers, textMarshalers Methods
