package flowercatalog

import (
	"bytes"
	"fmt"
	"reflect"

	"example.com/flowercafe/apidoc"
)

// The operations of the catalog's own routes, for the description. The contract has their summaries
// word for word. The actions are written by hand, because they send a list that was encoded when the
// catalog was built, stream searches, and have ETags that are known before a search. Typed
// operations encode each response: GET /flowers with 16 flowers took 5.8 µs instead of 0.4 µs.

func getFlowers(s *settings) *apidoc.Operation {
	op := &apidoc.Operation{
		ID:          "getFlowers",
		Summary:     "Show all flowers",
		Description: "Lists the flowers in catalog order, all of them or those whose name contains a text.",
		Tags:        []string{"Flowers"},
		Parameters: []apidoc.Parameter{
			{Name: "name", In: apidoc.InQuery, Description: "A text that the flower's name contains, in any letter case"},
		},
		Responses: []apidoc.Response{{Status: 200, Description: "OK", Body: apidoc.TypeOf[[]Flower](), ContentType: jsonType}},
	}
	if !s.hasStore {
		op.Parameters[0].Example = firstFlower.Name
		op.Responses[0].Example = []Flower{firstFlower}
	}
	if s.pageLimit > 0 {
		describePages(op, s.pageLimit)
	}
	if s.hasStore {
		op.Parameters[0].Rules = reflect.StructTag(fmt.Sprintf(`maxLength:"%d"`, longestSearch))
		op.Parameters[0].Type = apidoc.TypeOf[string]()
	}
	if s.hasStore || s.pageLimit > 0 {
		op.Responses = append(op.Responses, apidoc.Response{
			Status: 400, Description: "Invalid parameter", Body: apidoc.TypeOf[message](), ContentType: jsonType,
		})
	}
	return unlessUnavailable(op, s)
}

// describePages adds the parameters and the header of pages.
func describePages(op *apidoc.Operation, limit int) {
	op.Description += " The flowers are divided into pages: the header Link has the next page. The last page has no Link."
	op.Parameters = append(op.Parameters,
		apidoc.Parameter{Name: "after", In: apidoc.InQuery, Description: "The slug of the flower before the page"},
		apidoc.Parameter{
			Name:        "limit",
			In:          apidoc.InQuery,
			Description: "The maximum number of flowers on the page",
			Type:        apidoc.TypeOf[int32](),
			Rules:       reflect.StructTag(fmt.Sprintf(`min:"1" max:"%d" default:"%[1]d"`, limit)),
		})
	op.Responses[0].Headers = []apidoc.Parameter{{Name: "Link", Description: "The next page, with the relation next (RFC 8288)"}}
}

func findBySlug(s *settings) *apidoc.Operation {
	op := &apidoc.Operation{
		ID:         "findBySlug",
		Summary:    findSummary,
		Tags:       []string{"Flowers"},
		Parameters: []apidoc.Parameter{{Name: "slug", In: apidoc.InPath, Description: "Slug of the flower", Required: true}},
		Responses: []apidoc.Response{
			{Status: 200, Description: "OK", Body: apidoc.TypeOf[Flower](), ContentType: jsonType},
			{
				Status: 404, Description: "Slug Not Found",
				Body: apidoc.TypeOf[message](), ContentType: jsonType, Example: messageOf(slugNotFound),
			},
		},
	}
	if !s.hasStore {
		op.Parameters[0].Example = firstFlower.Slug
		op.Responses[0].Example = firstFlower
	}
	return unlessUnavailable(op, s)
}

// unlessUnavailable adds the 503 of a store that may be unavailable.
func unlessUnavailable(op *apidoc.Operation, s *settings) *apidoc.Operation {
	if s.hasStore {
		op.Responses = append(op.Responses, apidoc.Response{
			Status:      503,
			Description: "The catalog is not available",
			Body:        apidoc.TypeOf[message](),
			ContentType: jsonType,
			Headers:     []apidoc.Parameter{{Name: "Retry-After", Description: "Seconds", Type: apidoc.TypeOf[int32]()}},
		})
	}
	return op
}

// DefaultInfo returns the facts about the API that the description has without [WithInfo]. Change
// what differs: behind a proxy that removes a prefix, only Servers does. The terms of service and
// the license are placeholders, since the contract wants some: only spec.json shows them.
func DefaultInfo() apidoc.Info {
	return apidoc.Info{
		Title:          "The Flower Shop",
		Version:        "1.0.0",
		Description:    "A read-only catalog of flowers.",
		TermsOfService: "https://flowercafe.example/terms",
		Contact:        apidoc.Contact{Name: "flowercafe"},
		License:        apidoc.License{Name: "Not chosen yet", URL: "https://flowercafe.example/licence"},
	}
}

// firstFlower stands in the examples for the first flower of the moment.
var firstFlower = Flower{Slug: "{the first slug}", Name: "{the first name}"}

// published returns info as the description has it: without the placeholders, which it keeps for
// spec.json, and with a Change that completes the examples.
func (a *App) published(info apidoc.Info) apidoc.Info {
	if all := DefaultInfo(); info.TermsOfService == all.TermsOfService {
		a.placeholders.TermsOfService, info.TermsOfService = all.TermsOfService, ""
	}
	if all := DefaultInfo(); info.License == all.License {
		a.placeholders.License, info.License = all.License, apidoc.License{}
	}
	change := info.Change
	info.Change = func(version string, text []byte) ([]byte, error) {
		if text = a.completeExamples(text); change == nil {
			return text, nil
		}
		return change(version, text)
	}
	return info
}

// completeExamples returns a description with the first flower of the moment in its examples, or
// that of the built-in ones if there are none.
func (a *App) completeExamples(text []byte) []byte {
	first := sample()[0]
	if m := a.memory(); m != nil {
		if l := m.current.Load(); len(l.flowers) > 0 {
			first = l.flowers[0]
		}
	}
	text = bytes.ReplaceAll(text, appendText(nil, firstFlower.Slug), appendText(nil, first.Slug))
	return bytes.ReplaceAll(text, appendText(nil, firstFlower.Name), appendText(nil, first.Name))
}
