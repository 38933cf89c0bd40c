// Package websocket_test shows WebSockets in a route, behind middleware, and at a shutdown.
package websocket_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/coder/websocket"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

// echo sends each message back.
func echo(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has responded
	}
	defer conn.CloseNow()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-serving.ShuttingDown(r.Context()):
			conn.Close(websocket.StatusGoingAway, "the server shuts down")
		case <-ended:
		}
	}()
	for {
		kind, message, err := conn.Read(context.Background())
		if err != nil || conn.Write(context.Background(), kind, message) != nil {
			return
		}
	}
}

func Example() {
	app := routing.New()
	app.Handle("GET", "/echo", http.HandlerFunc(echo))
	logged := serving.LogRequests(app, slog.DiscardHandler, nil)

	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() { ended <- serving.Run(ctx, serving.NewServer(logged, nil), listener, nil) }()

	conn, _, err := websocket.Dial(context.Background(), "ws://"+listener.Addr().String()+"/echo", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.CloseNow()
	if err := conn.Write(context.Background(), websocket.MessageText, []byte("hello")); err != nil {
		fmt.Println(err)
	}
	_, message, err := conn.Read(context.Background())
	fmt.Println(string(message), err)

	stop()
	_, _, err = conn.Read(context.Background())
	fmt.Println(websocket.CloseStatus(err), <-ended)
	// Output:
	// hello <nil>
	// StatusGoingAway <nil>
}
