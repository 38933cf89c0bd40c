package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/examples/with/internal/postgrestest"
)

// This file has what stands between a service and its database: a network that fails, and
// PgBouncer.

// network is a proxy in front of a server.
type network struct {
	address string // of the proxy

	mu      sync.Mutex
	resumed *sync.Cond
	stalled bool
	answers int // how many reads from the server still pass, or negative for all
}

// newNetwork starts a proxy in front of the server of a URL, and returns the URL through it.
func newNetwork(t *testing.T, server string) (n *network, through string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n = &network{address: listener.Addr().String(), answers: -1}
	n.resumed = sync.NewCond(&n.mu)
	behind := u.Host
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { n.connect(ctx, client, behind) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		cancel()
		n.resume()
		running.Wait()
	})
	u.Host = n.address
	return n, u.String()
}

func (n *network) connect(ctx context.Context, client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	defer context.AfterFunc(ctx, func() { client.Close(); server.Close() })()
	var both sync.WaitGroup
	both.Go(func() { n.copy(server, client, false) })
	both.Go(func() { n.copy(client, server, true) })
	both.Wait()
}

func (n *network) copy(to, from net.Conn, answers bool) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		size, err := from.Read(buffer)
		if err != nil || !n.pass(answers) {
			return
		}
		if _, err := to.Write(buffer[:size]); err != nil {
			return
		}
	}
}

// pass waits while the network is stalled, and reports whether data may pass.
func (n *network) pass(answer bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.stalled {
		n.resumed.Wait()
	}
	if !answer || n.answers < 0 {
		return true
	}
	n.answers--
	return n.answers >= 0
}

// stall stops all traffic until resume is called. The system still accepts connections.
func (n *network) stall() { n.set(true, -1) }

// cutAfter cuts each connection in place of a further answer of the server.
func (n *network) cutAfter(answers int) { n.set(false, answers) }

func (n *network) resume() { n.set(false, -1) }

func (n *network) set(stalled bool, answers int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stalled, n.answers = stalled, answers
	n.resumed.Broadcast()
}

// startPooler starts PgBouncer in transaction mode in front of the server of a URL, and returns the
// URL through it.
func startPooler(t *testing.T, server string) (through string, pooler *process) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	program, dir := find(t, "pgbouncer"), tempDir(t)
	credential, err := postgrestest.NotRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	name, port := filepath.Join(dir, "pgbouncer.ini"), freePort(t)
	config := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%s user=test
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
server_round_robin = 1
server_login_retry = 1
query_wait_timeout = 5
`, u.Port(), port)
	if err := os.WriteFile(name, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	u.Host = "127.0.0.1:" + strconv.Itoa(port)
	cmd := exec.Command(program, name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	pooler = startProcess(t, cmd, func() bool {
		conn, err := pgx.Connect(t.Context(), u.String())
		if err == nil {
			conn.Close(t.Context())
		}
		return err == nil
	})
	return u.String(), pooler
}

// tempDir is a folder that other users can enter.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "service")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// find returns the path of a program, and skips the test if it is not installed.
func find(t *testing.T, name string) string {
	t.Helper()
	for _, path := range []string{name, "/usr/sbin/" + name} { // PATH may lack the latter
		if program, err := exec.LookPath(path); err == nil {
			return program
		}
	}
	t.Skipf("NOT RUN: %[1]s is not installed (Debian's package %[1]s)", name)
	return ""
}

// freePort returns a port that nothing uses now.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// process is a program that a test has started.
type process struct {
	*os.Process
	ended chan struct{} // closed when it has ended
	log   *syncBuffer
}

// startProcess starts a program, waits until it is ready, and kills it after the test, which fails
// if it has ended before.
func startProcess(t *testing.T, cmd *exec.Cmd, ready func() bool) *process {
	t.Helper()
	p := launch(t, cmd)
	for end := time.Now().Add(time.Minute); !ready(); time.Sleep(20 * time.Millisecond) {
		select {
		case <-p.ended:
			t.Fatalf("%s has ended: %s", cmd.Path, p.log)
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("%s is not ready: %s", cmd.Path, p.log)
		}
	}
	t.Cleanup(func() {
		select {
		case <-p.ended:
			t.Errorf("%s has ended by itself: %s", cmd.Path, p.log)
		default:
		}
	})
	return p
}

// launch starts a program, and kills it after the test.
func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{ended: make(chan struct{}), log: new(syncBuffer)}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.Process = cmd.Process
	go func() {
		cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	p.Process.Kill()
	<-p.ended
}

// syncBuffer is a buffer for several goroutines.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

var _ io.Writer = (*syncBuffer)(nil)

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// contains reports whether the buffer has a text.
func (s *syncBuffer) contains(text string) bool { return strings.Contains(s.String(), text) }
