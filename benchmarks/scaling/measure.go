package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/routing"
)

// measure sends the load to a real pool behind a real server on loopback. It also returns how long
// a connection was held on average, which is a little longer than requested: a timer ends late, and
// a session begins and ends a transaction.
func (l load) measure(ctx context.Context, arrivals []time.Duration) (_ outcome, held time.Duration, _ error) {
	db, err := coffeedemo.OpenSQLite(l.servers, l.limit)
	if err != nil {
		return outcome{}, 0, err
	}
	defer db.Close()
	var total, sessions atomic.Int64
	app := routing.New()
	app.Get("/hold", func(c routing.Context) (routing.Result, error) {
		asked := time.Now()
		var waited time.Duration
		var began time.Time
		err := db.Read(c.Request().Context(), func(context.Context, *sqlite.Conn) error {
			began = time.Now()
			waited = began.Sub(asked)
			time.Sleep(l.hold)
			return nil
		})
		if errors.Is(err, coffeedemo.ErrBusy) {
			return routing.Result{}, &routing.HaltError{Status: http.StatusServiceUnavailable}
		}
		if err != nil {
			return routing.Result{}, err
		}
		total.Add(int64(time.Since(began)))
		sessions.Add(1)
		return routing.Text(waited.String()), nil
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return outcome{}, 0, err
	}
	server := &http.Server{Handler: app}
	go server.Serve(listener)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	defer client.CloseIdleConnections()
	url := "http://" + listener.Addr().String() + "/hold"
	for range l.servers { // opens the connections
		if _, _, err := ask(ctx, client, url); err != nil {
			return outcome{}, 0, err
		}
	}

	var mu sync.Mutex
	var waits []time.Duration
	var failed error
	var wg sync.WaitGroup
	begin := time.Now()
	for _, at := range arrivals {
		time.Sleep(time.Until(begin.Add(at)))
		wg.Go(func() {
			wait, served, err := ask(ctx, client, url)
			mu.Lock()
			defer mu.Unlock()
			if served {
				waits = append(waits, wait)
			}
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	return l.outcome(waits, time.Since(begin)-arrivals[0]), time.Duration(total.Load() / sessions.Load()), failed
}

// ask sends a request and returns how long it waited for a connection, if it got one.
func ask(ctx context.Context, client *http.Client, url string) (wait time.Duration, served bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, false, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, false, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return 0, false, err
	case response.StatusCode == http.StatusServiceUnavailable:
		return 0, false, nil
	case response.StatusCode != http.StatusOK:
		return 0, false, fmt.Errorf("status %d", response.StatusCode)
	}
	wait, err = time.ParseDuration(string(body))
	return wait, err == nil, err
}
