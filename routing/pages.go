package routing

import (
	"cmp"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/routing/internal/accept"
)

// This file makes the bodies of default responses: a page, problem details (RFC 9457) or a text,
// as the client prefers. They contain nothing of the request.

var (
	problemText = &resultKind{isWhole: true, contentType: [1]string{"application/problem+json"}}
	jsonText    = &resultKind{isWhole: true, contentType: [1]string{"application/json"}}
)

// errorBody returns the body for a status of 400 and above, with the details of p if it is not
// nil. Clients without a preference get a page for 404 and 405, a text for errors, or problem
// details with [Problems]. The page links to the base path.
func errorBody(r *http.Request, header http.Header, e *entry, status int, p *Problem) Result {
	header["Vary"] = append(slices.Clip(header["Vary"]), "Accept") // a copy, since the slice may be shared
	offers := textFirst
	switch {
	case e.problems:
		offers = problemsOnly
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		offers = pageFirst
	}
	title, detail := textOf(status), ""
	if p != nil {
		title, detail = cmp.Or(p.Title, title), p.Detail
	}
	kind := offers.kinds[accept.Best(r.Header["Accept"], offers.types)]
	switch kind {
	case htmlText:
		explanation := explanations[status]
		if detail != "" {
			explanation = html.EscapeString(detail)
		}
		return Result{kind: kind, text: page(html.EscapeString(title), explanation, home(r.URL, e.base))}
	case plainText:
		if detail != "" {
			title += ": " + detail
		}
		return Result{kind: kind, text: title}
	}
	if p == nil {
		return Result{kind: kind, text: `{"type":"about:blank","title":"` + title + `","status":` + strconv.Itoa(status) + `}`}
	}
	whole := *p
	whole.Status = status
	body, _ := json.Marshal(&whole) // the caller has checked that p can be encoded
	return Result{kind: kind, text: string(body)}
}

// choice lists formats of a body in the app's order of preference, each with the media types that
// clients ask for it by.
type choice struct {
	kinds []*resultKind
	types [][]string
}

var (
	asPage    = []string{"text/html", "application/xhtml+xml"}
	asText    = []string{"text/plain"}
	asJSON    = []string{"application/json"}
	asProblem = []string{"application/problem+json"}

	pageFirst    = choice{[]*resultKind{htmlText, problemText, jsonText, plainText}, [][]string{asPage, asProblem, asJSON, asText}}
	textFirst    = choice{[]*resultKind{plainText, problemText, jsonText, htmlText}, [][]string{asText, asProblem, asJSON, asPage}}
	problemsOnly = choice{[]*resultKind{problemText, htmlText}, [][]string{{"application/problem+json", "application/json"}, asPage}}
)

// home returns the link from a URL to the base path, which is empty at the base path itself. It is
// relative, so that it also works behind a proxy that adds a prefix.
func home(u *url.URL, base string) string {
	path := u.EscapedPath()
	depth := strings.Count(path, "/") - strings.Count(base, "/") - 1
	switch {
	case depth > 0:
		return strings.Repeat("../", depth)
	case depth == 0 && !strings.HasSuffix(path, "/"):
		return "./"
	}
	return ""
}

var explanations = map[int]string{
	http.StatusNotFound:            "There is nothing at this address.",
	http.StatusMethodNotAllowed:    "This address does not take requests of this method.",
	http.StatusInternalServerError: "Something went wrong here. Trying again later may help.",
}

// page returns an HTML page, in light or dark colours as the system prefers.
func page(title, explanation, home string) string {
	const style = "body{max-width:32rem;margin:18vh auto;padding:0 1.5rem;font:1.1rem/1.5 system-ui;background:Canvas}"
	if explanation != "" {
		explanation = "<p>" + explanation + "</p>\n"
	}
	if home != "" {
		home = "<p><a href=\"" + home + "\">Go to the start page</a></p>\n"
	}
	return "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n" +
		"<title>" + title + "</title>\n<style>" + style + "</style>\n" +
		"<main>\n<h1>" + title + "</h1>\n" + explanation + home + "</main>\n</html>\n"
}
