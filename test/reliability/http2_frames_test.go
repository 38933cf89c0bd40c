package reliability_test

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// frames is an HTTP/2 connection (RFC 9113) on which requests are sent frame by frame, with any
// :path. A client would clean or refuse the path, or retry.
type frames struct {
	t       *testing.T
	address string
	conn    *tls.Conn
	stream  uint32 // the last one
}

// Types of frames, and the flag on the last one of a message (RFC 9113, 6).
const (
	frameData      = 0
	frameHeaders   = 1
	frameReset     = 3
	frameSettings  = 4
	framePing      = 6
	frameGoAway    = 7
	frameWindow    = 8
	flagAck        = 1
	flagEndStream  = 1
	flagEndHeaders = 4
)

func framesTo(t *testing.T, handler http.Handler) *frames {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	f := &frames{t: t, address: server.Listener.Addr().String()}
	t.Cleanup(func() {
		f.close()
		server.Close()
	})
	return f
}

func (f *frames) close() {
	if f.conn != nil {
		f.conn.Close()
		f.conn = nil
	}
}

func (f *frames) dial() {
	conn, err := tls.Dial("tcp", f.address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		f.t.Fatal(err)
	}
	if got := conn.ConnectionState().NegotiatedProtocol; got != "h2" {
		f.t.Fatalf("the server speaks %q, want h2", got)
	}
	f.conn, f.stream = conn, 0
	conn.SetDeadline(time.Now().Add(hang))
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); err != nil {
		f.t.Fatal(err)
	}
	f.write(frameSettings, 0, 0, nil)
	f.write(frameWindow, 0, 0, binary.BigEndian.AppendUint32(nil, 1<<30)) // bodies are not counted here
}

func (f *frames) write(kind, flags byte, stream uint32, payload []byte) {
	frame := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	frame = append(binary.BigEndian.AppendUint32(frame, stream), payload...)
	if _, err := f.conn.Write(frame); err != nil && kind == frameHeaders {
		f.t.Fatal(err)
	}
}

func (f *frames) read() (kind, flags byte, stream uint32, payload []byte, err error) {
	var head [9]byte
	if _, err = io.ReadFull(f.conn, head[:]); err != nil {
		return 0, 0, 0, nil, err
	}
	payload = make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
	_, err = io.ReadFull(f.conn, payload)
	return head[3], head[4], binary.BigEndian.Uint32(head[5:]), payload, err
}

// get requests path and waits for the end of the response. It reports false if the server refuses
// the request.
func (f *frames) get(path string) bool {
	f.t.Helper()
	if f.conn == nil {
		f.dial()
	}
	f.conn.SetDeadline(time.Now().Add(hang))
	if f.stream == 0 {
		f.stream = 1
	} else {
		f.stream += 2
	}
	var fields []byte
	for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", path}} {
		fields = append(fields, 0) // a literal that is not indexed (RFC 7541, 6.2.2)
		fields = appendText(appendText(fields, field[0]), field[1])
	}
	f.write(frameHeaders, flagEndStream|flagEndHeaders, f.stream, fields)
	served := false
	for {
		kind, flags, stream, payload, err := f.read()
		if err != nil {
			if served || f.stream > 1 || err == io.EOF {
				f.close()
				return false
			}
			f.t.Fatalf("the response to %.80q: %v", path, err)
		}
		switch {
		case kind == frameSettings && flags&flagAck == 0:
			f.write(frameSettings, flagAck, 0, nil)
		case kind == framePing && flags&flagAck == 0:
			f.write(framePing, flagAck, 0, payload)
		case kind == frameGoAway:
			f.close()
			return false
		case stream != f.stream:
		case kind == frameReset:
			return false
		case kind == frameHeaders || kind == frameData:
			served = served || kind == frameHeaders
			if flags&flagEndStream != 0 {
				return served
			}
		}
	}
}

// appendText appends the length of text, then text (RFC 7541, 5.2).
func appendText(b []byte, text string) []byte {
	n := len(text)
	if n < 127 {
		return append(append(b, byte(n)), text...)
	}
	b = append(b, 127)
	for n -= 127; n >= 128; n >>= 7 {
		b = append(b, byte(n)|128)
	}
	return append(append(b, byte(n)), text...)
}
