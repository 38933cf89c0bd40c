package stock

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Payment is a Card or an Invoice. One of them is nil.
type Payment struct {
	Card    *Card
	Invoice *Invoice
}

// Card pays immediately.
type Card struct {
	Kind   string `json:"kind" enum:"card"`
	Number string `json:"number" pattern:"^[0-9]{16}$" example:"4000000000000002"`
}

// Invoice pays later.
type Invoice struct {
	Kind string `json:"kind" enum:"invoice"`
	Days int32  `json:"days" multipleOf:"15" default:"30"`
}

// MarshalJSON writes the one that is not nil.
func (p Payment) MarshalJSON() ([]byte, error) {
	if p.Card != nil {
		return json.Marshal(p.Card)
	}
	return json.Marshal(p.Invoice)
}

// UnmarshalJSON reads a Card or an Invoice, as the member kind says.
func (p *Payment) UnmarshalJSON(text []byte) error {
	var kind struct{ Kind string }
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "card":
		p.Card = new(Card)
		return json.Unmarshal(text, p.Card)
	case "invoice":
		p.Invoice = new(Invoice)
		return json.Unmarshal(text, p.Invoice)
	}
	return errors.New("a payment is a card or an invoice")
}
