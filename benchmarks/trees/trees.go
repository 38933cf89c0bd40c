// Package trees is a small API, built in three ways that give the same responses: with typed
// operations, by hand with net/http and encoding/json, and with the server that ogen generates from
// the description of the typed operations.
package trees

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

//go:generate go test -run TestDescription -update .
//go:generate go tool ogen --clean --config ogen.yml --package oas --target oas openapi.json

// A Tree is what the API is about. The tags are the rules of typed operations.
type Tree struct {
	Name   string   `json:"name" minLength:"1" maxLength:"80"`
	Kind   string   `json:"kind" enum:"ash,elm,oak"`
	Height float64  `json:"height" min:"0.1" max:"130"`
	Tags   []string `json:"tags" maxLength:"5"`
}

// sample returns 100 trees. Their numbers begin with 1.
func sample() store[Tree] {
	s := make(store[Tree], 100)
	for i := range s {
		s[i] = Tree{fmt.Sprintf("Tree %d", i+1), []string{"ash", "elm", "oak"}[i%3], float64(i) + 0.5, []string{"park", "old"}}
	}
	return s
}

// A store never changes.
type store[T any] []T

// errNotFound is the error for a number that no tree has.
var errNotFound = errors.New("no such tree")

func (s store[T]) find(id int) (t T, err error) {
	if id > len(s) {
		return t, errNotFound
	}
	return s[id-1], nil
}

// version returns the ETag of a tree.
func (s store[T]) version(id int) string { return `"` + strconv.Itoa(id) + `-1"` }

func (s store[T]) list(limit int) []T { return s[:min(limit, len(s))] }

type byID struct {
	ID int `path:"id" min:"1"`
}

type page struct {
	Limit int `query:"limit" min:"1" max:"100" default:"20"`
}

var noTree = apidoc.NewProblem(http.StatusNotFound, "No such tree")

// New returns the API with typed operations.
func New() *apidoc.API {
	s := sample()
	api := apidoc.NewAPI(routing.New(), apidoc.Info{Title: "Trees", Version: "1.0"})
	apidoc.Get(api, "/trees/:id", "Read a tree", func(_ context.Context, in byID) (Tree, error) {
		t, err := s.find(in.ID)
		if err != nil {
			return Tree{}, noTree
		}
		return t, nil
	}, apidoc.Versioned(func(_ context.Context, in byID) (apidoc.Version, error) {
		if _, err := s.find(in.ID); err != nil {
			return apidoc.Version{}, noTree
		}
		return apidoc.Version{Tag: s.version(in.ID)}, nil
	}), noTree, apidoc.ID("getTree"))
	apidoc.Post(api, "/trees", "Plant a tree", func(_ context.Context, t Tree) (Tree, error) {
		return t, nil
	}, apidoc.Status(http.StatusCreated), apidoc.ID("addTree"))
	apidoc.Get(api, "/trees", "List trees", func(_ context.Context, in page) ([]Tree, error) {
		return s.list(in.Limit), nil
	}, apidoc.ID("listTrees"))
	return api
}
