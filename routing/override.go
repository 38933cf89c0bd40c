package routing

import (
	"net/http"
	"strings"
)

// override returns r with the method that its sender asks for, if that is allowed: only a POST changes, only to PUT or DELETE, by
// the first value of _method in an urlencoded body, or else by the header. A body that cannot be read has no say.
func override(r *http.Request, in *input, limit int64) *http.Request {
	if r.Method != http.MethodPost {
		return r
	}
	method := ""
	if in != nil && in.kind == urlencodedBody {
		if body, err := in.load(limit); err == nil {
			value, _ := pairs(body).first("_method")
			method = overriding(value)
		}
	}
	if method == "" {
		method = overriding(r.Header.Get("X-HTTP-Method-Override"))
	}
	if method == "" {
		return r
	}
	overridden := new(http.Request)
	*overridden = *r
	overridden.Method = method
	return overridden
}

// overriding returns the method that value asks for, or nothing.
func overriding(value string) string {
	switch {
	case strings.EqualFold(value, http.MethodPut):
		return http.MethodPut
	case strings.EqualFold(value, http.MethodDelete):
		return http.MethodDelete
	}
	return ""
}
