package routing

import "net/http"

// The pages of responses that no handler of the host's makes. They say nothing of the request.
var (
	notFoundPage         = page(http.StatusNotFound)
	methodNotAllowedPage = page(http.StatusMethodNotAllowed)
)

func page(status int) Result {
	text := http.StatusText(status)
	return HTML("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>" + text + "</title>\n<h1>" + text + "</h1>\n</html>\n")
}
