package apidoc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file compares the package with encoding/json: operations accept the output of encoding/json,
// and decode and encode accepted values in the same way. Values of wrong kinds are refused.

var seed = flag.Uint64("seed", 20261121, "seed of the random values")

type (
	scalars struct {
		Text   string          `json:"text"`
		Bool   bool            `json:"bool"`
		Small  int8            `json:"small"`
		Int    int             `json:"int"`
		Word   uint16          `json:"word"`
		Large  uint64          `json:"large"`
		Single float32         `json:"single"`
		Double float64         `json:"double"`
		Bytes  []byte          `json:"bytes"`
		Number json.Number     `json:"number"`
		Rune   rune            `json:"rune"`
		Raw    json.RawMessage `json:"raw"`
	}
	quoted struct {
		Int    int     `json:"int,string"`
		Float  float64 `json:"float,string"`
		Bool   bool    `json:"bool,string"`
		Text   string  `json:"text,string"`
		Maybe  *int16  `json:"maybe,string"`
		Absent *uint8  `json:"absent,omitempty,string"`
		Size   size    `json:"size,string"`
		Hue    *Colour `json:"hue,string"`
		Single float32 `json:"single,string"`
		Large  uint64  `json:"large,string"`
	}
	nested struct {
		Lines  []line             `json:"lines"`
		Matrix [2][3]int8         `json:"matrix"`
		ByName map[string]line    `json:"byName"`
		ByID   map[int16][]string `json:"byID"`
		Next   *nested            `json:"next"`
		Rest   *nested            `json:"rest,omitempty"`
		Any    any                `json:"any"`
		Shapes []shape            `json:"shapes,omitempty"`
	}
	line struct {
		Slug  string  `json:"slug"`
		Price float64 `json:"price,omitempty"`
		Gift  *bool   `json:"gift,omitzero"`
	}
	embedding struct {
		line
		*ScalarsPart
		Count int `json:"Count"`
	}
	ScalarsPart struct {
		Part uint8
		Slug int `json:"part-slug"`
	}
	forest         []forest
	graph          map[string]graph
	pair[A, B any] struct {
		First  A
		Second B
	}
	texts struct {
		Addr  netip.Addr            `json:"addr"`
		ID    UUID                  `json:"id"`
		By    map[netip.Addr]string `json:"by"`
		Times []time.Time           `json:"times"`
		Big   *big.Int              `json:"big"`
		Hue   Colour                `json:"hue"`
	}
	patch struct {
		Number apidoc.Optional[int8]  `json:"number,omitzero"`
		Line   apidoc.Optional[*line] `json:"line,omitzero"`
		Money  apidoc.Optional[money] `json:"money,omitzero"`
	}
	// money encodes itself as JSON.
	money struct{ cents int64 }
	// shape is a union of two types.
	shape struct{ of any }
	round struct {
		Radius float64 `json:"radius"`
	}
	square struct {
		Side  int     `json:"side"`
		Inner []shape `json:"inner"`
	}
)

func (m money) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `"%d.%02d"`, m.cents/100, m.cents%100), nil
}

func (m *money) UnmarshalJSON(b []byte) error {
	var euros, cents int64
	if _, err := fmt.Sscanf(string(b), `"%d.%02d"`, &euros, &cents); err != nil {
		return err
	}
	m.cents = euros*100 + cents
	return nil
}

func (shape) OneOf() []any { return []any{round{}, square{}} }

func (s shape) MarshalJSON() ([]byte, error) { return json.Marshal(s.of) }

func (s *shape) UnmarshalJSON(b []byte) error {
	if bytes.Contains(b, []byte(`"radius"`)) && !bytes.Contains(b, []byte(`"side"`)) {
		var r round
		s.of = &r
		return json.Unmarshal(b, &r)
	}
	var q square
	s.of = &q
	return json.Unmarshal(b, &q)
}

// kind is a type under test.
type kind struct {
	name   string
	app    *routing.App // POST reads a value, GET returns it
	random func(*rand.Rand) any
	same   func(body []byte) error // compares the value read from body with encoding/json's
	sent   func() error            // compares the response to GET with the output of encoding/json
}

