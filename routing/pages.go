package routing

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// This file makes the bodies of responses that no handler of the host's makes: a page, problem details (RFC 9457) or a text, as the
// client prefers. They say nothing of the request.

var (
	problemText = &resultKind{isText: true, contentType: [1]string{"application/problem+json"}}
	jsonText    = &resultKind{isText: true, contentType: [1]string{"application/json"}}
)

// errorBody returns the body for a status of 400 and above. Clients without a preference get a page where nothing was found, as
// people mostly do, and a text for errors. The page links the base path.
func errorBody(r *http.Request, header http.Header, base string, status int) Result {
	header["Vary"] = append(slices.Clip(header["Vary"]), "Accept") // values of the host may be shared
	kind := preferred(r.Header["Accept"])
	if kind == nil {
		kind = plainText
		if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
			kind = htmlText
		}
	}
	text := textOf(status)
	switch kind {
	case htmlText:
		text = page(text, explanations[status], home(r.URL, base))
	case problemText, jsonText:
		text = `{"type":"about:blank","title":"` + text + `","status":` + strconv.Itoa(status) + `}`
	}
	return Result{kind: kind, text: text}
}

// preferred returns the kind that an Accept header names with the highest weight (RFC 9110, 12.5.1), the first of several. It is nil
// where the header names none, as "*/*".
func preferred(accept []string) *resultKind {
	var best *resultKind
	highest := 0.0
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(item, ";")
			var kind *resultKind
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "text/html", "application/xhtml+xml":
				kind = htmlText
			case "application/problem+json":
				kind = problemText
			case "application/json":
				kind = jsonText
			case "text/plain":
				kind = plainText
			default:
				continue
			}
			if weight := weightOf(parameters); weight > highest {
				best, highest = kind, weight
			}
		}
	}
	return best
}

// weightOf returns the parameter q, 1 without one, and 0 if it is not a number.
func weightOf(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return 0
			}
			return weight
		}
	}
	return 1
}

// home returns the way from a URL to the base path. It is relative, so that it is right behind a proxy that adds a prefix. It is
// empty at the base path itself.
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
