package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// A peer is a router that builds a handler for a route table. Every handler responds with 200,
// text/plain and the route's body, or the value of the parameter that the route echoes.
type peer struct {
	name  string
	build func(table []route) http.Handler
}

// peers returns all routers, in the order of the tables. A peer's build may panic for a table that
// it refuses.
func peers() []peer {
	var all []peer
	for _, o := range allOurs() {
		all = append(all, peer{o.name, o.build})
	}
	return append(all,
		peer{"httprouter", buildHttprouter},
		peer{"httprouter-master", buildHttprouterMaster},
		peer{"servemux", buildServeMux},
		peer{"chi", buildChi},
		peer{"gin", buildGin},
		peer{"echo", buildEcho},
		peer{"gorilla", buildGorilla},
		peer{"bunrouter", buildBunrouter},
		peer{"treemux", buildTreemux},
	)
}

// tryBuild builds the handler of p, and returns an error if it panics.
func (p peer) tryBuild(table []route) (h http.Handler, err error) {
	defer func() {
		if v := recover(); v != nil {
			// Some messages have the place of the definition, which is removed.
			reason, _, _ := strings.Cut(fmt.Sprint(v), " (registered at")
			err = fmt.Errorf("refuses the table: %.120s", reason)
		}
	}()
	return p.build(table), nil
}

// writeText writes the response of every peer's handler.
func writeText(w http.ResponseWriter, contentType []string, text string) {
	w.Header()["Content-Type"] = contentType
	io.WriteString(w, text)
}
