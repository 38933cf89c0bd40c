package apidoc

import "slices"

// This file writes ways to authorize. Swagger 2.0 has no bearer tokens, but a key in the header that
// they are in, and of OAuth 2 one flow, by another name.

// schemes writes the ways to authorize that the form knows.
func (w *formWriter) schemes() object {
	var o object
	if w.isSwagger() {
		o = object{}
	}
	for _, s := range w.api.Schemes {
		if written := w.scheme(s); written != nil {
			o = append(o, member{s.Name, written})
		}
	}
	return o
}

// scheme writes one way, nil if the form does not know it.
func (w *formWriter) scheme(s *docScheme) object {
	switch {
	case w.isSwagger():
		return swaggerScheme(s)
	case s.Kind == "http":
		return object{{"type", "http"}, {"scheme", s.Scheme}}
	case s.Kind == "apiKey":
		return object{{"type", "apiKey"}, {"in", s.In}, {"name", s.Key}}
	case s.Kind == "openIdConnect":
		return object{{"type", "openIdConnect"}, {"openIdConnectUrl", s.URL}}
	}
	flows := object{}
	for _, f := range s.Flows {
		flows = append(flows, member{f.Kind, f})
	}
	return object{{"type", s.Kind}, {"flows", flows}}
}

func swaggerScheme(s *docScheme) object {
	switch {
	case s.Scheme == "basic":
		return object{{"type", "basic"}}
	case s.Kind == "apiKey" && s.In != "cookie":
		return object{{"type", "apiKey"}, {"name", s.Key}, {"in", s.In}}
	case s.Kind == "http":
		return object{
			{"type", "apiKey"}, {"name", "Authorization"}, {"in", "header"},
			{"description", `The word "Bearer", a space, and the token`},
		}
	case s.Kind == "oauth2" && len(s.Flows) > 0:
		f := s.Flows[0]
		flow := f.Kind
		switch flow {
		case "clientCredentials":
			flow = "application"
		case "authorizationCode":
			flow = "accessCode"
		}
		return object{
			{"type", "oauth2"}, {"flow", flow}, {"authorizationUrl", f.AuthorizationURL}, {"tokenUrl", f.TokenURL}, {"scopes", f.Scopes},
		}.present()
	}
	return nil
}

// security writes the alternatives that an operation has: each is one way of every list. Those with
// a way that the form does not know are left out.
func (w *formWriter) security(op *docOperation) []object {
	if op.Security == nil {
		return nil
	}
	alternatives := []object{nil}
	for _, ways := range op.Security {
		var longer []object
		for _, way := range ways {
			scopes := way.Scopes
			if scopes == nil || way.Kind == "http" || way.Kind == "apiKey" {
				scopes = []string{}
			}
			for _, before := range alternatives {
				if w.scheme(way.docScheme) != nil {
					longer = append(longer, append(slices.Clip(before), member{way.Name, scopes}))
				}
			}
		}
		alternatives = longer
	}
	return alternatives
}
