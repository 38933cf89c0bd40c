package main

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/sync/errgroup"
)

// This file sends each request to both servers.

// response is what a server sent, or why it did not.
type response struct {
	status    int
	header    http.Header
	body      string // at most the first 16 MiB
	remainder rest
	err       error
}

// rest is the part of a body after the first 16 MiB, which is compared byte by byte.
type rest struct {
	length int64
	sum    [sha256.Size]byte
}

func (r rest) String() string {
	if r.length == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes, SHA-256 %x", r.length, r.sum[:8])
}

// server is the old or the new server.
type server struct {
	address string // without a slash at its end
	client  *http.Client
	header  http.Header // sent with each request
	host    string      // sent in place of the address's, if not empty
	jar     http.CookieJar
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
		target := server{strings.TrimSuffix(u.String(), "/"), client, s.header, s.host, nil}
		if s.unsafe {
			target.jar, _ = cookiejar.New(nil) // its error is always nil
		}
		return target
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

// maxBody is the size of the part of a body that is compared by its type.
const maxBody = 16 << 20

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
	maps.Copy(sent.Header, r.header)
	if s.jar != nil {
		sent.Header.Del("Cookie") // the recorded ones belong to another session
	}
	maps.Copy(sent.Header, s.header)
	site := *sent.URL // to which cookies belong
	if s.host != "" {
		sent.Host, site.Host = s.host, s.host
	}
	// The jar is not the client's, which loses cookies with names that net/http refuses.
	if s.jar != nil {
		var cookies []string
		if own := sent.Header.Get("Cookie"); own != "" {
			cookies = append(cookies, own)
		}
		for _, cookie := range s.jar.Cookies(&site) {
			cookies = append(cookies, cookie.Name+"="+cookie.Value)
		}
		if len(cookies) > 0 {
			sent.Header["Cookie"] = []string{strings.Join(cookies, "; ")}
		}
	}
	got, err := s.client.Do(sent)
	if err != nil {
		return response{err: err}
	}
	defer got.Body.Close()
	if s.jar != nil {
		s.jar.SetCookies(&site, setCookies(got.Header))
	}
	resp := response{status: got.StatusCode, header: got.Header}
	resp.err = resp.readBody(got)
	return resp
}

// readBody reads a body. It decompresses a body that is compressed because of an option -H.
func (r *response) readBody(got *http.Response) error {
	body := io.Reader(got.Body)
	if got.Header.Get("Content-Encoding") == "gzip" && got.Request.Method != http.MethodHead {
		unpacked, err := gzip.NewReader(body)
		if err == io.EOF { // no body, as of a 304
			return nil
		} else if err != nil {
			return fmt.Errorf("a body with Content-Encoding: gzip: %w", err)
		}
		body = unpacked
	}
	content, err := io.ReadAll(io.LimitReader(body, maxBody))
	if err != nil {
		return err
	}
	r.body = string(content)
	sum := sha256.New()
	r.remainder.length, err = io.Copy(sum, body)
	sum.Sum(r.remainder.sum[:0])
	return err
}
