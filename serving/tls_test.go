package serving_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/serving"
)

// Run serves TLS behind a listener of package tls, and HTTP/2 if NextProtos has it.
func TestRunWithTLS(t *testing.T) {
	withCertificate := httptest.NewTLSServer(nil)
	defer withCertificate.Close()
	for _, test := range []struct {
		protocols []string
		want      string
	}{{nil, "HTTP/1.1"}, {[]string{"h2", "http/1.1"}, "HTTP/2.0"}} {
		listener, err := serving.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		encrypted := tls.NewListener(listener, &tls.Config{Certificates: withCertificate.TLS.Certificates, NextProtos: test.protocols})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		server := serving.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }), nil)
		go func() { ended <- serving.Run(ctx, server, encrypted, nil, serving.WithDrain(0)) }()

		transport := withCertificate.Client().Transport.(*http.Transport).Clone()
		transport.ForceAttemptHTTP2 = true
		response, err := (&http.Client{Transport: transport}).Get("https://" + listener.Addr().String() + "/")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || string(body) != test.want || response.Proto != test.want {
			t.Errorf("%v: got %s and %s, %v; want %s", test.protocols, response.Proto, body, err, test.want)
		}
		transport.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
