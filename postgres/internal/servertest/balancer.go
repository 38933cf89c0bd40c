package servertest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// This file is a real haproxy.

// NewBalancer starts haproxy with a configuration that reads BIND, HOST_A and HOST_B, and returns
// its HOST:PORT. The configuration's socket is in a folder of the test.
func NewBalancer(t testing.TB, config, a, b string) (address string) {
	t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil {
		if program = "/usr/sbin/haproxy"; !exists(program) {
			t.Skip("NOT RUN: haproxy is not installed (Debian's package haproxy)")
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: haproxy needs root for its chroot")
	}
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "haproxy.cfg")
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("/run/haproxy/"), []byte(folder+"/")), 0o644); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(hangGuard); ; {
		address = fmt.Sprint("127.0.0.1:", FreePort(t))
		cmd := exec.Command(program, "-db", "-f", file)
		cmd.Env = append(os.Environ(), "BIND="+address, "HOST_A="+a, "HOST_B="+b)
		var log strings.Builder
		cmd.Stdout, cmd.Stderr = &log, &log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			cmd.Wait()
			close(ended)
		}()
		if accepts(address, ended, end) {
			t.Cleanup(func() {
				cmd.Process.Signal(syscall.SIGTERM)
				<-ended
			})
			return address
		}
		cmd.Process.Kill()
		<-ended
		if time.Now().After(end) || !strings.Contains(log.String(), "cannot bind") {
			t.Fatalf("haproxy does not start: %s", &log)
		}
	}
}

// accepts waits until something accepts connections at the address. It returns false if the process
// has ended, or at the end of the time.
func accepts(address string, ended <-chan struct{}, end time.Time) bool {
	for time.Now().Before(end) {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return false
}
