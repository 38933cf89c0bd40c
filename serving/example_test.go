package serving_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"example.com/flowercafe/serving"
)

// A program passes the context of [serving.Main], which a signal ends. Here the request ends it:
// the server shuts down when it has responded.
func ExampleUntil() {
	ctx, end := context.WithCancel(context.Background())
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "the last one")
		end()
	})
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	logger := slog.New(slog.DiscardHandler)
	ended := make(chan error)
	go func() { ended <- serving.Until(ctx, serving.NewServer(handler, logger), listener, logger) }()

	response, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(string(body), err)
	fmt.Println(<-ended)
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// the last one <nil>
	// <nil>
}
