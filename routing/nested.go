package routing

import (
	"net/http"

	"example.com/flowercafe/internal/urlencoded"
)

// Nested is a value of parameters with brackets in their keys, as in forms of Rails: a text, a list
// or a map. The zero Nested is no value. Maps that are missing can be read without a check:
//
//	city := user.Map["address"].Map["city"].Text
type Nested struct {
	Text string
	List []Nested          // nil if it is none
	Map  map[string]Nested // nil if it is none
}

// Nested returns the values of key and of its continuations, by the rules of Rack:
//
//	user[name]=Ann&user[address][city]=Bonn     a map with a map
//	tags[]=a&tags[]=b                           a list of texts
//	item[][id]=1&item[][n]=2&item[][id]=3       a list of two maps: a repeated key begins the next
//
// A list directly in a list keeps all its values, of which Rack drops some. A form's values replace
// those of the query, and a capture of the path replaces both. If there are none, it is the zero
// Nested. A JSON body is not read. In a form that is multipart or was parsed by others, the keys of
// a list of maps must occur equally often, since the order of different keys is lost.
//
// Keys that contradict each other, such as user=1&user[name]=Ann, keys with more than 31 pairs of
// brackets, and more than 32,768 texts, lists and maps are a [RequestError] with status 400. So are
// parameters that cannot be read, with their status.
func (p Params) Nested(key string) (Nested, error) {
	if value, ok := p.Path(key); ok {
		return Nested{Text: value}, nil
	}
	form, err := p.form()
	if err != nil {
		return Nested{}, err
	}
	node, err := form.Nest(key)
	if node == nil && err == nil {
		node, err = p.query().Nest(key)
	}
	if err != nil {
		return Nested{}, &RequestError{http.StatusBadRequest, err}
	}
	return nestedOf(node), nil
}

func nestedOf(node *urlencoded.Node) Nested {
	if node == nil {
		return Nested{}
	}
	n := Nested{Text: node.Text}
	for _, element := range node.List {
		n.List = append(n.List, nestedOf(element))
	}
	if node.Map != nil {
		n.Map = make(map[string]Nested, len(node.Map))
	}
	for name, element := range node.Map {
		n.Map[name] = nestedOf(element)
	}
	return n
}
