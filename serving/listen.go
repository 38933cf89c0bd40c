package serving

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// Listen listens on a TCP address such as "127.0.0.1:8080"; port 0 picks a free port.
//
// When a listener from [net.Listen] closes, the system resets the connections that wait to be
// accepted. On Linux, a listener from Listen keeps them: Accept returns them even after Close, so
// that [Run] serves them.
func Listen(address string) (net.Listener, error) {
	inner, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return &listener{TCPListener: inner.(*net.TCPListener)}, nil
}

// listener is safe for concurrent use.
type listener struct {
	*net.TCPListener

	open    sync.RWMutex // held by Accept while it waits, so that Close doesn't close the socket yet
	closing sync.Mutex   // held by Close
	rest    []net.Conn   // connections that were waiting at Close; guarded by closing
}

func (l *listener) Accept() (net.Conn, error) {
	l.open.RLock()
	conn, err := l.TCPListener.Accept()
	l.open.RUnlock()
	if err == nil {
		return conn, nil
	}
	l.closing.Lock() // waits for the Close that interrupted Accept
	defer l.closing.Unlock()
	if len(l.rest) > 0 {
		conn, l.rest = l.rest[0], l.rest[1:]
		return conn, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return l.TCPListener.Accept()
	}
	return nil, err
}

// Close closes the listener. A second call returns an error.
func (l *listener) Close() error {
	l.closing.Lock()
	defer l.closing.Unlock()
	l.SetDeadline(time.Unix(1, 0)) // interrupts Accept
	l.open.Lock()
	defer l.open.Unlock()
	var waiting []int
	if raw, err := l.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { waiting = acceptWaiting(int(fd)) })
	}
	err := l.TCPListener.Close() // immediately: a connection that arrives in between is reset
	for _, fd := range waiting {
		file := os.NewFile(uintptr(fd), "")
		if conn, err := net.FileConn(file); err == nil { // a copy
			l.rest = append(l.rest, conn)
		}
		file.Close()
	}
	return err
}
