package apidoc

import (
	"net/http"

	"example.com/flowercafe/internal/private"
)

// This file is for package routing.

func init() {
	private.ServedApp = func(handler http.Handler) any {
		if api, ok := handler.(*API); ok {
			return api.app
		}
		return nil
	}
}
