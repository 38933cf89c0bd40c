package flowercafe_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe/internal/page"
)

const pageTemplate = `{{template "head" .Title}}<body>{{.Title}}</html>`

// The policy has the hashes of the page's style and script. Otherwise browsers would not use them.
func TestPagePolicy(t *testing.T) {
	p, err := page.New(pageTemplate, "p > b { color: red } /* \"<&> */", `const a = "x" < 1 && '</' + "y"; // <!-- {{.}}`)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := p.Serve(w, httptest.NewRequest("GET", "/", nil), struct{ Title string }{"<b>"}); err != nil {
		t.Fatal(err)
	}
	policy, body := w.Header().Get("Content-Security-Policy"), w.Body.String()
	for _, element := range []string{"style", "script"} {
		match := regexp.MustCompile(`(?s)<` + element + `>(.*)</` + element + `>`).FindStringSubmatch(body)
		if match == nil {
			t.Fatalf("there is no %s in %s", element, body)
		}
		sum := sha256.Sum256([]byte(match[1]))
		if want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if !strings.Contains(body, "<title>&lt;b&gt;</title>") {
		t.Errorf("the data is not escaped: %s", body)
	}
	if length := w.Header().Get("Content-Length"); length != strconv.Itoa(len(body)) {
		t.Errorf("the length is %s, want %d", length, len(body))
	}
}

// A page without a script allows none, HEAD has no body, and the caller's Cache-Control stays.
func TestPageHeaders(t *testing.T) {
	p, err := page.New(pageTemplate, "", "")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Cache-Control", "no-store")
	if err := p.Serve(w, httptest.NewRequest("HEAD", "/", nil), struct{ Title string }{"a"}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(w.Header().Get("Content-Security-Policy"), "script-src") || w.Body.Len() > 0 || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got %v and %d bytes", w.Header(), w.Body.Len())
	}
}

// If there is an error, nothing is written.
func TestPageErrors(t *testing.T) {
	if _, err := page.New("{{", "", ""); err == nil {
		t.Error("a template that is not one is accepted")
	}
	p, err := page.New("<p>{{.None}}", "", "")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := p.Serve(w, httptest.NewRequest("GET", "/", nil), struct{}{}); err == nil || w.Body.Len() > 0 || len(w.Header()) > 0 {
		t.Errorf("got error %v, %d bytes and %v; want an error and nothing", err, w.Body.Len(), w.Header())
	}
}

// There is no Content-Length, because middleware may encode the page and not change the header.
func TestEncodedPage(t *testing.T) {
	p, err := page.New(pageTemplate, "", "")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Encoding", "gzip")
	if err := p.Serve(w, httptest.NewRequest("GET", "/", nil), struct{ Title string }{"a"}); err != nil {
		t.Fatal(err)
	}
	if length := w.Header().Get("Content-Length"); length != "" {
		t.Errorf("the length is %s, want none", length)
	}
}
