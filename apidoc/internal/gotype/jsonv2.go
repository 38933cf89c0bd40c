//go:build go1.27 && goexperiment.jsonv2

package gotype

import (
	"encoding"
	"encoding/json/v2"
	"reflect"
)

// Additional methods that this encoding/json calls.
var (
	marshalers     = Methods{reflect.TypeFor[json.MarshalerTo]()}
	unmarshalers   = Methods{reflect.TypeFor[json.UnmarshalerFrom]()}
	textMarshalers = Methods{reflect.TypeFor[encoding.TextAppender]()}
)
