package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"

	"example.com/flowercafe/benchmarks/trees"
)

// This file measures typed operations beside handlers written by hand, and beside the server that
// ogen generates from the same description.

// An operationRow is a request to the API of package trees.
type operationRow struct {
	name, about    string
	method, target string
	body           string // JSON; empty for none
	status         int    // of the right response
}

func operationRows() []operationRow {
	return []operationRow{
		{"operation_get", "a parameter and an ETag", http.MethodGet, "/trees/7", "", http.StatusOK},
		{"operation_post", "a body with rules", http.MethodPost, "/trees", `{"name":"Silver birch","kind":"oak","height":12.5,"tags":["new","park"]}`, http.StatusCreated},
		{"operation_list", "a list of 100", http.MethodGet, "/trees?limit=100", "", http.StatusOK},
		{"operation_refused", "a body that violates three rules", http.MethodPost, "/trees", `{"name":"","kind":"fir","height":200,"tags":["new","park"]}`, http.StatusUnprocessableEntity},
	}
}

func findOperation(name string) (operationRow, bool) {
	for _, row := range operationRows() {
		if row.name == name {
			return row, true
		}
	}
	return operationRow{}, false
}

var operationContestants = []string{"flowercafe", "net/http", "ogen"}

func operationService(name string) (http.Handler, error) {
	switch name {
	case "flowercafe":
		return trees.New(), nil
	case "net/http":
		return trees.ByHand(), nil
	case "ogen":
		return trees.Ogen()
	}
	return nil, fmt.Errorf("there is no service of trees with %s", name)
}

func operationEntries() []entry {
	var inProcess, loopback []entry
	for _, row := range operationRows() {
		inProcess = append(inProcess, entry{name: row.name, build: row.build})
		loopback = append(loopback, entry{name: "loopback_" + row.name, build: row.overLoopback})
	}
	return append(inProcess, loopback...)
}

// build fails if a contestant responds otherwise than the others.
func (row operationRow) build(ctx context.Context) (*benchmark, error) {
	b := &benchmark{about: row.title(), reference: "net/http", fresh: true}
	var first *httptest.ResponseRecorder
	for _, name := range operationContestants {
		h, err := operationService(name)
		if err != nil {
			return nil, err
		}
		r := row.request(ctx)
		w, err := record(h, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if first == nil {
			first = w
		}
		if w.Code != row.status || !sameResponse(w, first) {
			return nil, fmt.Errorf("%s: %s responds with %d %v %s, %s with %d %v %s, want the same and %d",
				row.name, name, w.Code, w.Header(), w.Body, operationContestants[0], first.Code, first.Header(), first.Body, row.status)
		}
		b.enter(name, h, []call{{r, responseIn(w)}})
	}
	return b, nil
}

// sameResponse compares the status, the media type, the ETag and the values in the JSON.
func sameResponse(a, b *httptest.ResponseRecorder) bool {
	var inA, inB any
	if json.Unmarshal(a.Body.Bytes(), &inA) != nil || json.Unmarshal(b.Body.Bytes(), &inB) != nil {
		return false
	}
	return a.Code == b.Code && reflect.DeepEqual(inA, inB) &&
		mediaType(a.Header().Get("Content-Type")) == mediaType(b.Header().Get("Content-Type")) &&
		a.Header().Get("ETag") == b.Header().Get("ETag")
}

// overLoopback compares the responses in this process first.
func (row operationRow) overLoopback(ctx context.Context) (*benchmark, error) {
	if _, err := row.build(ctx); err != nil {
		return nil, err
	}
	return servers{row.name, 64, row.title(), "net/http", operationContestants}.build(ctx)
}

func (row operationRow) title() string {
	return fmt.Sprintf("%s %s, %s", row.method, row.target, row.about)
}

func (row operationRow) request(ctx context.Context) *http.Request {
	if row.body == "" {
		return newRequest(ctx, row.method, row.target)
	}
	r := newRequestWith(ctx, row.method, row.target, row.body)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// wire returns the text of the request.
func (row operationRow) wire() string {
	header := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\n", row.method, row.target)
	if row.body != "" {
		header += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(row.body))
	}
	return header + "\r\n" + row.body
}
