package main

import (
	"fmt"
	"os"

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

// replaceFlowers replaces the flowers by those of the file. If it is invalid, the flowers stay.
func replaceFlowers(catalog *flowercatalog.App, file string) error {
	flowers, err := readFlowers(file)
	if err != nil {
		return err
	}
	return catalog.SetFlowers(flowers...)
}
