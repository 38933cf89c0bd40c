package openapi

import (
	"cmp"
	"slices"
)

// This file writes security schemes. Swagger 2.0 has neither bearer tokens nor cookies: they become
// keys in a header, so that no protected operation is described as public. It has one flow for each
// OAuth 2 scheme, and other names for two flows.

// schemes writes the security schemes.
func (w *writer) schemes() (o object) {
	for _, s := range w.Schemes {
		o = append(o, member{s.Name, w.scheme(s)})
	}
	return o
}

// scheme writes a security scheme.
func (w *writer) scheme(s *Scheme) object {
	switch {
	case w.isSwagger():
		return w.swaggerScheme(s)
	case s.Kind == "http":
		return object{{"type", "http"}, {"scheme", s.Scheme}}
	case s.Kind == "apiKey":
		return object{{"type", "apiKey"}, {"in", s.In}, {"name", s.Key}}
	case s.Kind == "openIdConnect":
		return object{{"type", "openIdConnect"}, {"openIdConnectUrl", s.URL}}
	}
	flows := object{}
	for _, f := range w.flows(s) {
		flows = append(flows, member{f.Kind, f})
	}
	return object{{"type", "oauth2"}, {"flows", flows}}
}

// flows returns the flows that the format has: the device flow is new in OpenAPI 3.2.
func (w *writer) flows(s *Scheme) []Flow {
	return slices.DeleteFunc(slices.Clone(s.Flows), func(f Flow) bool { return f.Kind == "deviceAuthorization" && w.Format != OpenAPI32 })
}

func (w *writer) swaggerScheme(s *Scheme) object {
	switch flows := w.flows(s); {
	case s.Scheme == "basic":
		return object{{"type", "basic"}}
	case s.Kind == "apiKey" && s.In != "cookie":
		return object{{"type", "apiKey"}, {"name", s.Key}, {"in", s.In}}
	case s.Kind == "apiKey":
		return keyInHeader("Cookie", "The cookie "+s.Key)
	case s.Kind == "oauth2" && len(flows) > 0:
		f := flows[0]
		newer := map[string]string{"clientCredentials": "application", "authorizationCode": "accessCode"}
		return object{
			{"type", "oauth2"},
			{"flow", cmp.Or(newer[f.Kind], f.Kind)},
			{"authorizationUrl", f.AuthorizationURL},
			{"tokenUrl", f.TokenURL},
			{"scopes", f.Scopes},
		}
	}
	return keyInHeader("Authorization", `The word "Bearer", a space, and the token`)
}

// keyInHeader writes a scheme that Swagger 2.0 does not have.
func keyInHeader(name, how string) object {
	return object{{"type", "apiKey"}, {"name", name}, {"in", "header"}, {"description", how}}
}

// security writes the alternatives of an operation. Each combines one requirement of every list. It
// omits alternatives whose schemes include all schemes of another alternative.
func (w *writer) security(op *Operation) (alternatives []object) {
	if op.Security == nil {
		return nil
	}
	all := []object{nil}
	for _, requirements := range op.Security {
		var longer []object
		for _, required := range requirements {
			scopes := required.Scopes
			hasScopes := required.Kind == "oauth2" || required.Kind == "openIdConnect"
			if scopes == nil || !hasScopes && !w.isJSONSchema {
				scopes = []string{} // since 3.1 other schemes have scopes too, as roles (Security Requirement Object)
			}
			for _, before := range all {
				if !before.has(required.Name) {
					before = append(slices.Clip(before), member{required.Name, scopes})
				}
				longer = append(longer, before)
			}
		}
		all = longer
	}
	for i, o := range all {
		includes := func(other object) bool {
			return !slices.ContainsFunc(other, func(m member) bool { return !o.has(m.name) })
		}
		if !slices.ContainsFunc(alternatives, includes) &&
			!slices.ContainsFunc(all[i+1:], func(other object) bool { return len(other) < len(o) && includes(other) }) {
			alternatives = append(alternatives, o)
		}
	}
	return alternatives
}

// has reports whether there is a member with a name.
func (o object) has(name string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.name == name })
}
