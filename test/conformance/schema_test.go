package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/big"
	oldrand "math/rand"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"testing/quick"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/flowercafe/apidoc/conformance/internal/shop"
)

// This file compares the schemas in openapi.json, with a JSON Schema validator, with the output of
// encoding/json for the Go types, and with the bodies that an operation accepts.

var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random values")

// orderSchema compiles the schema of shop.Order as a host serves it.
func orderSchema(t *testing.T, origin string) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(fetch(t, origin+"/api-docs/openapi.json")))
	if err != nil {
		t.Fatal(err)
	}
	compiler := newCompiler()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("openapi.json#/components/schemas/Order")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// newCompiler returns a compiler that checks formats, also those of OpenAPI.
func newCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for name, bits := range map[string]int{"int32": 31, "int64": 63} {
		limit := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			n, ok := v.(json.Number)
			if !ok {
				return nil
			}
			exact, _ := new(big.Rat).SetString(string(n))
			if i := exact.Num(); i.Cmp(limit) >= 0 || i.Cmp(new(big.Int).Neg(limit)) < 0 {
				return fmt.Errorf("%s has more than %d bits", n, bits+1)
			}
			return nil
		}})
	}
	compiler.RegisterFormat(&jsonschema.Format{Name: "byte", Validate: func(v any) error {
		if text, ok := v.(string); ok {
			_, err := base64.StdEncoding.Strict().DecodeString(text)
			return err
		}
		return nil
	}})
	return compiler
}

// The output of encoding/json matches the schema.
func TestEncodedValuesMatchTheSchema(t *testing.T) {
	schema := orderSchema(t, serve(t, newShop("")(t)))
	t.Logf("-seed %d", *seed)
	random := newRandom()
	for range 500 {
		order := randomOrder(random, 3)
		b, err := json.Marshal(order)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
	}
}

// An operation refuses a randomly changed body if and only if the validator refuses it.
func TestRequestsAgreeWithAValidator(t *testing.T) {
	origin := serve(t, newShop("")(t))
	schema := orderSchema(t, origin)
	t.Logf("-seed %d", *seed)
	random := newRandom()
	count := map[int]int{}
	for range 1000 {
		b, err := json.Marshal(randomOrder(random, 2))
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if random.IntN(4) > 0 {
			value = change(random, value)
		}
		body, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.Post(origin+"/orders", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		problem, _ := io.ReadAll(r.Body)
		r.Body.Close()
		want := 201
		refused := schema.Validate(value)
		if refused != nil {
			want = 422
		}
		if r.StatusCode != want {
			t.Fatalf("status %d with %s, the validator says %v: %s", r.StatusCode, problem, refused, body)
		}
		count[want]++
	}
	t.Logf("%d accepted, %d refused", count[201], count[422])
	if count[201] < 100 || count[422] < 100 {
		t.Errorf("%d accepted and %d refused, want at least 100 of each", count[201], count[422])
	}
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(*seed, 0)) }

// randomOrder returns an order of random values, with nested orders up to a depth.
func randomOrder(random *rand.Rand, depth int) *shop.Order {
	var o shop.Order
	fill(random, &o.Customer)
	fill(random, &o.Note)
	fill(random, &o.Labels)
	fill(random, &o.Size)
	fill(random, &o.Receipt)
	o.Placed = time.Unix(random.Int64N(4e9), random.Int64N(1e9)).In(time.FixedZone("", 60*(random.IntN(1440)-720)))
	o.Lines = make([]shop.Line, random.IntN(3))
	for i := range o.Lines {
		fill(random, &o.Lines[i])
	}
	o.Extra = []any{nil, 1, "x", []int{1}, map[string]any{"a": nil}}[random.IntN(5)]
	if depth > 0 && random.IntN(2) == 0 {
		o.Previous = randomOrder(random, depth-1)
	}
	if depth > 0 && random.IntN(2) == 0 {
		o.Replaced = new(shop.Line)
		fill(random, o.Replaced)
	}
	return &o
}

// fill sets *p to a random value of its type.
func fill[T any](random *rand.Rand, p *T) {
	value, ok := quick.Value(reflect.TypeFor[T](), oldrand.New(oldrand.NewSource(random.Int64())))
	if ok {
		*p = value.Interface().(T)
	}
}

// change changes one value somewhere in a JSON value.
func change(random *rand.Rand, value any) any {
	switch v := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 || random.IntN(8) == 0 {
			break
		}
		key := keys[random.IntN(len(keys))]
		if random.IntN(6) == 0 {
			delete(v, key)
		} else {
			v[key] = change(random, v[key])
		}
		return v
	case []any:
		if len(v) == 0 || random.IntN(4) == 0 {
			return append(v, other(random))
		}
		i := random.IntN(len(v))
		v[i] = change(random, v[i])
		return v
	}
	return other(random)
}

// other returns a random JSON value.
func other(random *rand.Rand) any {
	values := []any{
		nil, true, false, json.Number("0"), json.Number("-1"), json.Number("65535"), json.Number("1.5"), json.Number("2147483647"),
		"", "x", "2026-11-21T10:00:00Z", "2026-11-21", "AQI=", "AQI", []any{}, []any{json.Number("1"), json.Number("2")}, map[string]any{},
		map[string]any{"a": "b"}, map[string]any{"a": json.Number("1")},
	}
	return values[random.IntN(len(values))]
}
