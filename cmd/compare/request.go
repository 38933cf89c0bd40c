package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// This file reads lists of requests, in the order in which they were made.

// request is one request of a list.
type request struct {
	method string
	target string // path and query, which starts with a slash
	header http.Header
	body   string
}

func (r request) String() string { return r.method + " " + r.target }

// query is the safe method that has a body (RFC 10008).
const query = "QUERY"

// isSafe reports whether the method promises to change nothing (RFC 9110, 9.2.1).
func (r request) isSafe() bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, query}, r.method)
}

// same reports whether two requests are the same for a server.
func (r request) same(other request) bool {
	return r.String() == other.String() && r.body == other.body && fmt.Sprint(r.header) == fmt.Sprint(other.header)
}

// list is the content of a file.
type list struct {
	requests []request
	skipped  int // lines and entries without a request to this site
}

// read reads a list in a format; "auto" detects it. The file may be compressed
// with gzip, as old logs are.
func read(input io.Reader, format string) (list, error) {
	buffered := bufio.NewReaderSize(input, 64<<10)
	if begin, _ := buffered.Peek(2); string(begin) == "\x1f\x8b" {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return list{}, err
		}
		buffered = bufio.NewReaderSize(unpacked, 64<<10)
	}
	if begin, _ := buffered.Peek(3); string(begin) == "\ufeff" { // a byte order mark
		buffered.Discard(3)
	}
	if format == "auto" {
		begin, err := buffered.Peek(buffered.Size())
		if err != nil && err != io.EOF {
			return list{}, err
		}
		format = formatOf(begin)
	}
	parse, isLines := map[string]func(string) (request, error){"log": logLine, "json": jsonLine, "lines": plainLine}[format]
	var found list
	var err error
	switch {
	case format == "har":
		found, err = readHAR(buffered)
	case isLines:
		found, err = readLines(buffered, parse)
	default:
		return list{}, fmt.Errorf("unknown format %q: write har, log, json or lines", format)
	}
	if err == nil && len(found.requests) == 0 {
		err = fmt.Errorf("it has no request in the format %q; set another one with -format", format)
	}
	return found, err
}

var beginOfHAR = regexp.MustCompile(`^\{\s*"log"\s*:\s*\{`)

// formatOf returns the format of a list with this beginning, by the first line that can be parsed.
// Logs may begin with lines of clients that did not send HTTP.
func formatOf(begin []byte) string {
	if beginOfHAR.Match(bytes.TrimSpace(begin)) {
		return "har"
	}
	for line := range strings.Lines(string(begin)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '{' {
			return "json"
		}
		if _, err := plainLine(line); err == nil {
			return "lines"
		}
		if _, err := logLine(line); err == nil {
			return "log"
		}
	}
	return "lines"
}

// har is the part of an HTTP Archive 1.2 that is read.
type har struct {
	Log *struct {
		Entries []struct {
			Request struct {
				Method, URL string
				Headers     []struct{ Name, Value string }
				PostData    struct {
					Text   string
					Params []struct{ Name, Value string } // of a form, instead of Text
				}
			}
		}
	}
}

// readHAR reads the requests to the host of the first one. A page also loads from others, and from
// addresses such as data: and blob:.
func readHAR(input io.Reader) (list, error) {
	var archive har
	if err := json.NewDecoder(input).Decode(&archive); err != nil {
		return list{}, fmt.Errorf("not a HAR file: %w", err)
	}
	if archive.Log == nil {
		return list{}, errors.New(`not a HAR file: the member "log" is missing`)
	}
	var found list
	site := ""
	for i, entry := range archive.Log.Entries {
		recorded := entry.Request
		u, err := url.Parse(recorded.URL)
		if err == nil && site == "" && (u.Scheme == "http" || u.Scheme == "https") {
			site = u.Host
		}
		if err != nil || site == "" || u.Host != site || u.Scheme != "http" && u.Scheme != "https" {
			found.skipped++
			continue
		}
		r, err := parseRequest(recorded.Method, recorded.URL)
		if err != nil {
			return list{}, fmt.Errorf("entry %d: %w", i, err)
		}
		r.body, r.header = recorded.PostData.Text, make(http.Header)
		if r.body == "" && len(recorded.PostData.Params) > 0 {
			form := url.Values{}
			for _, p := range recorded.PostData.Params {
				form.Add(p.Name, p.Value)
			}
			r.body = form.Encode()
		}
		for _, h := range recorded.Headers {
			if !isNotResent(h.Name) {
				r.header.Add(h.Name, h.Value)
			}
		}
		found.requests = append(found.requests, r)
	}
	return found, nil
}

// isNotResent reports whether a recorded header is not sent again, because it is for the connection
// or the cache of the browser.
func isNotResent(name string) bool {
	switch name = http.CanonicalHeaderKey(name); name {
	case "Accept-Encoding", "Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade":
		return true
	}
	return strings.HasPrefix(name, ":") || strings.HasPrefix(name, "If-") || strings.HasPrefix(name, "Proxy-")
}

// maxLine is the maximum length of a line.
const maxLine = 64 << 20

