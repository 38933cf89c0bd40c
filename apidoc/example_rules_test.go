package apidoc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// A type for requests and responses: clients never write the ID, and the server never sends the
// password. Both are described: the type in responses, and the same name with Input in requests.
func Example_readOnlyAndWriteOnly() {
	type Account struct {
		ID       int    `json:"id" readOnly:"true"`
		Name     string `json:"name"`
		Password string `json:"password" writeOnly:"true" minLength:"8"`
	}
	app := routing.New()
	apidoc.Post(apidoc.NewAPI(app, info), "/accounts", "Sign up", func(_ context.Context, in Account) (Account, error) {
		fmt.Printf("%+v\n", in)
		in.ID = 7
		return in, nil
	})
	send(app, "POST", "/accounts", `{"id":1,"name":"Ann","password":"Goethe1797"}`)
	document, err := apidoc.Build(app, info, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(string(document.OpenAPI()), "#/components/schemas/AccountInput"))
	// Output:
	// {ID:0 Name:Ann Password:Goethe1797}
	// 200 {"id":7,"name":"Ann"}
	// 1
}

// A member that another member requires, and limits that are excluded.
func Example_rules() {
	type Order struct {
		Card    string  `json:"card,omitempty" dependentRequired:"billing,zip"`
		Billing string  `json:"billing,omitempty"`
		Zip     string  `json:"zip,omitempty"`
		Grams   float64 `json:"grams" exclusiveMin:"0" exclusiveMax:"1000"`
	}
	app := routing.New()
	apidoc.Post(apidoc.NewAPI(app, info), "/orders", "Order cherries", func(_ context.Context, in Order) (string, error) { return "", nil })
	send(app, "POST", "/orders", `{"grams":0.5}`)
	send(app, "POST", "/orders", `{"grams":1000,"card":"4000","zip":"99423"}`)
	// Output:
	// 200
	// 422 body /grams exclusiveMaximum; body /billing dependentRequired
}

// Payment is a card or an invoice; its member kind selects the type.
type Payment struct{ Of any }

type Card struct {
	Kind   string `json:"kind" enum:"card"`
	Number string `json:"number" pattern:"^[0-9]{16}$"`
}

type Invoice struct {
	Kind string `json:"kind" enum:"invoice"`
	Days int    `json:"days" max:"30"`
}

func (Payment) OneOf() []any { return []any{Card{}, Invoice{}} }

func (p Payment) MarshalJSON() ([]byte, error) { return json.Marshal(p.Of) }

func (p *Payment) UnmarshalJSON(b []byte) error {
	var kind struct{ Kind string }
	if err := json.Unmarshal(b, &kind); err != nil {
		return err
	}
	if p.Of = any(&Card{}); kind.Kind == "invoice" {
		p.Of = &Invoice{}
	}
	return json.Unmarshal(b, p.Of)
}

// A member that all types require, with different values, is described as the discriminator.
func ExampleUnion_discriminator() {
	app := routing.New()
	apidoc.Post(apidoc.NewAPI(app, info), "/pay", "Pay", func(_ context.Context, in Payment) (string, error) { return "", nil })
	send(app, "POST", "/pay", `{"days":60,"kind":"invoice"}`)
	send(app, "POST", "/pay", `{"kind":"cash"}`)
	// Output:
	// 422 body /days maximum
	// 422 body /kind discriminator
}
