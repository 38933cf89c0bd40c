package message

import "net/http"

// Received returns the headers of a response as the client receives them. A handler may write a
// name in another letter case, as in w.Header()["ETag"].
func Received(sent http.Header) http.Header {
	received := make(http.Header, len(sent))
	for name, values := range sent {
		name = http.CanonicalHeaderKey(name)
		received[name] = append(received[name], values...)
	}
	return received
}
