package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

// This file measures what a user sees: services over loopback, and the CPU time of the server alone
// for a request. The floor is a constant handler that writes the same response. Contestants
// alternate every tenth of a second. The server and its clients are separate processes, since one
// cannot open enough files for both sides of 10,000 connections; the server reports its CPU time.
// Each layout has servers of its own: two processes of one program differ by up to 4 %.

// The requests.
const (
	userPath    = "/users/7"
	flowerPath  = "/flowers/rose"
	flowersPath = "/flowers/"
	coffeesPath = "/coffees"
)

type user struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// service returns the handler of a contestant, which responds to a GET of path. A query names one
// of the rows of nethttp.go. A path without a slash is the name of a row of operations.go.
func service(ctx context.Context, name, path string) (http.Handler, error) {
	switch {
	case name == "floor":
		h, err := service(ctx, "flowercafe", path)
		if err != nil {
			return nil, err
		}
		return constantResponse(ctx, h, path), nil
	case !strings.HasPrefix(path, "/"):
		return operationService(name)
	case strings.HasPrefix(path, userPath+"?"):
		_, row, _ := strings.Cut(path, "?")
		return nethttpService(name, row)
	case path == userPath:
		return userService(name)
	case path == coffeesPath:
		return loadedCoffees(ctx)
	default:
		return flowercatalog.New()
	}
}

// userService reads a parameter and responds with JSON.
func userService(name string) (http.Handler, error) {
	switch name {
	case "flowercafe":
		app := routing.New()
		app.Get("/users/:id", func(c routing.Context) (routing.Result, error) {
			id, err := c.Params().Require("id")
			if err != nil {
				return routing.Result{}, err
			}
			return routing.JSON(user{id, "Alice"})
		})
		return app, nil
	case "chi":
		r := chi.NewRouter()
		r.Get("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
			writeJSON(w, user{chi.URLParam(r, "id"), "Alice"})
		})
		return r, nil
	case "gin":
		gin.SetMode(gin.ReleaseMode)
		r := gin.New()
		r.GET("/users/:id", func(c *gin.Context) { c.JSON(http.StatusOK, user{c.Param("id"), "Alice"}) })
		return r, nil
	}
	return nil, fmt.Errorf("there is no service of users with %s", name)
}

func writeJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(body)
}

// constantResponse returns a handler that always writes the response of h to a request for path.
func constantResponse(ctx context.Context, h http.Handler, path string) http.Handler {
	recorder := responseOf(ctx, h, path)
	body, header := recorder.Body.Bytes(), recorder.Header()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		for name, values := range header {
			h[name] = values
		}
		w.Write(body)
	})
}

// serveOnCommand serves a contestant, given as "NAME PATH". It prints its address, and then its CPU
// time for each line that it reads.
func serveOnCommand(what string) error {
	name, path, _ := strings.Cut(what, " ")
	handler, err := service(context.Background(), name, path)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(listener, handler)
	fmt.Println(listener.Addr())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(cpuTime().Nanoseconds())
	}
	return nil
}

// sendOnCommand connects clients to a server, given as "NUMBER ADDRESS PATH". Each line that it
// reads is a number of requests, which every client then sends.
func sendOnCommand(what string) error {
	number, rest, _ := strings.Cut(what, " ")
	address, path, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	clients := make([]*rawClient, n)
	for i := range clients {
		if clients[i], err = dialRaw(address, path); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		times, err := strconv.Atoi(lines.Text())
		if err != nil {
			return err
		}
		var wg sync.WaitGroup
		errs := make(chan error, n)
		for _, c := range clients {
			wg.Go(func() {
				for range times {
					if err := c.ask(); err != nil {
						errs <- err
						return
					}
				}
			})
		}
		wg.Wait()
		select {
		case err := <-errs:
			return err
		default:
			fmt.Println("done")
		}
	}
	return nil
}

// rawClient sends requests on one connection.
type rawClient struct {
	conn    net.Conn
	in      *bufio.Reader
	request string
	status  int // of the right response
}

func dialRaw(address, path string) (*rawClient, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	c := &rawClient{conn, bufio.NewReaderSize(conn, 1024), "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", http.StatusOK}
	if row, ok := findOperation(path); ok {
		c.request, c.status = row.wire(), row.status
	}
	return c, nil
}

func (c *rawClient) ask() error {
	c.conn.SetDeadline(time.Now().Add(time.Minute)) // only to detect hangs
	if _, err := io.WriteString(c.conn, c.request); err != nil {
		return err
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); err != nil || n == 0 || response.StatusCode != c.status {
		return fmt.Errorf("status %d, %d bytes: %w", response.StatusCode, n, err)
	}
	return nil
}

// overLoopback measures GETs of path beside a constant handler.
func overLoopback(path string, n int, about string, names ...string) func(context.Context) (*benchmark, error) {
	return servers{path, n, fmt.Sprintf("GET %s, %s", path, about), "floor", append([]string{"flowercafe", "floor"}, names...)}.build
}

// servers are contestants, of which each is a process.
type servers struct {
	path      string // as service takes it
	clients   int
	about     string
	reference string
	names     []string
}

// build measures each server's CPU time for a request of all clients at once.
func (s servers) build(ctx context.Context) (_ *benchmark, err error) {
	b := &benchmark{
		about:     fmt.Sprintf("%s, by %d clients at once, the server alone", s.about, s.clients),
		reference: s.reference, perPass: s.clients, turnFactor: 25,
	}
	defer func() {
		if err != nil {
			b.stop()
		}
	}()
	for _, name := range s.names {
		server, address, err := startRole(ctx, "server "+name+" "+s.path)
		if err != nil {
			return nil, err
		}
		b.closers = append(b.closers, server.stop)
		if err := b.enterServer(ctx, name, address, s.path, func() time.Duration {
			line, err := server.tell("time")
			if err != nil {
				return 0
			}
			ns, _ := strconv.ParseInt(line, 10, 64)
			return time.Duration(ns)
		}); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// enterServer adds a server as a contestant, with a clock of its process.
func (b *benchmark) enterServer(ctx context.Context, name, address, path string, clock clock) error {
	asking, _, err := startRole(ctx, fmt.Sprintf("clients %d %s %s", b.perPass, address, path))
	if err != nil {
		return err
	}
	b.closers = append(b.closers, asking.stop)
	b.entrants = append(b.entrants, &contestant{name: name, clock: clock, run: func(passes int) error {
		_, err := asking.tell(strconv.Itoa(passes))
		return err
	}})
	return nil
}
