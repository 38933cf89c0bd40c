package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// A peer builds a handler for a route table, with a router of its own. Every handler responds with
// 200, text/plain and the route's body, or the value of the parameter that the route echoes.
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

// tryBuild builds the handler of p, and reports what it refuses in place of its panic.
func (p peer) tryBuild(table []route) (h http.Handler, err error) {
	defer func() {
		if v := recover(); v != nil {
			// Some tell where in this program the route was defined; that is of no interest.
			reason, _, _ := strings.Cut(fmt.Sprint(v), " (registered at")
			err = fmt.Errorf("refuses the table: %.120s", reason)
		}
	}()
	return p.build(table), nil
}

// writeText is how every handler but ours responds.
func writeText(w http.ResponseWriter, contentType []string, text string) {
	w.Header()["Content-Type"] = contentType
	io.WriteString(w, text)
}
