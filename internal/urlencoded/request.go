package urlencoded

import (
	"net/http"
	"net/url"

	"example.com/flowercafe/internal/method"
)

// TakesForm reports whether the body of a request with this method may be a form: as for
// [http.Request.ParseForm], and for QUERY (RFC 10008, A).
func TakesForm(m string) bool {
	return m == http.MethodPost || m == http.MethodPut || m == http.MethodPatch || m == method.Query
}

// Form returns the values of a form that was parsed before, for example by middleware, without the
// query. Its body cannot be read again.
func Form(r *http.Request) (values url.Values, isParsed bool) {
	values = r.PostForm
	switch {
	case values != nil:
	case r.MultipartForm != nil:
		values = r.MultipartForm.Value
	case r.Form == nil:
		return nil, false
	default: // Form has the values of the query after the body's.
		query := r.URL.Query()
		values = make(url.Values)
		for key, all := range r.Form {
			if own := len(all) - len(query[key]); own > 0 {
				values[key] = all[:own]
			}
		}
	}
	// Of a QUERY, or of a DELETE to which a POST was overridden, ParseForm does not read the body.
	return values, len(values) > 0 || TakesForm(r.Method) && r.Method != method.Query
}
