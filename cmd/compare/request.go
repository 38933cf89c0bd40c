package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
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

// isSafe reports whether the method promises to change nothing (RFC 9110, 9.2.1).
func (r request) isSafe() bool {
	return r.method == http.MethodGet || r.method == http.MethodHead || r.method == http.MethodOptions
}

// same reports whether two requests are the same for a server.
func (r request) same(other request) bool {
	return r.String() == other.String() && r.body == other.body && fmt.Sprint(r.header) == fmt.Sprint(other.header)
}

// read reads a list in a format, which it finds out itself for "auto".
func read(input io.Reader, format string) ([]request, error) {
	buffered := bufio.NewReaderSize(input, 64<<10)
	if format == "auto" {
		begin, err := buffered.Peek(buffered.Size())
		if err != nil && err != io.EOF {
			return nil, err
		}
		format = formatOf(begin)
	}
	switch format {
	case "har":
		return readHAR(buffered)
	case "log":
		return readLines(buffered, logLine)
	case "json":
		return readLines(buffered, jsonLine)
	case "lines":
		return readLines(buffered, plainLine)
	}
	return nil, fmt.Errorf("unknown format %q: write har, log, json or lines", format)
}

// formatOf returns the format of a list that begins so.
func formatOf(begin []byte) string {
	begin = bytes.TrimPrefix(begin, []byte("\ufeff")) // a byte order mark
	line, _, whole := bytes.Cut(bytes.TrimSpace(begin), []byte("\n"))
	switch {
	case bytes.HasPrefix(line, []byte("{")) && whole && json.Valid(line):
		return "json"
	case bytes.HasPrefix(line, []byte("{")) && bytes.Contains(begin, []byte(`"log"`)):
		return "har"
	case bytes.HasPrefix(line, []byte("{")):
		return "json"
	case requestLine.Match(line):
		return "log"
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
				PostData    struct{ Text string }
			}
		}
	}
}

func readHAR(input io.Reader) ([]request, error) {
	var archive har
	if err := json.NewDecoder(input).Decode(&archive); err != nil {
		return nil, fmt.Errorf("not a HAR file: %w", err)
	}
	if archive.Log == nil {
		return nil, errors.New(`not a HAR file: the member "log" is missing`)
	}
	var requests []request
	for i, entry := range archive.Log.Entries {
		recorded := entry.Request
		r, err := parseRequest(recorded.Method, recorded.URL)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		r.body, r.header = recorded.PostData.Text, make(http.Header)
		for _, h := range recorded.Headers {
			if !ofConnection(h.Name) {
				r.header.Add(h.Name, h.Value)
			}
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// ofConnection reports whether a recorded header belongs to the recorded connection, or to what the
// browser had in its cache, and so is not sent again.
func ofConnection(name string) bool {
	switch name = http.CanonicalHeaderKey(name); name {
	case "Accept-Encoding", "Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade":
		return true
	}
	return strings.HasPrefix(name, ":") || strings.HasPrefix(name, "If-") || strings.HasPrefix(name, "Proxy-")
}

// readLines reads one request from each line. Empty lines and those that start with # are skipped.
func readLines(input io.Reader, parse func(string) (request, error)) ([]request, error) {
	var requests []request
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if r.method != "" {
			requests = append(requests, r)
		}
	}
	return requests, lines.Err()
}

// plainLine reads "GET /path", or a path alone.
func plainLine(line string) (request, error) {
	method, target, found := strings.Cut(line, " ")
	if !found {
		method, target = http.MethodGet, line
	}
	return parseRequest(method, strings.TrimSpace(target))
}

// requestLine finds the quoted request line in the formats of Apache and nginx, whatever fields are
// around it.
var requestLine = regexp.MustCompile(`"([A-Z]+) ((?:[^"\\ ]|\\.)+)(?: HTTP/[0-9.]+)?"`)

// logLine reads a line of an access log. What clients sent that is not HTTP, which servers log as
// "-" or as escaped bytes, is skipped.
func logLine(line string) (request, error) {
	found := requestLine.FindStringSubmatch(line)
	if found == nil || found[2] == "*" {
		return request{}, nil
	}
	r, err := parseRequest(found[1], unescapeLog.Replace(found[2]))
	if err != nil {
		return request{}, nil
	}
	return r, nil
}

// unescapeLog replaces the escapes of quotes and backslashes.
var unescapeLog = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\x22`, `"`, `\x5C`, `\`, `\x5c`, `\`)

// jsonLine reads a line of a log in JSON: the members method and uri (or url, path, request_uri), or
// those of a member request, as in Caddy's logs.
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
		return request{}, fmt.Errorf("not JSON: %w", err)
	}
	f := logged.fields
	if f.Method == "" && json.Unmarshal(logged.Request, &f) != nil { // nginx has the request line there
		var text string
		if json.Unmarshal(logged.Request, &text) == nil {
			return logLine(`"` + text + `"`)
		}
	}
	for _, target := range []string{f.URI, f.Request_URI, f.URL, f.Path} {
		if target != "" && f.Method != "" {
			return parseRequest(f.Method, target)
		}
	}
	return request{}, nil // another event of the server
}

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
	case method == "" || strings.ToUpper(method) != method:
		return request{}, fmt.Errorf(`%q is not a method: write lines such as "GET /path"`, method)
	case u.Host == "" && !strings.HasPrefix(target, "/"):
		return request{}, fmt.Errorf("the path %q must start with a slash", target)
	}
	if u.Host != "" || u.Fragment != "" {
		target = u.RequestURI()
	}
	return request{method: method, target: target}, nil
}
