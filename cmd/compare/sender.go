package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/sync/errgroup"
)

// This file sends each request to both servers.

// response is what a server sent, or why it did not.
type response struct {
	status int
	header http.Header
	body   string
	err    error
}

// server is one of the two.
type server struct {
	address string // without a slash at its end
	client  *http.Client
	header  http.Header // sent with each request
}

// sender sends requests to both servers.
type sender struct {
	old, new server
	parallel int
}

func newSender(s *settings) *sender {
	at := func(u *url.URL) server {
		// A transport for each server: their connections have nothing in common.
		client := &http.Client{
			Timeout:       s.timeout,
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: s.parallel},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		if s.unsafe {
			client.Jar, _ = cookiejar.New(nil) // its error is always nil
		}
		return server{strings.TrimSuffix(u.String(), "/"), client, s.header}
	}
	parallel := s.parallel
	if s.unsafe {
		parallel = 1 // what one request changes, the next one reads
	}
	return &sender{at(s.old), at(s.new), parallel}
}

// send sends the requests and passes on each pair of responses, in the order of the list. It ends
// early only if ctx does.
func (s *sender) send(ctx context.Context, requests []request, report func(r request, old, new response)) error {
	type pair struct{ old, new response }
	results := make([]chan pair, len(requests))
	for i := range results {
		results[i] = make(chan pair, 1)
	}
	var group errgroup.Group
	group.SetLimit(s.parallel)
	go func() {
		for i, r := range requests {
			group.Go(func() error {
				results[i] <- pair{s.old.do(ctx, r), s.new.do(ctx, r)}
				return nil
			})
		}
	}()
	for i, r := range requests {
		select {
		case p := <-results[i]:
			report(r, p.old, p.new)
		case <-ctx.Done():
			return fmt.Errorf("stopped after %d of %d requests", i, len(requests))
		}
	}
	return nil
}

// mostBody limits the part of a body that is compared.
const mostBody = 16 << 20

// do sends one request.
func (s *server) do(ctx context.Context, r request) response {
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, s.address+r.target, body)
	if err != nil {
		return response{err: err}
	}
	for _, header := range []http.Header{r.header, s.header} {
		for name, values := range header {
			sent.Header[name] = values
		}
	}
	if s.client.Jar != nil {
		sent.Header.Del("Cookie") // those of the recording belong to another session
	}
	got, err := s.client.Do(sent)
	if err != nil {
		return response{err: err}
	}
	defer got.Body.Close()
	content, err := readBody(got)
	return response{got.StatusCode, got.Header, string(content), err}
}

// readBody reads a body, also one that is compressed because -H asks for that.
func readBody(got *http.Response) ([]byte, error) {
	body := io.Reader(got.Body)
	if got.Header.Get("Content-Encoding") == "gzip" && got.Request.Method != http.MethodHead {
		unpacked, err := gzip.NewReader(body)
		if err == io.EOF { // no body, as of a 304
			return nil, nil
		} else if err != nil {
			return nil, fmt.Errorf("a body with Content-Encoding: gzip: %w", err)
		}
		body = unpacked
	}
	return io.ReadAll(io.LimitReader(body, mostBody))
}
