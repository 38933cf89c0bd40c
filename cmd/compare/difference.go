package main

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// This file compares two responses.

// difference is one way in which two responses differ.
type difference struct {
	kind     string // what differs, for the table: "status", "header Vary", "body"
	old, new string // what the two servers sent
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %s, now %s", d.kind, shorten(d.old), shorten(d.new))
}

// mostShown is how much of a text is printed.
const mostShown = 120

func shorten(text string) string {
	switch {
	case text == "":
		return "none"
	case len(text) > mostShown:
		return fmt.Sprintf("%#q…", text[:mostShown])
	}
	return fmt.Sprintf("%#q", text)
}

// comparer says which differences count.
type comparer struct {
	headers  []string
	ignore   []*regexp.Regexp
	old, new site
}

// site is one of the two, as texts name it.
type site struct {
	origin string
	base   *regexp.Regexp // the path of its address, where a text names a path; nil if there is none
}

func newSite(u *url.URL) site {
	s := site{origin: u.Scheme + "://" + u.Host}
	if path := strings.TrimSuffix(u.EscapedPath(), "/"); path != "" {
		s.base = regexp.MustCompile(`(?:` + regexp.QuoteMeta(s.origin) + `|(^|[\s"'=(,;>]))` + regexp.QuoteMeta(path) + `(/|$|[\s"'?#),;<])`)
	}
	return s
}

// compare returns the differences between two responses to a request.
func (c comparer) compare(r request, old, new response) []difference {
	if old.status != new.status {
		return []difference{{"status", fmt.Sprint(old.status), fmt.Sprint(new.status)}}
	}
	var found []difference
	add := func(kind, was, is string) {
		if was, is = c.normal(was, c.old), c.normal(is, c.new); was != is {
			found = append(found, difference{kind, was, is})
		}
	}
	for _, name := range c.headers {
		add("header "+name, headerText(name, old.header), headerText(name, new.header))
	}
	if r.method == http.MethodHead {
		return found
	}
	was, is := c.normal(old.body, c.old), c.normal(new.body, c.new)
	if was == is {
		return found
	}
	switch media := mediaOf(old.header); {
	case media != mediaOf(new.header):
		add("body", was, is)
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		if at, before, now, differ := compareJSON(was, is); differ {
			found = append(found, difference{"body" + at, before, now})
		}
	case media == "text/html" || media == "application/xhtml+xml":
		if before, now, differ := firstDifference(linesOf(was), linesOf(is)); differ {
			found = append(found, difference{"body", before, now})
		}
	case strings.HasPrefix(media, "text/"):
		before, now, _ := firstDifference(strings.Split(was, "\n"), strings.Split(is, "\n"))
		found = append(found, difference{"body", before, now})
	default:
		found = append(found, difference{"body", fmt.Sprintf("%d bytes", len(was)), fmt.Sprintf("%d bytes, not the same", len(is))})
	}
	return found
}

// normal removes from a text what may differ: the address of its server, and what -ignore matches.
func (c comparer) normal(text string, s site) string {
	if s.base != nil {
		text = s.base.ReplaceAllStringFunc(text, func(found string) string {
			parts := s.base.FindStringSubmatch(found)
			return parts[1] + "/" + strings.TrimPrefix(parts[2], "/")
		})
	}
	text = strings.ReplaceAll(text, s.origin, "")
	for _, re := range c.ignore {
		text = re.ReplaceAllString(text, "")
	}
	return text
}

// headerText returns the values of a header in one text, in which the order of list members and the
// spelling that HTTP leaves open do not count.
func headerText(name string, header http.Header) string {
	values := header.Values(name)
	switch name {
	case "Set-Cookie": // the values of cookies differ for each session
		var names []string
		for _, cookie := range (&http.Response{Header: header}).Cookies() {
			names = append(names, cookie.Name)
		}
		slices.Sort(names)
		return strings.Join(slices.Compact(names), ", ")
	case "Allow", "Vary", "Cache-Control":
		var members []string
		for member := range strings.SplitSeq(strings.Join(values, ","), ",") {
			if member = strings.TrimSpace(member); member != "" {
				members = append(members, member)
			}
		}
		slices.Sort(members)
		return strings.Join(slices.Compact(members), ", ")
	case "Content-Type":
		if media, parameters, err := mime.ParseMediaType(header.Get(name)); err == nil {
			for key, value := range parameters {
				parameters[key] = strings.ToLower(value)
			}
			return mime.FormatMediaType(media, parameters)
		}
	}
	return strings.Join(values, ", ")
}

func mediaOf(header http.Header) string {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media
}

// firstDifference returns the first line that two texts do not share.
func firstDifference(old, new []string) (was, is string, differ bool) {
	for i := range max(len(old), len(new)) {
		was, is = "", ""
		if i < len(old) {
			was = old[i]
		}
		if i < len(new) {
			is = new[i]
		}
		if was != is {
			return was, is, true
		}
	}
	return "", "", false
}
