package routing_test

// This file runs the cases that define the rules of the router, on a server on loopback.
// testdata/conformance/README.md describes the form of the cases.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"
)

// conformanceEnv names a directory whose cases are run as well. A relative path
// is taken from this package's folder, where go test runs a test, or else from
// the module's root, where go test is usually typed.
const conformanceEnv = "CONFORMANCE_CASES"

// TestConformance runs every case as one subtest named FILE:NAME, where FILE is
// the name of the case's file without ".json". (go test writes the spaces of
// NAME as underscores.)
func TestConformance(t *testing.T) {
	directories := []string{filepath.Join("testdata", "conformance")}
	if further := os.Getenv(conformanceEnv); further != "" {
		directories = append(directories, fromHereOrRoot(further))
	}
	for _, directory := range directories {
		files, err := filepath.Glob(filepath.Join(directory, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Fatalf("no cases in %s", directory)
		}
		for _, file := range files {
			cases, err := readConformanceFile(file)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, c := range cases {
				name := strings.TrimSuffix(filepath.Base(file), ".json") + ":" + c.Name
				t.Run(name, func(t *testing.T) {
					if err := runConformanceCase(c); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

func fromHereOrRoot(directory string) string {
	if filepath.IsAbs(directory) {
		return directory
	}
	if _, err := os.Stat(directory); err == nil {
		return directory
	}
	return filepath.Join("..", directory)
}

// runConformanceCase runs one case and returns every difference it found. A case
// that raises errors is run with returned errors, then with panics.
func runConformanceCase(c conformanceCase) error {
	err := runConformanceCaseOnce(c, raiseReturned)
	if c.App.raises() {
		err = errors.Join(err, runConformanceCaseOnce(c, raisePanicked))
	}
	return err
}

func runConformanceCaseOnce(c conformanceCase, mode raiseMode) error {
	handler, err := buildCase(c.App, mode)
	if err != nil {
		return err
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	var differences []error
	for _, r := range c.Requests {
		got, err := sendRaw(server.Listener.Addr(), r)
		if err == nil {
			err = r.Expect.compare(got)
		}
		if err != nil {
			differences = append(differences, fmt.Errorf("%s %s (errors %s): %w", r.Method, r.Target, mode, err))
		}
	}
	return errors.Join(differences...)
}

// A rawResponse is a response as it was on the wire, parsed.
type rawResponse struct {
	status int
	reason string
	header http.Header
	body   string
	host   string // the address of the server
}

// sendRaw sends a request as written, without cleaning its target or following
// redirects, and reads exactly one response.
func sendRaw(address net.Addr, r requestCase) (rawResponse, error) {
	conn, err := net.Dial(address.Network(), address.String())
	if err != nil {
		return rawResponse{}, err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second)) // only a hang guard

	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", r.Method, r.Target, address)
	names := make([]string, 0, len(r.Headers))
	for name := range r.Headers {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\r\n", name, r.Headers[name])
	}
	if r.Body != "" || r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.Body))
	}
	b.WriteString("\r\n" + r.Body)
	if _, err := io.WriteString(conn, b.String()); err != nil {
		return rawResponse{}, fmt.Errorf("send: %w", err)
	}
	response, err := readOneResponse(conn, r.Method)
	response.host = address.String()
	return response, err
}

// readOneResponse reads the only response of a connection. A second response, or anything else, is
// an error.
func readOneResponse(conn io.Reader, method string) (rawResponse, error) {
	in := bufio.NewReader(conn)
	response, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return rawResponse{}, fmt.Errorf("read the response: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return rawResponse{}, fmt.Errorf("read the body: %w", err)
	}
	rest, err := io.ReadAll(in)
	if err != nil {
		return rawResponse{}, fmt.Errorf("read to the end: %w", err)
	}
	if len(rest) > 0 {
		return rawResponse{}, fmt.Errorf("more than one response: %q follows", rest)
	}
	_, reason, _ := strings.Cut(response.Status, " ")
	return rawResponse{status: response.StatusCode, reason: reason, header: response.Header, body: string(body)}, nil
}

// compare returns every difference between a response and the expected one.
func (e expectation) compare(got rawResponse) error {
	var differences []error
	if e.Status != nil && got.status != *e.Status {
		differences = append(differences, fmt.Errorf("status %d, want %d", got.status, *e.Status))
	}
	if e.Body != nil && got.body != *e.Body {
		differences = append(differences, fmt.Errorf("body %q, want %q", got.body, *e.Body))
	}
	for name, want := range e.Headers {
		values := got.header.Values(name)
		switch {
		case want == nil && len(values) > 0:
			differences = append(differences, fmt.Errorf("header %s: %q, want none", name, values))
		case want != nil && len(values) != 1:
			differences = append(differences, fmt.Errorf("header %s: %q, want one value %q", name, values, *want))
		case want != nil && comparedPart(name, values[0], got.host) != *want:
			differences = append(differences, fmt.Errorf("header %s: %q, want %q", name, values[0], *want))
		}
	}
	return errors.Join(differences...)
}

// comparedPart is the part of a header that is compared: of Content-Type the media
// type, of Location what follows the test server's own scheme and host.
func comparedPart(name, value, host string) string {
	switch http.CanonicalHeaderKey(name) {
	case "Content-Type":
		if media, _, err := mime.ParseMediaType(value); err == nil {
			return media
		}
	case "Location":
		return strings.TrimPrefix(value, "http://"+host)
	}
	return value
}

// passingCase is a case that passes. The test of the runner changes it.
const passingCase = `[{
	"name": "n", "rule": "r", "source": "rule", "note": "n",
	"app": {"style": "servlet", "mount": "", "method_override": false, "define": [
		{"before": null, "action": [{"trace": "b"}]},
		{"route": "GET", "pattern": "/x/:id", "conditions": [{"constant": true}], "action": [{"param": "id"}]},
		{"route": "GET", "pattern": "/boom", "action": [{"raise": "boom"}]},
		{"error": true, "action": [{"status": 503}, {"error_message": true}]}
	]},
	"requests": [
		{"method": "GET", "target": "/x/5", "expect": {"status": 200, "body": "5", "headers": {"X-Trace": "b", "X-None": null}}},
		{"method": "GET", "target": "/boom", "expect": {"status": 503, "body": "boom"}}
	]
}]`

// TestConformanceRunner shows that the runner can fail: each row changes a passing case and has the
// difference to report.
func TestConformanceRunner(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new string
		want     string // "": the case passes
	}{
		{"nothing wrong", "", "", ""},
		{"status", `"status": 200`, `"status": 201`, "status 200, want 201"},
		{"body", `"body": "5"`, `"body": "6"`, `body "5", want "6"`},
		{"header value", `"X-Trace": "b"`, `"X-Trace": "c"`, `header X-Trace: "b", want "c"`},
		{"header absent", `"X-None": null`, `"X-None": "x"`, `header X-None: [], want one value "x"`},
		{"header present", `"X-Trace": "b"`, `"X-Trace": null`, `header X-Trace: ["b"], want none`},
		{"status of a returned error", `"status": 503, "body"`, `"status": 500, "body"`, "(errors returned): status 503, want 500"},
		{"status of a panic", `"status": 503, "body"`, `"status": 500, "body"`, "(errors panicked): status 503, want 500"},
		{"unknown step", `{"trace": "b"}`, `{"tarce": "b"}`, `unknown step "tarce"`},
		{"two steps in one", `{"trace": "b"}`, `{"trace": "b", "text": "t"}`, `members "text trace", want one`},
		{"step argument", `{"trace": "b"}`, `{"trace": 1}`, `step "trace"`},
		{"step argument true", `{"error_message": true}`, `{"error_message": false}`, "want true"},
		{"unknown part of a halt", `{"trace": "b"}`, `{"halt": {"code": 1}}`, `unknown field "code"`},
		{"header without a value", `{"trace": "b"}`, `{"header": ["X-A"]}`, "1 texts, want 2"},
		{"unknown condition", `{"constant": true}`, `{"constent": true}`, `unknown condition "constent"`},
		{"two conditions in one", `{"constant": true}`, `{"constant": true, "header": ["a", "b"]}`, "want one"},
		{"unknown member of a case", `"name": "n"`, `"name": "n", "skip": true`, `unknown field "skip"`},
		{"unknown member of an app", `"mount": ""`, `"mount": "", "mounts": ""`, `unknown field "mounts"`},
		{"unknown member of a definition", `"pattern": "/x/:id"`, `"pattern": "/x/:id", "pass": true`, `unknown field "pass"`},
		{"unknown member of a request", `"target": "/x/5"`, `"target": "/x/5", "query": ""`, `unknown field "query"`},
		{"unknown member of an expectation", `"body": "5"`, `"body": "5", "reason": "OK"`, `unknown field "reason"`},
		{"unknown style", `"style": "servlet"`, `"style": "portlet"`, `unknown style "portlet"`},
		{"unknown syntax", `"pattern": "/x/:id"`, `"pattern": "/x/:id", "syntax": "glob"`, `unknown syntax "glob"`},
		{"a route that is a filter too", `"pattern": "/x/:id"`, `"pattern": "/x/:id", "before": null`, "2 of route, before"},
		{"a pattern on a filter", `"before": null`, `"before": null, "pattern": "/x"`, "pattern or syntax without a route"},
		{"a route without a pattern", `"pattern": "/x/:id", `, ``, "no pattern"},
		{"a pattern where there is none", `"pattern": "/x/:id"`, `"pattern": "/x/:id", "syntax": "none"`, "a pattern with syntax none"},
		{"a bad pattern", `"/x/:id"`, `"?"`, "define: "},
		{"nothing expected", `"expect": {"status": 503, "body": "boom"}`, `"expect": {}`, "expects nothing"},
		{"no requests", `"requests": [`, `"requests": [], "note": "", "x": [`, "unknown field"},
		{"text after the cases", `]
}]`, `]
}] []`, "something follows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(passingCase, tt.old) {
				t.Fatalf("%q is not in the case", tt.old)
			}
			err := runConformanceText(strings.Replace(passingCase, tt.old, tt.new, 1))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("error %v, want none", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func runConformanceText(text string) error {
	cases, err := parseConformanceCases([]byte(text))
	if err != nil {
		return err
	}
	for _, c := range cases {
		if err := runConformanceCase(c); err != nil {
			return err
		}
	}
	return nil
}
