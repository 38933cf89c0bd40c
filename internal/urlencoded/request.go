package urlencoded

import (
	"net/http"
	"net/url"
)

// TakesForm reports whether the body of a request with this method may be a form, as for
// [http.Request.ParseForm].
func TakesForm(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// Form returns the values of a form that was parsed before, for example by middleware, without
// those of the query. Its body cannot be read again.
func Form(r *http.Request) (values url.Values, isParsed bool) {
	values = r.PostForm
	switch {
	case values != nil:
	case r.MultipartForm != nil:
		values = r.MultipartForm.Value
	case r.Form == nil:
		return nil, false
	default: // Form has the values of the query after those of the body.
		query := r.URL.Query()
		values = make(url.Values)
		for key, all := range r.Form {
			if own := len(all) - len(query[key]); own > 0 {
				values[key] = all[:own]
			}
		}
	}
	// Of a DELETE, to which the method may have been overridden, ParseForm does not read the body.
	return values, len(values) > 0 || TakesForm(r.Method)
}