// readLines reads one request from each line. Empty lines and those that start with # are skipped.
func readLines(input io.Reader, parse func(string) (request, error)) (list, error) {
	var found list
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, maxLine)
	number := 1
	for ; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		switch r, err := parse(line); {
		case errors.Is(err, errNoRequest):
			found.skipped++
		case err != nil:
			return list{}, fmt.Errorf("line %d: %w", number, err)
		default:
			found.requests = append(found.requests, r)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return list{}, fmt.Errorf("line %d is longer than %d MiB", number, maxLine>>20)
	}
	return found, lines.Err()
}

// errNoRequest means that a line of a log has no request that can be sent: another event, what
// a client sent that is not HTTP, or a line that was cut off when the log was rotated.
var errNoRequest = errors.New("no request")

// plainLine reads "GET /path", a path alone, or "POST /path body", of which the body is JSON if it
// begins with a bracket, and a form otherwise.
func plainLine(line string) (request, error) {
	method, rest, found := strings.Cut(line, " ")
	if !found {
		method, rest = http.MethodGet, line
	}
	target, body, _ := strings.Cut(strings.TrimSpace(rest), " ")
	r, err := parseRequest(method, target)
	if body = strings.TrimSpace(body); err != nil || body == "" || version.MatchString(body) {
		return r, err
	}
	if r.isSafe() && r.method != query {
		return r, fmt.Errorf("%q after the path is a body, and a %s has none: write %%20 for a space", body, method)
	}
	r.body, r.header = body, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	if body[0] == '{' || body[0] == '[' {
		r.header.Set("Content-Type", "application/json")
	}
	return r, nil
}

var version = regexp.MustCompile(`^HTTP/[0-9.]+$`)

// firstQuoted finds the first quoted field of a line of an access log, in which the formats of
// Apache and nginx have the request. What is quoted after it is the client's text, such as its user
// agent.
var firstQuoted = regexp.MustCompile(`^(?:[^"\\]|\\.)*"((?:[^"\\]|\\.)*)"`)

// logLine reads a line of an access log.
func logLine(line string) (request, error) {
	found := firstQuoted.FindStringSubmatch(line)
	if found == nil {
		return request{}, errNoRequest
	}
	return requestLine(found[1])
}

// requestLine reads "GET /path HTTP/1.1" in the spelling of logs.
func requestLine(text string) (request, error) {
	fields := strings.Split(text, " ")
	if len(fields) != 2 && (len(fields) != 3 || !version.MatchString(fields[2])) {
		return request{}, errNoRequest
	}
	r, err := parseRequest(fields[0], unescapeLog(fields[1]))
	if err != nil {
		return request{}, errNoRequest
	}
	return r, nil
}

// escaped is a quote, a backslash or a byte in the spelling of Apache and nginx.
var escaped = regexp.MustCompile(`\\(?:["\\]|x[0-9A-Fa-f]{2})`)

func unescapeLog(text string) string {
	return escaped.ReplaceAllStringFunc(text, func(found string) string {
		b, err := hex.DecodeString(found[2:])
		if err != nil || len(b) == 0 {
			return found[1:]
		}
		return string(b)
	})
}

// jsonLine reads a line of a log in JSON: the members method and uri (or url, path, request_uri),
// of the line or, as in Caddy's logs, of its member request.
func jsonLine(line string) (request, error) {
	type fields struct {
		Method                      string
		URI, URL, Path, Request_URI string
	}
	var logged struct {
		fields
		Request json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &logged); err != nil {
		return request{}, errNoRequest
	}
	f := logged.fields
	if f.Method == "" && json.Unmarshal(logged.Request, &f) != nil { // nginx has the request line there
		var text string
		if json.Unmarshal(logged.Request, &text) == nil {
			return requestLine(text)
		}
	}
	for _, target := range []string{f.URI, f.Request_URI, f.URL, f.Path} {
		if target != "" && f.Method != "" {
			if r, err := parseRequest(f.Method, target); err == nil {
				return r, nil
			}
		}
	}
	return request{}, errNoRequest
}

var isMethod = regexp.MustCompile(`^[A-Z][A-Z0-9-]*$`)

// parseRequest returns the request for a method and a target: a path with a query, or a whole URL,
// of which the path and query count.
func parseRequest(method, target string) (request, error) {
	parse := url.Parse
	if strings.HasPrefix(target, "//") { // a path, not the host of a network-path reference
		parse = url.ParseRequestURI
	}
	u, err := parse(target)
	switch {
	case err != nil:
		return request{}, fmt.Errorf("%q is not a path: %w", target, errors.Unwrap(err))
	case !isMethod.MatchString(method):
		return request{}, fmt.Errorf(`%q is not a method: write lines such as "GET /path"`, method)
	case u.Host == "" && !strings.HasPrefix(target, "/"):
		return request{}, fmt.Errorf("the path %q must start with a slash", target)
	}
	if u.Host != "" || u.Fragment != "" {
		target = u.RequestURI()
	}
	return request{method: method, target: strings.ReplaceAll(target, " ", "%20")}, nil
}
