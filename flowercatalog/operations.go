package flowercatalog

import (
	"fmt"
	"reflect"

	"example.com/flowercafe/apidoc"
)

// This file describes the catalog's own routes. Clients of spec.json expect their summaries word
// for word. The actions are written by hand, because they send a list that was encoded when the
// catalog was built, stream searches, and have ETags that are known before a search. Typed
// operations encode each response: GET /flowers with 16 flowers took 5.8 µs instead of 0.4 µs.

// search is the input of getFlowers.
type search struct {
	Name string `query:"name" doc:"A text that the flower's name contains, in any letter case"`
}

// pageSearch is the input of getFlowers with pages.
type pageSearch struct {
	search
	After string `query:"after" doc:"The slug of the flower before the page"`
	Limit int32  `query:"limit" min:"1" doc:"The maximum number of flowers on the page"`
}

// jsonBody is an output with a body of JSON.
type jsonBody[T any] struct {
	Body T `body:"application/json; charset=utf-8"`
}

// withLink is the output of getFlowers with pages.
type withLink struct {
	Link string `header:"Link" doc:"The next page, with the relation next (RFC 8288)"`
	jsonBody[[]Flower]
}

// bySlug is the input of findBySlug.
type bySlug struct {
	Slug string `path:"slug" doc:"Slug of the flower"`
}

// unavailableStore is the response of a store that may be unavailable.
type unavailableStore struct {
	RetryAfter int32 `header:"Retry-After" doc:"Seconds"`
	jsonBody[message]
}

func getFlowers(s *settings) *apidoc.Operation {
	const id, summary = "getFlowers", "Show all flowers"
	description := "Lists the flowers in catalog order, all of them or those whose name contains a text."
	var options []apidoc.DescribeOption
	if s.hasStore {
		options = append(options, apidoc.Rules(apidoc.InQuery, "name", reflect.StructTag(fmt.Sprintf(`maxLength:"%d"`, maxSearch))))
	} else {
		options = append(options, apidoc.Rules(apidoc.InQuery, "name", `example:"Yellow Tulip"`), apidoc.ResponseExample(200, []Flower{exampleFlower}))
	}
	if s.hasStore || s.pageLimit > 0 {
		options = append(options, apidoc.Response[jsonBody[message]](400, "Invalid parameter"))
	}
	options = append(options, commonOptions(s)...)
	if s.pageLimit == 0 {
		return apidoc.NewOperation[search, jsonBody[[]Flower]](id, summary, append(options, apidoc.Description(description))...)
	}
	description += " The flowers are divided into pages: the header Link has the next page. The last page has no Link."
	limits := reflect.StructTag(fmt.Sprintf(`max:"%d" default:"%[1]d"`, s.pageLimit))
	options = append(options, apidoc.Description(description), apidoc.Rules(apidoc.InQuery, "limit", limits))
	return apidoc.NewOperation[pageSearch, withLink](id, summary, options...)
}

func findBySlug(s *settings) *apidoc.Operation {
	options := []apidoc.DescribeOption{apidoc.Response[jsonBody[message]](404, "Slug Not Found"), apidoc.ResponseExample(404, messageOf(slugNotFound))}
	if !s.hasStore {
		options = append(options, apidoc.Rules(apidoc.InPath, "slug", `example:"yellow-tulip"`), apidoc.ResponseExample(200, exampleFlower))
	}
	return apidoc.NewOperation[bySlug, jsonBody[Flower]]("findBySlug", findSummary, append(options, commonOptions(s)...)...)
}

// commonOptions returns the options of both operations: the tag, and the 503 of a store.
func commonOptions(s *settings) []apidoc.DescribeOption {
	options := []apidoc.DescribeOption{apidoc.Tag{Name: "Flowers"}}
	if s.hasStore {
		options = append(options, apidoc.Response[unavailableStore](503, "The catalog is not available"))
	}
	return options
}

// DefaultInfo returns the Info of the description without [WithInfo]. Its terms of service and
// license are placeholders: unchanged, an App shows them only in spec.json.
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

// exampleFlower is the example of the description. It is the first of the built-in flowers.
var exampleFlower = Flower{"yellow-tulip", "Yellow Tulip"}

// published removes the placeholders from info, and keeps them for spec.json.
func (a *App) published(info apidoc.Info) apidoc.Info {
	all := DefaultInfo()
	if info.TermsOfService == all.TermsOfService {
		a.placeholders.TermsOfService, info.TermsOfService = all.TermsOfService, ""
	}
	if info.License == all.License {
		a.placeholders.License, info.License = all.License, apidoc.License{}
	}
	return info
}
