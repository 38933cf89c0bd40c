package response

import (
	"cmp"
	"html"
	"net/http"
	"strconv"
	"strings"

	"example.com/flowercafe/routing/internal/accept"
)

// This file renders the bodies of default responses: a page, problem details (RFC 9457) or a text,
// as the client prefers. Without Details, they contain no data of the request.

// Details are the fields of an error that the client may see.
type Details struct {
	Title   string // the default is the text of the status
	Text    string
	Problem func(status int) []byte // the problem details, with the status of the response
}

var (
	problemJSON = &Kind{ContentType: "application/problem+json", isWhole: true}
	shortJSON   = &Kind{ContentType: "application/json", isWhole: true}
)

// Default returns the default response for a status of 400 and above, with details if they are not
// nil. It is rendered when it is sent, so that a response that replaces it has none of its headers.
func Default(status int, d *Details) Body {
	if status == http.StatusNotFound && d == nil {
		return Body{Kind: notFound} // shared, since it is the most frequent one
	}
	return Body{Kind: &Kind{defaultFor: status, details: d}}
}

var notFound = &Kind{defaultFor: http.StatusNotFound}

// format makes the body of a default response, and sets its headers except for the type. Clients
// without a preference get a page for 404 and 405, a text for other errors, or problem details if
// s.Problems is set.
func (s *Sender) format(r *http.Request, header http.Header, status int, d *Details) Body {
	values := [...]string{"nosniff", "Accept"}       // one allocation for both
	header["X-Content-Type-Options"] = values[0:1:1] // browsers must not guess another type
	if header["Vary"] == nil {
		header["Vary"] = values[1:2:2]
	} else {
		AddVary(header, "Accept")
	}
	offers := textFirst
	switch {
	case s.Problems:
		offers = problemsOnly
	case isNotFound(status):
		offers = pageFirst
	}
	title, text := Title(status), ""
	if d != nil {
		title, text = cmp.Or(d.Title, title), d.Text
	}
	best, _ := accept.Best(r.Header["Accept"], offers.types)
	kind := offers.kinds[best]
	switch kind {
	case htmlText:
		if status == http.StatusNotFound && d == nil {
			return Body{kind, notFoundPage}
		}
		explanation := explanations[status]
		if text != "" {
			explanation = html.EscapeString(text)
		}
		return Body{kind, page(html.EscapeString(title), explanation)}
	case plainText:
		if text != "" {
			title += ": " + text
		}
		return Body{kind, title}
	}
	if d == nil {
		return Body{kind, `{"type":"about:blank","title":"` + title + `","status":` + strconv.Itoa(status) + `,"code":"` + Code(status) + `"}`}
	}
	return Bytes(kind.ContentType, d.Problem(status))
}

func isNotFound(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed
}

// Title returns the text of a status, for an unknown one the text of the first status of its class
// (RFC 9110, 15).
func Title(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return http.StatusText(status / 100 * 100)
}

// Code returns the name of a problem with a status alone, such as not_found.
func Code(status int) string { return codeChars.Replace(strings.ToLower(Title(status))) }

var codeChars = strings.NewReplacer(" ", "_", "-", "_", "'", "")

// choice lists formats of a body in the app's order of preference, each with its media types in
// Accept headers.
type choice struct {
	kinds []*Kind
	types [][]string
}

var (
	asPage    = []string{"text/html", "application/xhtml+xml"}
	asText    = []string{"text/plain"}
	asJSON    = []string{"application/json"}
	asProblem = []string{"application/problem+json"}

	pageFirst    = choice{[]*Kind{htmlText, problemJSON, shortJSON, plainText}, [][]string{asPage, asProblem, asJSON, asText}}
	textFirst    = choice{[]*Kind{plainText, problemJSON, shortJSON, htmlText}, [][]string{asText, asProblem, asJSON, asPage}}
	problemsOnly = choice{[]*Kind{problemJSON, htmlText}, [][]string{{"application/problem+json", "application/json"}, asPage}}
)

// notFoundPage is made once, since most default responses are a 404.
var notFoundPage = page(Title(http.StatusNotFound), explanations[http.StatusNotFound])

var explanations = map[int]string{
	http.StatusNotFound:            "There is nothing at this address.",
	http.StatusMethodNotAllowed:    "This address does not take requests of this method.",
	http.StatusInternalServerError: "Something went wrong here. Trying again later may help.",
}

// page returns an HTML page, light or dark as the user's system prefers.
func page(title, explanation string) string {
	const style = "body{max-width:32rem;margin:18vh auto;padding:0 1.5rem;font:1.1rem/1.5 system-ui;background:Canvas}"
	if explanation != "" {
		explanation = "<p>" + explanation + "</p>\n"
	}
	return "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n" +
		"<title>" + title + "</title>\n<style>" + style + "</style>\n" +
		"<main>\n<h1>" + title + "</h1>\n" + explanation + "</main>\n</html>\n"
}
