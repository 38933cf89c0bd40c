package apidoc

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file sends the values of a sequence, as server-sent events or as JSON Lines.

// Event is a server-sent event with an ID or a name, for an iter.Seq[Event[T]]; an iter.Seq[T]
// sends only data.
//
// An iter.Seq2[Event[T], error] or iter.Seq2[T, error] can end with an error. The client gets a
// last event with the name "problem", whose data is the [Problem], or the JSON of [ErrorBody].
type Event[T any] struct {
	ID    string        // sent back in the header Last-Event-ID when a client reconnects
	Name  string        // the event's type, "message" if empty
	Data  T             // sent as JSON
	Retry time.Duration // before clients reconnect, in whole milliseconds; 0 does not change it
}

func (Event[T]) isEvent() {}

type event interface{ isEvent() }

// hasEvent reports whether a type is an Event, a pointer to one, or a struct that embeds one.
func hasEvent(t reflect.Type) bool { return t.Implements(reflect.TypeFor[event]()) }

// problemEvent is the name of the event for an error.
const problemEvent = "problem"

// elementOf returns the type of the elements of an iter.Seq, or of an iter.Seq2 with errors. It
// returns nil for other types.
func elementOf(t reflect.Type) (element reflect.Type, hasErrors bool) {
	switch {
	case t == nil || t.Kind() != reflect.Func || t.NumOut() != 0:
		return nil, false
	case t.CanSeq():
		return t.In(0).In(0), false
	case t.CanSeq2() && t.In(0).In(1) == reflect.TypeFor[error]():
		return t.In(0).In(0), true
	}
	return nil, false
}

// dataOf returns the type of the data in an event, and other types unchanged.
func dataOf(element reflect.Type) reflect.Type {
	if element.Kind() == reflect.Struct && hasEvent(element) {
		data, _ := element.FieldByName("Data")
		return data.Type
	}
	return element
}

// elements returns the elements of a sequence, which may be nil. They are addressable.
func elements(sequence reflect.Value) iter.Seq2[reflect.Value, error] {
	return func(yield func(reflect.Value, error) bool) {
		switch {
		case sequence.IsNil():
		case sequence.Type().CanSeq():
			sequence.Seq()(func(v reflect.Value) bool { return yield(addressable(v), nil) })
		default:
			sequence.Seq2()(func(v, failure reflect.Value) bool {
				err, _ := failure.Interface().(error)
				return yield(addressable(v), err)
			})
		}
	}
}

// oneLine removes line breaks and NUL, which a field must not contain.
var oneLine = strings.NewReplacer("\r", "", "\n", "", "\x00", "")

// eventOf returns the event for an element, which is an [Event] or only its data.
func eventOf(s *schema.Schema, element reflect.Value, isEvent bool) (e respond.Event, err error) {
	if isEvent {
		e.ID, e.Name = oneLine.Replace(element.Field(0).String()), oneLine.Replace(element.Field(1).String())
		e.Retry = max(0, time.Duration(element.Field(3).Int()))
		element = element.Field(2)
	}
	data, err := value.Encode(nil, s, element, schema.InResponses)
	e.Data = string(data)
	if err != nil {
		err = fmt.Errorf("encode an event: %w", err)
	}
	return e, err
}

// sendEvents sends a sequence until it or the request ends. An error becomes a last event with data
// from problem. If the sequence ends without an error after the deadline of the request, the error
// is the context's. For a sequence type without errors, the response is then aborted.
func sendEvents(
	request context.Context, s *schema.Schema, sequence reflect.Value, problem func(error) ([]byte, error), options []respond.EventsOption,
) routing.Result {
	return respond.Events(func(ctx context.Context, send func(respond.Event) error) error {
		err := eachEvent(s, sequence, send)
		// The sequence may have ended with the request, of which ctx is a child that ends a little
		// later.
		ended := cmp.Or(request.Err(), ctx.Err())
		err = cmp.Or(err, ended)
		if err == nil || ended == context.Canceled || ended != nil && sequence.Type().CanSeq() {
			return err
		}
		data, failed := problem(err)
		if failed != nil {
			return failed
		}
		return lastEvent{err, data}
	}, options...)
}

// lastEvent is an error that package respond sends as an event.
type lastEvent struct {
	error
	data []byte
}

func (e lastEvent) LastEvent() respond.Event {
	return respond.Event{Name: problemEvent, Data: string(e.data)}
}

// eachEvent sends the elements of a sequence until the first error.
func eachEvent(s *schema.Schema, sequence reflect.Value, send func(respond.Event) error) error {
	t, _ := elementOf(sequence.Type())
	isEvent := hasEvent(t)
	for element, err := range elements(sequence) {
		var e respond.Event
		if err == nil {
			e, err = eventOf(s, element, isEvent)
		}
		if err == nil {
			err = send(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeLines writes a sequence as JSON Lines, each line immediately. It returns an error if the
// request has ended, since the sequence may then be incomplete. The context of the request may
// change meanwhile; see [routing.Context.WithContext].
func writeLines(r *http.Request, s *schema.Schema, w io.Writer, sequence reflect.Value) error {
	var line []byte
	for element, err := range elements(sequence) {
		if err == nil {
			line, err = value.Encode(line[:0], s, element, schema.InResponses)
		}
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		if err != nil {
			return err
		}
	}
	return r.Context().Err()
}

// sequenceSchema returns the schema of a sequence's elements, as lines or as events. Types are the
// media types in its tag, or the default.
func sequenceSchema(element reflect.Type, tag reflect.StructTag, types []string, asLines bool, definitions *gotype.Definitions) (*schema.Schema, error) {
	switch {
	case hasEvent(element) && element.PkgPath() != reflect.TypeFor[Event[any]]().PkgPath():
		return nil, fmt.Errorf("type %s: write an Event, without a pointer or a struct around it", element)
	case asLines && hasEvent(element):
		return nil, fmt.Errorf("an Event is sent as %s: write a sequence of %s", message.Events, dataOf(element))
	case !asLines && !slices.Equal(types, []string{message.Events}):
		return nil, fmt.Errorf("a sequence is sent as %s, or as %s, not as %s", message.Events, message.Lines, strings.Join(types, ","))
	}
	if err := withoutRules(tag); err != nil {
		return nil, err
	}
	return definitions.Read(dataOf(element))
}

// withoutRules returns an error if a sequence has a rule: it would be unclear whether the rule is
// for the sequence or for its elements.
func withoutRules(tag reflect.StructTag) error {
	if rule := gotype.RuleIn(tag); rule != "" {
		return fmt.Errorf("tag %s: a sequence has no rules: write it on the fields of its elements", rule)
	}
	return nil
}
