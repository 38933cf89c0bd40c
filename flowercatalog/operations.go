package flowercatalog

import "example.com/flowercafe/apidoc"

// The operations of the catalog's own routes, as the description tells them. The contract has their summaries word for word.

func getFlowers() *apidoc.Operation {
	return &apidoc.Operation{
		ID:          "getFlowers",
		Summary:     "Show all flowers",
		Description: "Lists the flowers in catalog order, all of them or those whose name contains a text.",
		Tags:        []string{"Flowers"},
		Parameters: []apidoc.Parameter{{
			Name:        "name",
			In:          apidoc.InQuery,
			Description: "A text that the flower's name contains, in any letter case",
		}},
		Responses: []apidoc.Response{{Status: 200, Description: "OK", Body: apidoc.TypeOf[[]Flower]()}},
	}
}

func findBySlug() *apidoc.Operation {
	return &apidoc.Operation{
		ID:      "findBySlug",
		Summary: "Find by a flower by its slug",
		Tags:    []string{"Flowers"},
		Parameters: []apidoc.Parameter{{
			Name:        "slug",
			In:          apidoc.InPath,
			Description: "Slug of the flower",
			Required:    true,
		}},
		Responses: []apidoc.Response{
			{Status: 200, Description: "OK", Body: apidoc.TypeOf[Flower]()},
			{Status: 404, Description: "Slug Not Found"},
		},
	}
}

func defaultInfo() apidoc.Info {
	return apidoc.Info{
		Title:          "The Flower Shop",
		Version:        "1.0.0",
		Description:    "A read-only catalog of flowers.",
		TermsOfService: "https://flowercafe.example/terms",
		Contact:        apidoc.Contact{Name: "flowercafe"},
		License:        apidoc.License{Name: "Not chosen yet", URL: "https://flowercafe.example/licence"},
	}
}
