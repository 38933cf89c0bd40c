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
)

// This file makes the bodies of responses that no handler of the host's makes: a page, problem
// details (RFC 9457) or a text, as the client prefers. They say nothing of the request.

var (
	problemText = &resultKind{isText: true, contentType: [1]string{"application/problem+json"}}
	jsonText    = &resultKind{isText: true, contentType: [1]string{"application/json"}}
)

// errorBody returns the body for a status of 400 and above; p tells more of it, if it is not nil.
// Clients without a preference get a page where nothing was found, as people mostly do, and a text
// for errors; or problem details, if the app has [Problems]. The page links the base path.
func errorBody(r *http.Request, header http.Header, e *entry, status int, p *Problem) Result {
	header["Vary"] = append(slices.Clip(header["Vary"]), "Accept") // values of the host may be shared
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
	kind := preferred(r.Header["Accept"], offers)
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
	body, _ := json.Marshal(&whole) // who has p has checked it
	return Result{kind: kind, text: string(body)}
}

// offer is a kind of body with the media types that ask for it. The first that an Accept header
// names decides.
type offer struct {
	kind  *resultKind
	types []string
}

var (
	offerPage    = offer{htmlText, []string{"text/html", "application/xhtml+xml"}}
	offerText    = offer{plainText, []string{"text/plain"}}
	offerJSON    = offer{jsonText, []string{"application/json"}}
	offerProblem = offer{problemText, []string{"application/problem+json"}}

	pageFirst    = []offer{offerPage, offerProblem, offerJSON, offerText}
	textFirst    = []offer{offerText, offerProblem, offerJSON, offerPage}
	problemsOnly = []offer{{problemText, []string{"application/problem+json", "application/json"}}, offerPage}
)

// preferred returns the kind with the highest weight in an Accept header (RFC 9110, 12.5.1). Of
// several it is one that is named more exactly, and then the first; that is also the one for
// clients that accept none.
func preferred(accept []string, offers []offer) *resultKind {
	best, highest, exactest := offers[0].kind, 0.0, 0
	if len(accept) == 0 {
		return best
	}
	for _, o := range offers {
		weight, exactness := o.weight(accept)
		if weight > highest || weight == highest && weight > 0 && exactness > exactest {
			best, highest, exactest = o.kind, weight, exactness
		}
	}
	return best
}

// weight returns the weight of an offer, and how exactly it is named: 2 for its type, 1 for
// "text/*", 0 for "*/*" or not at all.
func (o offer) weight(accept []string) (weight float64, exactness int) {
	exactness = -1
	for i, name := range o.types {
		major, _, _ := strings.Cut(name, "/")
		for _, line := range accept {
			for item := range strings.SplitSeq(line, ",") {
				mediaRange, parameters, _ := strings.Cut(item, ";")
				exact := -1
				switch mediaRange = strings.ToLower(strings.TrimSpace(mediaRange)); {
				case mediaRange == name:
					exact = 2
				case i > 0: // wildcards are about the first
				case mediaRange == major+"/*":
					exact = 1
				case mediaRange == "*/*":
					exact = 0
				}
				if exact > exactness {
					weight, exactness = weightOf(parameters), exact
				}
			}
		}
	}
	return weight, exactness
}

// weightOf returns the parameter q, 1 without one, and 0 if it is not a number.
func weightOf(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || !(weight > 0) {
				return 0
			}
			return min(weight, 1)
		}
	}
	return 1
}

// home returns the way from a URL to the base path. It is relative, so that it is right behind a
// proxy that adds a prefix. It is empty at the base path itself.
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

// page returns an HTML page in the colours that the reader's system prefers.
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