func kindOf[T any](t testing.TB) kind {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	got := new(T)
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		Body T `body:""`
	}) (struct{}, error) {
		*got = in.Body
		return struct{}{}, nil
	}, apidoc.ID("take"))
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (*T, error) { return got, nil }, apidoc.ID("give"))
	random := func(r *rand.Rand) any {
		v := new(T)
		fillRandom(reflect.ValueOf(v).Elem(), r, 4)
		return v
	}
	same := func(body []byte) error {
		want := new(T)
		if err := json.Unmarshal(body, want); err != nil {
			if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) && strings.HasPrefix(wrong.Value, "number ") {
				return nil // such as 1.0
			}
			return fmt.Errorf("accepted, and cannot be decoded: %w", err)
		}
		if diff := cmp.Diff(*got, *want, cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateNaNs()); diff != "" {
			return fmt.Errorf("decoded otherwise than by encoding/json (-got +want):\n%s", diff)
		}
		return nil
	}
	sent := func() error {
		want, err := json.Marshal(got)
		if w := call(app, "GET", "/", "", ""); err != nil || w.Body.String() != string(want) {
			return fmt.Errorf("sent as %s, by encoding/json as %s (%v)", w.Body, want, err)
		}
		return nil
	}
	return kind{reflect.TypeFor[T]().String(), app, random, same, sent}
}

// fillRandom sets v to a random value. Slices and maps are never nil, since typed operations do not
// send null for them.
func fillRandom(v reflect.Value, r *rand.Rand, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Unix(r.Int64N(4e9), r.Int64N(1e9)).In(time.FixedZone("", 60*(r.IntN(1440)-720)))
		return
	case *json.Number:
		*p = json.Number([]string{"0", "-1.5", "1e400", "12345678901234567890"}[r.IntN(4)])
		return
	case *json.RawMessage:
		*p = json.RawMessage([]string{"null", `{"a":[1,{}]}`, `"x"`}[r.IntN(3)])
		return
	case *netip.Addr:
		*p = netip.AddrFrom4([4]byte{byte(r.IntN(256)), 2, 3, 4})
		return
	case *big.Int:
		p.Lsh(big.NewInt(r.Int64()-r.Int64()), uint(r.IntN(200)))
		return
	case *Colour:
		*p = []Colour{"red", "white"}[r.IntN(2)]
		return
	case *size:
		*p = size(1 + r.IntN(3))
		return
	case *any:
		*p = []any{nil, 1.5, "x", []any{1.0, nil}, map[string]any{"a": nil}}[r.IntN(5)]
		return
	case interface{ IsZero() bool }: // an Optional: absent, null or a value
		if state := r.IntN(3); state > 0 {
			v.Field(1).SetBool(state == 1)
			v.Field(2).SetBool(true)
			fillRandom(v.Field(0), r, state-1)
		}
		if v.Field(1).Bool() || v.Field(0).Kind() == reflect.Pointer && v.Field(0).IsNil() {
			v.Field(0).SetZero()
			v.Field(1).Set(v.Field(2))
		}
		return
	case *money:
		p.cents = r.Int64N(1e6)
		return
	case *shape:
		if r.IntN(3) > 0 || depth <= 0 {
			p.of = round{r.Float64()}
			return
		}
		var q square
		fillRandom(reflect.ValueOf(&q).Elem(), r, depth-1)
		p.of = q
		return
	}
	count := 0
	if depth > 0 {
		count = r.IntN(4)
	}
	switch t := v.Type(); v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillRandom(v.Field(i), r, depth)
			} else if t.Field(i).Anonymous && t.Field(i).Type.Kind() == reflect.Struct {
				f := v.Field(i) // exported fields of an embedded struct that is not exported
				for j := range f.NumField() {
					fillRandom(f.Field(j), r, depth)
				}
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, count, count))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fillRandom(v.Index(i), r, depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range count {
			key, element := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			fillRandom(key, r, depth-1)
			fillRandom(element, r, depth-1)
			v.SetMapIndex(key, element)
		}
	case reflect.Pointer:
		if depth > 0 && r.IntN(3) > 0 {
			v.Set(reflect.New(t.Elem()))
			fillRandom(v.Elem(), r, depth-1)
		}
	case reflect.String:
		v.SetString([]string{"", "a", "rose \"red\"", "naïve\n", "\u2028<&>", "\xff\x00", "日本"}[r.IntN(7)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Float32:
		v.SetFloat(float64(float32(r.NormFloat64() * math.Pow10(r.IntN(60)-30))))
	case reflect.Float64:
		v.SetFloat(r.NormFloat64() * math.Pow10(r.IntN(600)-300))
	default:
		if bits := int64(r.Uint64() >> r.IntN(64)); v.CanInt() {
			v.SetInt(bits << (64 - t.Bits()) >> (64 - t.Bits()))
		} else {
			v.SetUint(uint64(bits) << (64 - t.Bits()) >> (64 - t.Bits()))
		}
	}
}

func kinds(t testing.TB) []kind {
	return []kind{
		kindOf[scalars](t), kindOf[quoted](t), kindOf[nested](t), kindOf[embedding](t), kindOf[forest](t), kindOf[graph](t),
		kindOf[pair[[]line, map[string]*pair[int, string]]](t), kindOf[texts](t), kindOf[money](t), kindOf[patch](t), kindOf[shape](t),
		kindOf[[]Item](t), kindOf[map[uint8]time.Time](t),
	}
}

// rounds returns the number of random values to try.
func rounds(n int) int {
	if testing.Short() {
		n /= 5
	}
	return n
}

// Operations accept the output of encoding/json for random values.
func TestWrittenValuesAreAccepted(t *testing.T) {
	for _, k := range kinds(t) {
		random := rand.New(rand.NewPCG(*seed, 0))
		for range rounds(300) {
			v := k.random(random)
			if items, ok := v.(*[]Item); ok {
				for i := range *items { // values match the rules
					(*items)[i].Name, (*items)[i].Count, (*items)[i].Tags = "a", i, []string{"x"}
				}
			}
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if w := call(k.app, "POST", "/", "application/json", string(b)); w.Code != 204 {
				t.Errorf("%s: %d %s for %s", k.name, w.Code, w.Body, b)
			} else if err := errors.Join(k.same(b), k.sent()); err != nil {
				t.Errorf("%s: %s: %v", k.name, b, err)
			}
		}
	}
}

// Random values with one invalid change are refused.
func TestInvalidValuesAreRefused(t *testing.T) {
	for _, k := range kinds(t) {
		random := rand.New(rand.NewPCG(*seed, 1))
		for range rounds(250) {
			b, err := json.Marshal(k.random(random))
			if err != nil {
				t.Fatal(err)
			}
			wrong := spoil(random, b)
			w := call(k.app, "POST", "/", "application/json", string(wrong))
			if w.Code == 500 || w.Code == 422 && strings.Contains(w.Body.String(), "cannot be read") {
				t.Errorf("%s: %d %s for %s", k.name, w.Code, w.Body, wrong)
			}
			if w.Code == 204 {
				t.Errorf("%s: accepted %s, made of %s", k.name, wrong, b)
			}
		}
	}
}

// spoil changes one value to another kind.
func spoil(random *rand.Rand, b []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		panic(err)
	}
	spoiled, err := json.Marshal(spoilValue(random, v))
	if err != nil {
		panic(err)
	}
	return spoiled
}

