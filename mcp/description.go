package mcp

import (
	"encoding/json"
	"maps"
	"mime"
	"strings"
)

// This file has the schemas and kinds of bodies, for requests and responses.

type object = map[string]any

// hoist moves the definitions of a part of a document to the document, where references find them.
func hoist(document, part object) {
	if definitions, ok := part["$defs"].(object); ok {
		others, _ := document["$defs"].(object)
		maps.Copy(definitions, others)
		document["$defs"] = definitions
		delete(part, "$defs")
	}
}

func encode(v any) string {
	text, _ := json.Marshal(v) // v consists of JSON
	return string(text)
}

// bodyKind is the encoding of a body. Of several media types, the first kind in this order is
// chosen.
type bodyKind int

const (
	noBody bodyKind = iota
	jsonBody
	formBody
	multipartBody
	linesBody
	eventsBody
	textBody
	bytesBody
)

func kindOf(contentType string) bodyKind {
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		return jsonBody
	case media == "application/x-www-form-urlencoded":
		return formBody
	case media == "multipart/form-data":
		return multipartBody
	case media == "application/jsonl" || media == "application/x-ndjson":
		return linesBody
	case media == "text/event-stream":
		return eventsBody
	case strings.HasPrefix(media, "text/"):
		return textBody
	}
	return bytesBody
}

// terminators end the items of a stream, by its kind.
var terminators = map[bodyKind]string{linesBody: "\n", eventsBody: "\n\n"}

// choose returns the first kind of body, and the media types of that kind.
func choose(media []string) (kind bodyKind, types []string) {
	for _, name := range media {
		switch k := kindOf(name); {
		case kind == noBody || k < kind:
			kind, types = k, []string{name}
		case k == kind:
			types = append(types, name)
		}
	}
	return kind, types
}
