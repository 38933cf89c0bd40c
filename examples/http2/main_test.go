package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/routing"
)

// certificate makes a self-signed certificate for 127.0.0.1.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestHTTP2(t *testing.T) {
	cert, pool := certificate(t)
	for _, test := range []struct {
		name, scheme string
		server       *tls.Config
		client       *http.Transport
	}{
		{"TLS", "https", &tls.Config{Certificates: []tls.Certificate{cert}},
			&http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool}}},
		{"clear text", "http", nil, &http.Transport{Protocols: onlyClearTextHTTP2()}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // a connection takes a second to end
			entered, leave := make(chan struct{}), make(chan struct{})
			slow := routing.New(routing.WithBasePath("/slow"))
			slow.Get("/", func(c routing.Context) (routing.Result, error) {
				close(entered)
				<-leave
				return routing.Text("in the end"), nil
			})
			slow.Get("/halt", func(routing.Context) (routing.Result, error) {
				return routing.Result{}, &routing.HaltError{Status: 418, Reason: "Short and Stout", Body: routing.Text("no")}
			})
			app, err := flowercafe.New(flowercafe.WithMount("/slow", slow))
			if err != nil {
				t.Fatal(err)
			}
			defer app.Close()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			server := newServer(app)
			server.TLSConfig = test.server
			var connections atomic.Int64
			server.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			go func() { ended <- serve(ctx, listener, server, "", "") }()
			client := &http.Client{Transport: test.client, Timeout: 20 * time.Second}
			origin := test.scheme + "://" + listener.Addr().String()

			// Concurrent requests share a connection once there is one. Without the first request
			// they open more than they need, and Shutdown waits for one that net/http sets up too
			// late to tell it to close.
			if err := expect(client, origin+"/none", 404, "Not Found"); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for i := range 90 { // the server allows 100
				wg.Go(func() {
					path, status, has := "/flowers/rose", 200, `{"slug":"rose"`
					switch i % 3 {
					case 1:
						path, status, has = "/none", 404, "Not Found"
					case 2:
						path, status, has = "/slow/halt", 418, "no" // HTTP/2 has no reason phrases
					}
					if err := expect(client, origin+path, status, has); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if n := connections.Load(); n != 1 {
				t.Errorf("got %d connections, want 1 for all requests", n)
			}

			// A request in progress gets its response when the server shuts down.
			responded := make(chan error, 1)
			go func() { responded <- expect(client, origin+"/slow/", 200, "in the end") }()
			<-entered
			stop()
			time.AfterFunc(50*time.Millisecond, func() { close(leave) })
			if err := <-responded; err != nil {
				t.Error(err)
			}
			client.CloseIdleConnections()
			if err := <-ended; err != nil {
				t.Errorf("serve: %v", err)
			}
		})
	}
}

func onlyClearTextHTTP2() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

func expect(client *http.Client, url string, status int, has string) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.ProtoMajor != 2 || response.StatusCode != status || !strings.Contains(string(body), has) {
		return fmt.Errorf("%s: %s %d %.80q, %v; want HTTP/2 with %d and %q", url, response.Proto, response.StatusCode, body, err, status, has)
	}
	return nil
}
