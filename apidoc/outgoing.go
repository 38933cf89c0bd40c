package apidoc

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/openapi"
)

// This file describes requests that the server sends: webhooks and callbacks.

// Webhook describes a request that subscribers of the API receive: a POST with a T as JSON. OpenAPI
// 3.0 and Swagger 2.0 omit it.
func Webhook[T any](a *API, name, summary string) {
	a.registry.add(nil, outgoing("webhook", name, summary, reflect.TypeFor[T]()))
}

// Callback describes a request that the operation's client will receive: a POST with a T as JSON.
// Its URL is a runtime expression of OpenAPI, such as {$request.body#/callbackUrl}. Swagger 2.0
// omits it.
func Callback[T any](name, expression, summary string) DescribeOption {
	if expression == "" {
		panic(fmt.Sprintf("apidoc: callback %s: write the expression of its URL, such as {$request.body#/callbackUrl}", name))
	}
	sent := outgoing("callback", name, summary, reflect.TypeFor[T]())
	return option(func(d *definition) {
		d.doc.Callbacks = append(d.doc.Callbacks, openapi.Callback{Name: name, Expression: expression, Operation: &sent.doc})
		d.defined = append(d.defined, sent.defined...)
	})
}

// outgoing describes a request that the server sends: a POST with JSON of a type. It panics for a
// type without JSON; the message names the request.
func outgoing(what, name, summary string, t reflect.Type) *Operation {
	d := newDefinition(http.MethodPost)
	d.doc.ID, d.doc.Summary = strings.Join(strings.Fields(name), "_"), summary
	d.doc.Path = d.doc.ID // the name of a webhook
	d.addResponse(http.StatusOK, "Received", openapi.Response{Sent: []string{message.JSON}, Media: []string{message.JSON}})
	body := newParameter(InBody, "body", t, "")
	body.Required, body.media = true, []string{message.JSON}
	err := d.describe(&body)
	var op *Operation
	if err == nil {
		op, err = d.operation()
	}
	if err != nil {
		panic(fmt.Sprintf("apidoc: %s %s: %v", what, name, err))
	}
	return op
}
