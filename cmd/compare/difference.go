package main

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// This file compares two responses.

// difference is one way in which two responses differ.
type difference struct {
	kind     string // what differs, for the table: "status", "header Vary", "body"
	old, new string // what the two servers sent
}

func (d difference) String() string {
	old, new := shorten(d.old, d.new)
	return fmt.Sprintf("%s: %s, now %s", d.kind, old, new)
}

// maxShown is how much of a text is printed.
const maxShown = 120

// shorten returns two texts as they are printed: of long texts the part that differs.
func shorten(old, new string) (string, string) {
	start := 0
	if len(old) > maxShown || len(new) > maxShown {
		for start < min(len(old), len(new)) && old[start] == new[start] {
			start++
		}
		start = cut(old, max(0, start-maxShown/4))
	}
	return part(old, start), part(new, start)
}

func part(text string, start int) string {
	if text == "" {
		return "none"
	}
	end := cut(text, start+maxShown)
	quoted := fmt.Sprintf("%#q", text[start:end])
	if start > 0 {
		quoted = "…" + quoted
	}
	if end < len(text) {
		quoted += "…"
	}
	return quoted
}

// cut returns the greatest index up to i that does not split a character.
func cut(text string, i int) int {
	if i >= len(text) {
		return len(text)
	}
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// comparer has what is compared.
type comparer struct {
	statusOnly bool
	headers    []string
	ignore     []*regexp.Regexp
	old, new   site
}

// site has the URLs of a server, which are removed from its responses.
type site struct {
	host    string         // without a port
	origins []string       // of its address, and of the Host that -H sends
	base    *regexp.Regexp // matches the path of its address in a text; nil if there is none
}

func newSite(u *url.URL, host string) site {
	s := site{u.Hostname(), []string{u.Scheme + "://" + u.Host}, nil}
	if host != "" {
		s.host = (&url.URL{Host: host}).Hostname()
		s.origins = append(s.origins, u.Scheme+"://"+host)
	}
	if path := strings.TrimSuffix(u.EscapedPath(), "/"); path != "" {
		var origins strings.Builder
		for _, origin := range s.origins {
			origins.WriteString(regexp.QuoteMeta(origin) + "|")
		}
		s.base = regexp.MustCompile(`(?:` + origins.String() + `(^|[\s"'=(,;>]))` + regexp.QuoteMeta(path) + `(/|$|[\s"'?#),;<])`)
	}
	return s
}

// compare returns the differences between two responses to a request.
func (c comparer) compare(r request, old, new response) []difference {
	if old.status != new.status {
		return []difference{{"status", fmt.Sprint(old.status), fmt.Sprint(new.status)}}
	}
	if c.statusOnly {
		return nil
	}
	var found []difference
	add := func(kind, was, is string) {
		if was, is = c.normal(was, c.old), c.normal(is, c.new); was != is {
			found = append(found, difference{kind, was, is})
		}
	}
	for _, name := range c.headers {
		add("header "+name, headerText(name, old.header, c.old.host), headerText(name, new.header, c.new.host))
	}
	if r.method == http.MethodHead {
		return found
	}
	if old.remainder != new.remainder {
		found = append(found, difference{fmt.Sprintf("body after %d MiB", maxBody>>20), old.remainder.String(), new.remainder.String()})
	}
	oldBody, newBody := c.normal(old.body, c.old), c.normal(new.body, c.new)
	if oldBody == newBody {
		return found
	}
	media := mediaOf(old.header)
	if media == "application/json" || strings.HasSuffix(media, "+json") {
		if differences, ok := compareJSON(oldBody, newBody); ok && media == mediaOf(new.header) {
			return append(found, differences...)
		}
	}
	switch {
	case media != mediaOf(new.header):
		add("body", oldBody, newBody)
	case media == "text/html" || media == "application/xhtml+xml":
		if oldLine, newLine, differ := firstDifference(linesOf(oldBody), linesOf(newBody)); differ {
			found = append(found, difference{"body", oldLine, newLine})
		}
	case strings.HasPrefix(media, "text/"):
		oldLine, newLine, _ := firstDifference(strings.Split(oldBody, "\n"), strings.Split(newBody, "\n"))
		found = append(found, difference{"body", oldLine, newLine})
	case strings.HasSuffix(media, "json"):
		found = append(found, difference{"body (not JSON)", oldBody, newBody})
	default:
		found = append(found, difference{"body", fmt.Sprintf("%d bytes", len(oldBody)), fmt.Sprintf("%d bytes, not the same", len(newBody))})
	}
	return found
}

// normal removes from a text what may differ: the URL of its server, and what -ignore matches.
func (c comparer) normal(text string, s site) string {
	if s.base != nil {
		text = s.base.ReplaceAllStringFunc(text, func(found string) string {
			parts := s.base.FindStringSubmatch(found)
			return parts[1] + "/" + strings.TrimPrefix(parts[2], "/")
		})
	}
	for _, origin := range s.origins {
		text = strings.ReplaceAll(text, origin, "")
	}
	for _, re := range c.ignore {
		text = re.ReplaceAllString(text, "")
	}
	return text
}

// firstDifference returns the first line that differs.
func firstDifference(old, new []string) (oldLine, newLine string, differ bool) {
	for i := range max(len(old), len(new)) {
		oldLine, newLine = "", ""
		if i < len(old) {
			oldLine = old[i]
		}
		if i < len(new) {
			newLine = new[i]
		}
		if oldLine != newLine {
			return oldLine, newLine, true
		}
	}
	return "", "", false
}