func spoilValue(random *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := slices.DeleteFunc(slices.Sorted(maps.Keys(v)), func(k string) bool { return k == "any" || k == "raw" })
		if len(keys) > 0 && random.IntN(8) > 0 {
			key := keys[random.IntN(len(keys))]
			v[key] = spoilValue(random, v[key])
			return v
		}
		return []any{"x", true, json.Number("1"), []any{json.Number("1")}}[random.IntN(4)]
	case []any:
		if len(v) > 0 && random.IntN(4) > 0 {
			i := random.IntN(len(v))
			v[i] = spoilValue(random, v[i])
			return v
		}
		return []any{"x", true, json.Number("1"), map[string]any{"0": true}}[random.IntN(4)]
	case string:
		return []any{true, json.Number("1"), []any{}, map[string]any{}}[random.IntN(4)]
	case json.Number:
		return []any{true, "x", []any{}, map[string]any{}}[random.IntN(4)]
	case bool:
		return []any{"true", json.Number("1"), []any{}, map[string]any{}}[random.IntN(4)]
	}
	return []any{"x", true, []any{true}, map[string]any{"!": true}}[random.IntN(4)]
}

// Accepted bodies can be decoded, and no response is a 500.
func FuzzAcceptedBodiesDecode(f *testing.F) {
	list := kinds(f)
	for i, k := range list {
		random := rand.New(rand.NewPCG(1, 1))
		for range 5 {
			if b, err := json.Marshal(k.random(random)); err == nil {
				f.Add(b, uint8(i))
			}
		}
	}
	f.Add([]byte(`{"text":"a","Text":"b"}`), uint8(0))
	f.Add([]byte(`{"int":1.0,"\u0069nt":1e0}`), uint8(0))
	f.Fuzz(func(t *testing.T, body []byte, i uint8) {
		k := list[int(i)%len(list)]
		w := call(k.app, "POST", "/", "application/json", string(body))
		switch w.Code {
		case 204:
			if err := k.same(body); err != nil {
				t.Errorf("%s: %q: %v", k.name, body, err)
			}
		case 422:
			if !json.Valid(body) && len(body) > 0 {
				t.Errorf("status %d for what is not JSON: %q", w.Code, body)
			}
			if strings.Contains(w.Body.String(), "cannot be read") {
				t.Errorf("passed the check and cannot be decoded: %q", body)
			}
		case 400:
			if json.Valid(body) {
				t.Errorf("status 400 for JSON: %q", body)
			}
		default:
			t.Errorf("status %d for %q", w.Code, body)
		}
	})
}
