package trees

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file has the API as one writes it by hand.

// maxBody is the limit of typed operations.
const maxBody = 1 << 20

// A problem is the body of an error (RFC 9457).
type problem struct {
	Type   string      `json:"type"`
	Title  string      `json:"title"`
	Status int         `json:"status"`
	Code   string      `json:"code,omitempty"`
	Detail string      `json:"detail,omitempty"`
	Errors []violation `json:"errors,omitempty"`
}

// A violation is a rule that a value violates.
type violation struct {
	In      string `json:"in"`
	Name    string `json:"name,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	Detail  string `json:"detail"`
	Code    string `json:"code"`
	Limit   any    `json:"limit"`
}

var (
	badID       = violation{In: "path", Name: "id", Detail: "must be at least 1", Code: "minimum", Limit: 1}
	smallLimit  = violation{In: "query", Name: "limit", Detail: "must be at least 1", Code: "minimum", Limit: 1}
	largeLimit  = violation{In: "query", Name: "limit", Detail: "must be at most 100", Code: "maximum", Limit: 100}
	shortName   = violation{In: "body", Pointer: "/name", Detail: "must have at least 1 character", Code: "minLength", Limit: 1}
	longName    = violation{In: "body", Pointer: "/name", Detail: "must have at most 80 characters", Code: "maxLength", Limit: 80}
	unknownKind = violation{In: "body", Pointer: "/kind", Detail: `must be one of "ash", "elm", "oak"`, Code: "enum", Limit: []string{"ash", "elm", "oak"}}
	lowHeight   = violation{In: "body", Pointer: "/height", Detail: "must be at least 0.1", Code: "minimum", Limit: 0.1}
	largeHeight = violation{In: "body", Pointer: "/height", Detail: "must be at most 130", Code: "maximum", Limit: 130}
	manyTags    = violation{In: "body", Pointer: "/tags", Detail: "must have at most 5 items", Code: "maxItems", Limit: 5}
)

// refuse returns the problem of violations.
func refuse(list ...violation) problem {
	var detail strings.Builder
	for i, v := range list {
		if i > 0 {
			detail.WriteString("; ")
		}
		detail.WriteString(v.In + " ")
		if v.Pointer != "" {
			detail.WriteString(v.Pointer)
		} else {
			detail.WriteString(strconv.Quote(v.Name))
		}
		detail.WriteString(" " + v.Detail)
	}
	return problem{"about:blank", "The request is not as described", http.StatusUnprocessableEntity, "unprocessable_entity", detail.String(), list}
}

// ByHand returns the API with net/http and encoding/json.
func ByHand() http.Handler {
	s := sample()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /trees/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil || id < 1 {
			writeProblem(w, refuse(badID))
			return
		}
		t, err := s.find(id)
		if err != nil {
			writeProblem(w, problem{Type: "about:blank", Title: "No such tree", Status: http.StatusNotFound})
			return
		}
		tag := s.version(id)
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		write(w, http.StatusOK, "application/json", t)
	})
	mux.HandleFunc("POST /trees", func(w http.ResponseWriter, r *http.Request) {
		if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
			writeProblem(w, problem{Type: "about:blank", Title: "The request has another media type than described", Status: http.StatusUnsupportedMediaType})
			return
		}
		var t Tree
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&t); err != nil {
			status := http.StatusBadRequest
			if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
				status = http.StatusRequestEntityTooLarge
			}
			writeProblem(w, problem{Type: "about:blank", Title: "The request cannot be read", Status: status})
			return
		}
		if list := t.violations(); list != nil {
			writeProblem(w, refuse(list...))
			return
		}
		write(w, http.StatusCreated, "application/json", t)
	})
	mux.HandleFunc("GET /trees", func(w http.ResponseWriter, r *http.Request) {
		limit := 20
		if text := r.URL.Query().Get("limit"); text != "" {
			var err error
			limit, err = strconv.Atoi(text)
			switch {
			case err != nil || limit < 1:
				writeProblem(w, refuse(smallLimit))
				return
			case limit > 100:
				writeProblem(w, refuse(largeLimit))
				return
			}
		}
		write(w, http.StatusOK, "application/json", s.list(limit))
	})
	return mux
}

// violations returns the rules that the tree violates.
func (t Tree) violations() (list []violation) {
	switch n := utf8.RuneCountInString(t.Name); {
	case n < 1:
		list = append(list, shortName)
	case n > 80:
		list = append(list, longName)
	}
	switch t.Kind {
	case "ash", "elm", "oak":
	default:
		list = append(list, unknownKind)
	}
	switch {
	case t.Height < 0.1:
		list = append(list, lowHeight)
	case t.Height > 130:
		list = append(list, largeHeight)
	}
	if len(t.Tags) > 5 {
		list = append(list, manyTags)
	}
	return list
}

func writeProblem(w http.ResponseWriter, p problem) {
	write(w, p.Status, "application/problem+json", p)
}

func write(w http.ResponseWriter, status int, media string, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	w.Write(body)
}
