package apidoc

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file sends server-sent events (HTML Standard, 9.2), each of a sequence when it comes.

// Event is an event with more than its data. An operation that returns an iter.Seq[Event[T]] sends
// these; one that returns an iter.Seq[T] sends the data alone.
type Event[T any] struct {
	ID   string // by which a client that connects again tells what it has; a filter or input reads Last-Event-ID
	Name string // the event's type, "message" if empty
	Data T      // sent as JSON
}

func (e Event[T]) parts() (id, name string, data any) { return e.ID, e.Name, e.Data }

type parts interface {
	parts() (id, name string, data any)
}

// eventType returns the type of the data of events, nil if t is no iter.Seq.
func eventType(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Func || t.NumIn() != 1 || t.NumOut() != 0 || !t.CanSeq() {
		return nil
	}
	element := t.In(0).In(0)
	if element.Implements(reflect.TypeFor[parts]()) {
		data, _ := element.FieldByName("Data")
		return data.Type
	}
	return element
}

// events returns a handler that sends a sequence until it or the request ends.
func events(sequence reflect.Value, media string, s *schema.Schema) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", media)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // nginx would keep events back
		flusher := http.NewResponseController(w)
		flusher.Flush() // where that is not supported, events are sent as the writer's buffer fills
		if sequence.IsNil() || r.Method == http.MethodHead {
			return
		}
		for v := range sequence.Seq() {
			text, err := eventText(v.Interface(), s)
			if err != nil {
				panic(fmt.Errorf("apidoc: encode an event: %w", err)) // cuts the connection, and is logged
			}
			if _, err := w.Write(text); err != nil || r.Context().Err() != nil {
				return
			}
			flusher.Flush()
		}
	})
}

// eventText writes one event. A line break would end a field.
func eventText(v any, s *schema.Schema) ([]byte, error) {
	var b bytes.Buffer
	data := v
	if e, ok := v.(parts); ok {
		var id, name string
		oneLine := strings.NewReplacer("\r", "", "\n", "", "\x00", "")
		if id, name, data = e.parts(); id != "" {
			b.WriteString("id: " + oneLine.Replace(id) + "\n")
		}
		if name != "" {
			b.WriteString("event: " + oneLine.Replace(name) + "\n")
		}
	}
	b.WriteString("data: ")
	addressable := reflect.New(reflect.TypeOf(data)).Elem()
	addressable.Set(reflect.ValueOf(data))
	text, err := value.Encode(b.Bytes(), s, addressable)
	return append(text, "\n\n"...), err
}
