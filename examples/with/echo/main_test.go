package main

import (
	"testing"

	"example.com/flowercafe/examples/with/internal/shop/shoptest"
)

func TestService(t *testing.T) { shoptest.Test(t, newRouter, "/shop/*") }
