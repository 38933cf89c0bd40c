package servertest

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// This file is a TCP proxy on loopback that can stall or cut connections.

// Network is a proxy in front of a server. Its methods may be called while it is in use.
type Network struct {
	listener net.Listener
	server   string

	mu      sync.Mutex
	resumed *sync.Cond
	stalled bool
	left    int   // bytes from the server until the fault
	fault   Fault // what then happens, once
	conns   map[net.Conn]bool
}

// Fault is a fault of a network.
type Fault int

// The faults: none; everything stalls; the connection is cut.
const (
	None Fault = iota
	Stall
	Cut
)

// NewNetwork starts a proxy in front of the server on a port.
func NewNetwork(t testing.TB, port int) *Network {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &Network{listener: listener, server: fmt.Sprintf("127.0.0.1:%d", port), conns: make(map[net.Conn]bool)}
	n.resumed = sync.NewCond(&n.mu)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { n.pass(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		n.mu.Lock()
		n.stalled = false
		for conn := range n.conns {
			conn.Close()
		}
		n.resumed.Broadcast()
		n.mu.Unlock()
		running.Wait()
	})
	return n
}

// Through returns a connection string that uses the network.
func (n *Network) Through(dsn string) string {
	_, direct, _ := strings.Cut(n.server, ":")
	_, own, _ := strings.Cut(n.listener.Addr().String(), ":")
	return strings.Replace(dsn, "port="+direct, "port="+own, 1)
}

// Stall stops all traffic. The system still accepts connections.
func (n *Network) Stall() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stalled = true
}

// Resume ends the stall, and the fault if it has not happened.
func (n *Network) Resume() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stalled, n.fault = false, None
	n.resumed.Broadcast()
}

// wait waits while the network stalls.
func (n *Network) wait() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.stalled {
		n.resumed.Wait()
	}
}

// After makes a fault happen after that many more bytes from the server: everything stalls, or the
// connection with the next byte is cut.
func (n *Network) After(bytes int, f Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.left, n.fault = bytes, f
}

// Happened reports whether the fault has happened.
func (n *Network) Happened() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.fault == None
}

// Forget drops the fault if it has not happened.
func (n *Network) Forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault = None
}

// pass connects a client with the server.
func (n *Network) pass(client net.Conn) {
	defer client.Close()
	n.wait()
	server, err := net.Dial("tcp", n.server)
	if err != nil {
		return
	}
	defer server.Close()
	n.mu.Lock()
	n.conns[client], n.conns[server] = true, true
	n.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { n.copy(server, client, false) })
	both.Go(func() { n.copy(client, server, true) })
	both.Wait()
	n.mu.Lock()
	delete(n.conns, client)
	delete(n.conns, server)
	n.mu.Unlock()
}

// copy copies from a connection to the other until either ends.
func (n *Network) copy(to, from net.Conn, fromServer bool) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		count, err := from.Read(buffer)
		data := buffer[:count]
		if fromServer {
			passed, happened := n.count(count)
			if _, err := to.Write(data[:passed]); err != nil || happened == Cut {
				return
			}
			data = data[passed:]
		}
		n.wait()
		if _, writeErr := to.Write(data); writeErr != nil || err != nil {
			return
		}
	}
}

// count counts bytes from the server. It returns how many may pass, and the fault that follows.
func (n *Network) count(bytes int) (pass int, happened Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fault == None || n.left >= bytes {
		n.left -= bytes
		return 0, None // they pass when the stall ends
	}
	happened, n.fault = n.fault, None
	n.stalled = n.stalled || happened == Stall
	return n.left, happened
}
