package request_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"testing"

	"example.com/flowercafe/routing/internal/request"
)

var users = []request.Segment{{Text: "users"}, {Name: "user"}, {Text: "posts"}, {Name: "post"}}

// A copy with slots has every field of the request. If this fails with a new release of Go, a field
// was added to http.Request, and [request.Slots.Copy] must copy it.
func TestSlotsCopyEveryField(t *testing.T) {
	r := new(http.Request)
	fields := reflect.ValueOf(r).Elem()
	var hidden []string
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		if !field.IsExported() {
			hidden = append(hidden, field.Name)
			continue
		}
		value := fields.Field(i)
		switch value.Kind() {
		case reflect.Pointer:
			value.Set(reflect.New(field.Type.Elem()))
		case reflect.Map:
			value.Set(reflect.MakeMap(field.Type))
		case reflect.Slice:
			value.Set(reflect.MakeSlice(field.Type, 1, 1))
		case reflect.Chan:
			value.Set(reflect.MakeChan(reflect.ChanOf(reflect.BothDir, field.Type.Elem()), 0).Convert(field.Type))
		case reflect.Func:
			value.Set(reflect.MakeFunc(field.Type, nil))
		case reflect.Interface:
			value.Set(reflect.ValueOf(http.NoBody))
		case reflect.String:
			value.SetString("x")
		case reflect.Bool:
			value.SetBool(true)
		default:
			value.SetInt(7)
		}
	}
	if want := []string{"ctx", "pat", "matches", "otherValues"}; !slices.Equal(hidden, want) {
		t.Errorf("http.Request has the unexported fields %q, want %q", hidden, want)
	}
	ctx := context.WithValue(t.Context(), users[0], "x")
	copied := request.NewSlots(users).Copy(r, ctx)
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		got, want := reflect.ValueOf(copied).Elem().Field(i), fields.Field(i)
		same := got.Kind() == want.Kind()
		switch got.Kind() {
		case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Chan, reflect.Func:
			same = got.Pointer() == want.Pointer()
		default:
			same = same && got.Interface() == want.Interface()
		}
		if !same {
			t.Errorf("%s: got %v, want %v", field.Name, got, want)
		}
	}
	if copied.Context() != ctx {
		t.Error("the copy has another context")
	}
}

// Slots are of one request, and cost one small allocation each.
func TestSlots(t *testing.T) {
	s := request.NewSlots(users)
	in, copied := httptest.NewRequest("GET", "http://host:80/users/7/posts/8", nil), httptest.NewRequest("CONNECT", "/other", nil)
	in.Pattern, copied.Pattern = "in", "copied"
	if !s.In(in) {
		t.Fatal("no room")
	}
	other := s.Copy(copied, t.Context())
	for i, r := range []*http.Request{in, other} {
		if got := r.PathValue("user"); i == 1 && got != "" {
			t.Errorf("a copy has the value %q of another request", got)
		}
		r.SetPathValue("user", r.Method)
		r.SetPathValue("elsewhere", "x")
	}
	for r, want := range map[*http.Request]string{in: "GET in", other: "CONNECT copied"} {
		if got := r.PathValue("user") + " " + r.Pattern; got != want || r.PathValue("elsewhere") != "x" {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if copied.PathValue("user") != "" || other.PathValue("post") != "" {
		t.Error("the values are not of the copy alone")
	}
	if s.In(in) || s.Copy(in, t.Context()).PathValue("elsewhere") != "x" {
		t.Error("path values were lost")
	}
	if got := testing.AllocsPerRun(100, func() { s.Copy(copied, t.Context()).SetPathValue("user", "x") }); got > 2 {
		t.Errorf("%v allocations for a copy and its slots, want 2", got)
	}
}

// A request that the mux matches in another way stays as it was.
func TestNoSlots(t *testing.T) {
	s := request.NewSlots(users)
	for _, path := range []string{"/users//posts/8", "/users/7/posts/8/", "/users/7/../7/posts/8", "/users", "*"} {
		r := httptest.NewRequest("OPTIONS", "/", nil)
		r.URL.Path, r.RequestURI, r.Pattern = path, path, "before"
		if s.In(r) || r.Pattern != "before" || r.PathValue("user") != "" {
			t.Errorf("%s: got room, or the pattern %q", path, r.Pattern)
		}
	}
	for _, segments := range [][]request.Segment{
		nil, {{Text: "users"}}, {{}}, {{Name: "a"}, {Name: "a"}}, {{Name: "0"}}, {{Name: "9x"}}, {{Name: "_"}}, {{Name: "a-b"}}, {{Name: "é"}},
		{{Text: "{x}"}, {Name: "a"}}, {{Text: ".."}, {Name: "a"}}, {{Text: "%41"}, {Name: "a"}}, {{Name: "a"}, {}},
	} {
		s := request.NewSlots(segments)
		if s != nil {
			t.Errorf("%q: got slots", segments)
		}
		r := httptest.NewRequest("GET", "/x", nil)
		if s.In(r) || s.Copy(r, t.Context()).URL != r.URL {
			t.Errorf("%q: no slots made room, or no copy", segments)
		}
	}
}
