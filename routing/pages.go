package routing

import "net/http"

// The pages of answers that no handler of the host's makes. They say nothing of the request.
var (
	notFoundPage         = page(http.StatusNotFound)
	methodNotAllowedPage = page(http.StatusMethodNotAllowed)
)

func page(status int) Result {
	text := http.StatusText(status)
	return HTML("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>" + text + "</title>\n<h1>" + text + "</h1>\n</html>\n")
}

// notFoundHere answers a request for a path outside of the app.
func notFoundHere(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if next != nil {
		next.ServeHTTP(w, r)
		return
	}
	w.Header()["X-Content-Type-Options"] = noSniffValue
	notFoundPage.render(&output{w: w, r: r, status: http.StatusNotFound})
}
