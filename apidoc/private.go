package apidoc

import (
	"net/http"
	"net/url"

	"example.com/flowercafe/internal/described"
	"example.com/flowercafe/internal/private"
)

// This file is for package routing and the module mcp.

func init() {
	private.ServedApp = func(handler http.Handler) any {
		if api, ok := handler.(*API); ok {
			return api.app
		}
		return nil
	}
	described.Model = func(document any) (described.API, error) { return document.(*Document).model() }
	described.Target = func(document any, id string, path map[string]string, query url.Values) (string, error) {
		return document.(*Document).target(id, path, query)
	}
	described.Mounted = func(document any) bool { return private.IsMounted(document.(*Document).app) }
}
