package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/flowercafe/flowercatalog"
)

// Many concurrent clients with keep-alive connections. The server and the clients are separate
// processes, since one process cannot open enough files for both sides of 10,000 connections. The
// server reports its CPU time.

const clientsPath = "/flowers/rose"

// serveUntilTold serves the catalog, or one of its responses from a constant handler. It prints its
// address, and then its CPU time for each line that it reads.
func serveUntilTold(name string) error {
	catalog, err := flowercatalog.New()
	if err != nil {
		return err
	}
	var handler http.Handler = catalog
	if name == "floor" {
		handler = constantResponse(context.Background(), catalog, clientsPath)
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

// askWhenTold connects clients to a server, given as "NUMBER ADDRESS". Each line that it reads is
// the number of requests that every client sends.
func askWhenTold(what string) error {
	number, address, _ := strings.Cut(what, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	clients := make([]*rawClient, n)
	for i := range clients {
		if clients[i], err = dialRaw(address); err != nil {
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
	conn net.Conn
	in   *bufio.Reader
}

func dialRaw(address string) (*rawClient, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &rawClient{conn, bufio.NewReaderSize(conn, 1024)}, nil
}

func (c *rawClient) ask() error {
	c.conn.SetDeadline(time.Now().Add(time.Minute)) // only a hang guard
	if _, err := io.WriteString(c.conn, "GET "+clientsPath+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); err != nil || n == 0 || response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d, %d bytes: %w", response.StatusCode, n, err)
	}
	return nil
}

// clients measures the server's CPU time for a request of n concurrent clients.
func clients(n int) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (_ *benchmark, err error) {
		b := &benchmark{about: fmt.Sprintf("GET %s by %d clients at once, the server alone", clientsPath, n), reference: "floor", perPass: n}
		var processes []*process
		b.close = func() {
			for _, p := range processes {
				p.stop()
			}
		}
		defer func() {
			if err != nil {
				b.close()
			}
		}()
		start := func(role string) (*process, string, error) {
			p, first, err := startRole(ctx, role)
			if err == nil {
				processes = append(processes, p)
			}
			return p, first, err
		}
		for _, name := range []string{"flowercafe", "floor"} {
			server, address, err := start("server " + name)
			if err != nil {
				return nil, err
			}
			asking, _, err := start(fmt.Sprintf("clients %d %s", n, address))
			if err != nil {
				return nil, err
			}
			b.entrants = append(b.entrants, &contestant{
				name: name,
				run: func(passes int) error {
					_, err := asking.tell(strconv.Itoa(passes))
					return err
				},
				clock: func() time.Duration {
					line, err := server.tell("time")
					if err != nil {
						return 0
					}
					ns, _ := strconv.ParseInt(line, 10, 64)
					return time.Duration(ns)
				},
			})
		}
		return b, nil
	}
}
