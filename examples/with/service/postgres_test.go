package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file runs tests with each database. It starts a PostgreSQL server on loopback.

func onEach(t *testing.T, test func(t *testing.T, s *service)) {
	t.Run("Memory", func(t *testing.T) { test(t, start(t, "")) })
	t.Run("SQLite", func(t *testing.T) { test(t, start(t, filepath.Join(t.TempDir(), "bookings.db"))) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, start(t, newDatabase(t))) })
}

// errMissing says that PostgreSQL is not installed.
var errMissing = errors.New("NOT RUN: PostgreSQL is not installed (Debian's package postgresql)")

// server is the server of all tests, started on first use.
var server struct {
	sync.Once
	dir, address string
	make         func() *exec.Cmd // returns the command of the server
	process      *exec.Cmd
	err          error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if server.process != nil {
		server.process.Process.Signal(syscall.SIGINT) // a fast shutdown
		server.process.Wait()
	}
	os.RemoveAll(server.dir)
	os.Exit(code)
}

// newDatabase returns the address of a new database of PostgreSQL.
func newDatabase(t *testing.T) string {
	t.Helper()
	server.Do(func() { server.err = startPostgres(t.Context()) })
	if errors.Is(server.err, errMissing) {
		t.Skip(server.err)
	}
	if server.err != nil {
		t.Fatal(server.err)
	}
	conn, err := pgx.Connect(t.Context(), server.address+"postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	name := "test" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return server.address + name
}

func startPostgres(ctx context.Context) (err error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return errMissing
	}
	if server.dir, err = os.MkdirTemp("", "service"); err != nil {
		return err
	}
	var system syscall.SysProcAttr
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		u, err := user.Lookup("postgres")
		if err != nil {
			return err
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		system.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(server.dir, uid, gid); err != nil {
			return err
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(filepath.Dir(found[len(found)-1]), name), args...)
		cmd.Dir, cmd.SysProcAttr = "/", &system
		return cmd
	}
	data := filepath.Join(server.dir, "data")
	if output, err := command("initdb", "-D", data, "-U", "test", "--auth=trust", "--encoding=UTF8", "--no-sync").CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	server.address = fmt.Sprintf("postgres://test@127.0.0.1:%d/", port)
	server.make = func() *exec.Cmd {
		return command("postgres", "-D", data, "-p", strconv.Itoa(port), "-h", "127.0.0.1", "-k", server.dir, "-F")
	}
	return runPostgres(ctx)
}

// stopPostgres stops the server and returns a function that starts it again.
func stopPostgres(t *testing.T) (restart func()) {
	t.Helper()
	restart = sync.OnceFunc(func() {
		if err := runPostgres(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
	})
	t.Cleanup(restart)
	if err := server.process.Process.Signal(syscall.SIGINT); err != nil { // a fast shutdown
		t.Fatal(err)
	}
	server.process.Wait()
	return restart
}

// runPostgres runs the server, and waits until it accepts connections.
func runPostgres(ctx context.Context) error {
	server.process = server.make()
	said := new(strings.Builder)
	server.process.Stderr = said
	if err := server.process.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // against hanging
		conn, err := pgx.Connect(ctx, server.address+"postgres")
		if err == nil {
			return conn.Close(ctx)
		}
		if time.Now().After(end) {
			return fmt.Errorf("the server does not start: %w\n%s", err, said)
		}
	}
}
