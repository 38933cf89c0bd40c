package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/dimfeld/httptreemux/v5"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	master "github.com/julienschmidt/httprouter-master"
	"github.com/labstack/echo/v4"
	"github.com/uptrace/bunrouter"
)

// This file builds the same routes with each router. Its handlers are those that its documentation
// shows.

// A peer is a router that builds a handler for a route table. Every handler responds with 200,
// text/plain and the route's body, or the value of the parameter that the route echoes.
type peer struct {
	name  string
	build func(table []route) http.Handler
}

// peers returns all routers, in the order of the tables. A peer's build may panic for a table that
// it refuses.
func peers() []peer {
	return []peer{
		{"flowercafe", buildFlowercafe},
		{"httprouter", buildHttprouter},
		{"httprouter-master", buildHttprouterMaster},
		{"servemux", buildServeMux},
		{"chi", buildChi},
		{"gin", buildGin},
		{"echo", buildEcho},
		{"gorilla", buildGorilla},
		{"bunrouter", buildBunrouter},
		{"treemux", buildTreemux},
	}
}

// tryBuild builds the handler of p, and returns an error if it panics.
func (p peer) tryBuild(table []route) (h http.Handler, err error) {
	defer func() {
		if v := recover(); v != nil {
			// Some messages end with the file and line of the definition, which are removed.
			reason, _, _ := strings.Cut(fmt.Sprint(v), " (registered at")
			err = fmt.Errorf("refuses the table: %.120s", reason)
		}
	}()
	return p.build(table), nil
}

// writeText writes a text as the documentation of net/http does.
func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", plainText)
	io.WriteString(w, text)
}

func buildHttprouter(table []route) http.Handler {
	r := httprouter.New()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(w http.ResponseWriter, _ *http.Request, ps httprouter.Params) {
			if key != "" {
				writeText(w, ps.ByName(key))
				return
			}
			writeText(w, body)
		})
	}
	return r
}

func buildHttprouterMaster(table []route) http.Handler {
	r := master.New()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(w http.ResponseWriter, _ *http.Request, ps master.Params) {
			if key != "" {
				writeText(w, ps.ByName(key))
				return
			}
			writeText(w, body)
		})
	}
	return r
}

func buildServeMux(table []route) http.Handler {
	mux := http.NewServeMux()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		path := rt.translate(
			func(name string) string { return "{" + name + "}" },
			func(name string) string { return "{" + name + "...}" })
		if path[len(path)-1] == '/' {
			path += "{$}"
		}
		mux.HandleFunc(rt.Method+" "+path, func(w http.ResponseWriter, r *http.Request) {
			if key != "" {
				writeText(w, r.PathValue(key))
				return
			}
			writeText(w, body)
		})
	}
	return mux
}

func buildChi(table []route) http.Handler {
	r := chi.NewRouter()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		path := rt.translate(
			func(name string) string { return "{" + name + "}" },
			func(string) string { return "*" })
		r.MethodFunc(rt.Method, path, func(w http.ResponseWriter, r *http.Request) {
			if key != "" {
				writeText(w, chi.URLParam(r, key))
				return
			}
			writeText(w, body)
		})
	}
	return r
}

func buildGin(table []route) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(c *gin.Context) {
			if key != "" {
				c.String(http.StatusOK, c.Param(key))
				return
			}
			c.String(http.StatusOK, body)
		})
	}
	return r
}

func buildEcho(table []route) http.Handler {
	r := echo.New()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		path := rt.translate(
			func(name string) string { return ":" + name },
			func(string) string { return "*" })
		r.Add(rt.Method, path, func(c echo.Context) error {
			if key != "" {
				return c.String(http.StatusOK, c.Param(key))
			}
			return c.String(http.StatusOK, body)
		})
	}
	return r
}

func buildGorilla(table []route) http.Handler {
	r := mux.NewRouter()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		path := rt.translate(
			func(name string) string { return "{" + name + "}" },
			func(name string) string { return "{" + name + ":.*}" })
		r.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if key != "" {
				writeText(w, mux.Vars(r)[key])
				return
			}
			writeText(w, body)
		}).Methods(rt.Method)
	}
	return r
}

func buildBunrouter(table []route) http.Handler {
	r := bunrouter.New()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(w http.ResponseWriter, req bunrouter.Request) error {
			if key != "" {
				writeText(w, req.Param(key))
				return nil
			}
			writeText(w, body)
			return nil
		})
	}
	return r
}

func buildTreemux(table []route) http.Handler {
	r := httptreemux.New()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(w http.ResponseWriter, _ *http.Request, params map[string]string) {
			if key != "" {
				writeText(w, params[key])
				return
			}
			writeText(w, body)
		})
	}
	return r
}
