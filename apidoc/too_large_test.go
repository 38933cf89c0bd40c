package apidoc_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// A client that sends a long body and reads only then gets the 413 of a typed operation, and the
// end of the connection in place of a reset.
func TestTooLargeIsNoReset(t *testing.T) {
	type flower struct{ Name string }
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Flowers", Version: "1"})
	apidoc.Post(api, "/flowers", "Add a flower", func(context.Context, flower) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("add"))
	server := httptest.NewServer(app)
	defer server.Close()
	body := `{"Name":"` + strings.Repeat("x", 4<<20) + `"}`
	for _, chunked := range []bool{false, true} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(30 * time.Second)) // a hang guard
		framing := fmt.Sprintf("Content-Length: %d\r\n\r\n", 20<<20)
		if chunked {
			framing = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", len(body))
		}
		fmt.Fprintf(conn, "POST /flowers HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n%s", framing)
		sent := make(chan struct{})
		go func() { defer close(sent); io.WriteString(conn, body) }()
		text, err := io.ReadAll(conn)
		conn.Close()
		<-sent
		if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 413 ") {
			t.Errorf("chunked %t: got %q, %v", chunked, text, err)
		}
	}
}
