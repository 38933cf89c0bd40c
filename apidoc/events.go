package apidoc

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file sends the values of a sequence as server-sent events.

// Event is a server-sent event with an ID or a name. An operation that returns an
// iter.Seq[Event[T]] sends such events; with an iter.Seq[T] it sends only data.
type Event[T any] struct {
	ID   string // sent back in the header Last-Event-ID when a client reconnects
	Name string // the event's type, "message" if empty
	Data T      // sent as JSON
}

func (Event[T]) isEvent() {}

type isEvent interface{ isEvent() }

// eventType returns the type of the data of events, or nil if t is not an iter.Seq.
func eventType(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Func || t.NumIn() != 1 || t.NumOut() != 0 || !t.CanSeq() {
		return nil
	}
	element := t.In(0).In(0)
	if element.Implements(reflect.TypeFor[isEvent]()) {
		data, _ := element.FieldByName("Data")
		return data.Type
	}
	return element
}

// oneLine removes the characters that would end a field.
var oneLine = strings.NewReplacer("\r", "", "\n", "", "\x00", "")

// sendEvents sends a sequence until it or the request ends.
func sendEvents(s *schema.Schema, sequence reflect.Value) routing.Result {
	return respond.Events(func(_ context.Context, send func(respond.Event) error) error {
		if sequence.IsNil() {
			return nil
		}
		for v := range sequence.Seq() {
			var e respond.Event
			element := reflect.New(v.Type()).Elem() // can be addressed
			element.Set(v)
			if _, ok := v.Interface().(isEvent); ok {
				e.ID, e.Name = oneLine.Replace(element.Field(0).String()), oneLine.Replace(element.Field(1).String())
				element = element.Field(2)
			}
			data, err := value.Encode(nil, s, element)
			if err != nil {
				return fmt.Errorf("apidoc: encode an event: %w", err)
			}
			e.Data = string(data)
			if err := send(e); err != nil {
				return err
			}
		}
		return nil
	})
}
