package servertest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// This file is a real haproxy.

// NewBalancer starts haproxy with a configuration that reads BIND, HOST_A and HOST_B, and returns
// its HOST:PORT. The configuration's socket is in a folder of the test.
func NewBalancer(t testing.TB, config, a, b string) (address string) {
	t.Helper()
	program := find(t, "haproxy")
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
	serve(t, syscall.SIGTERM, "cannot bind", func() *exec.Cmd {
		address = fmt.Sprint("127.0.0.1:", FreePort(t))
		cmd := exec.Command(program, "-db", "-f", file)
		cmd.Env = append(os.Environ(), "BIND="+address, "HOST_A="+a, "HOST_B="+b)
		return cmd
	}, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address
}
