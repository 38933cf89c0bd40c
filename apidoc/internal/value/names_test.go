package value_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// Unknown names cost the same in an object with few members and with many.
func TestUnknownNamesAreCheap(t *testing.T) {
	s := &schema.Schema{Kind: "object"}
	for i := range 20_000 {
		s.Properties = append(s.Properties, schema.Property{Name: fmt.Sprintf("a member of many %06d", i), Schema: &schema.Schema{}})
	}
	s.IndexNames()
	var text strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&text, `,"A member of many %06d":0`, 1_000_000+i)
	}
	start := time.Now()
	problems := value.Check(s, "{"+text.String()[1:]+"}", schema.InRequests)
	if took := time.Since(start); problems != nil || took > time.Minute { // a guard: one name after the other takes minutes
		t.Errorf("got %v after %v", problems, took)
	}
}
