package main

import (
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.com/flowercafe/flowercatalog"
)

// This file reads the flowers from a file, and reads it again on SIGHUP.

func readFlowers(file string) ([]flowercatalog.Flower, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	flowers, err := flowercatalog.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return flowers, nil
}

// reloadOnHangup replaces the flowers on each SIGHUP, until stop is called. If the file is invalid,
// the flowers stay.
func reloadOnHangup(catalog *flowercatalog.App, file string, logger *slog.Logger) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range hangups {
			begin := time.Now()
			flowers, err := readFlowers(file)
			if err == nil {
				err = catalog.SetFlowers(flowers...)
			}
			if err != nil {
				logger.Error("the flowers were not changed", "error", err)
				continue
			}
			logger.Info("flowers replaced", "flowers", len(flowers), "took", time.Since(begin))
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
		<-ended
	}
}
