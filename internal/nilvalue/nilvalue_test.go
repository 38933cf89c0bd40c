package nilvalue_test

import (
	"net/http"
	"testing"

	"example.com/flowercafe/internal/nilvalue"
)

type handler struct{}

func (handler) ServeHTTP(http.ResponseWriter, *http.Request) {}

func TestNilValues(t *testing.T) {
	for _, test := range []struct {
		name    string
		v       http.Handler
		in      bool
		refused string
	}{
		{"nil", nil, true, ""},
		{"a nil pointer", (*http.ServeMux)(nil), true, "With: the handler is a nil *http.ServeMux: pass nil itself for none"},
		{"a nil function", http.HandlerFunc(nil), true, "With: the handler is a nil http.HandlerFunc: pass nil itself for none"},
		{"a pointer", http.NewServeMux(), false, ""},
		{"a function", http.NotFoundHandler(), false, ""},
		{"a struct", handler{}, false, ""},
	} {
		if in := nilvalue.In(test.v); in != test.in {
			t.Errorf("%s: got %v, want %v", test.name, in, test.in)
		}
		refused := ""
		if err := nilvalue.CheckOptional("With", test.v); err != nil {
			refused = err.Error()
		}
		if refused != test.refused {
			t.Errorf("%s: got error %q, want %q", test.name, refused, test.refused)
		}
	}
}
