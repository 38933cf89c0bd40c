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

// errMissing means that PostgreSQL is not installed.
var errMissing = errors.New("NOT RUN: PostgreSQL is not installed (Debian's package postgresql)")

// server is the server of all tests, started on first use.
var server struct {
	sync.Once
	dir, address string
	make         func() *exec.Cmd // returns the command of the server
	process      *exec.Cmd
	ended        chan struct{} // closed when the process has ended
	err          error
}

func TestMain(m *testing.M) {
	if os.Getenv("RUN_SERVICE") != "" { // a process that a test has started
		main()
		return
	}
	code := m.Run()
	if server.process != nil {
		server.process.Process.Signal(syscall.SIGINT) // a fast shutdown
		<-server.ended
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
	credential, err := notRoot(server.dir)
	if err != nil {
		return err
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(filepath.Dir(found[len(found)-1]), name), args...)
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: credential}
		return cmd
	}
	data := filepath.Join(server.dir, "data")
	if output, err := command("initdb", "-D", data, "-U", "test", "--auth=trust", "--encoding=UTF8", "--no-sync").CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	for range 5 {
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
		if err = runPostgres(ctx); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return errPortTaken
}

// notRoot returns the user postgres, and gives it a folder, if the tests run as root: PostgreSQL and
// PgBouncer refuse to.
func notRoot(folder string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(folder, uid, gid)
}

// errPortTaken means that another process has taken the port.
var errPortTaken = errors.New("the port is taken")

// stopPostgres stops the server with a signal and returns a function that starts it again.
func stopPostgres(t *testing.T, stop os.Signal) (restart func()) {
	t.Helper()
	restart = sync.OnceFunc(func() {
		err := runPostgres(context.WithoutCancel(t.Context()))
		for end := time.Now().Add(time.Minute); errors.Is(err, errPortTaken) && time.Now().Before(end); {
			err = runPostgres(context.WithoutCancel(t.Context())) // a connection of a client may have it for a moment
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Cleanup(restart)
	if err := server.process.Process.Signal(stop); err != nil {
		t.Fatal(err)
	}
	<-server.ended
	return restart
}

// runPostgres runs the server, and waits until it accepts connections.
func runPostgres(ctx context.Context) error {
	process, said := server.make(), new(strings.Builder)
	process.Stderr = said
	if err := process.Start(); err != nil {
		return err
	}
	server.process = process
	server.ended = make(chan struct{})
	go func() {
		process.Wait()
		close(server.ended)
	}()
	for end := time.Now().Add(time.Minute); ; { // against hanging
		conn, err := pgx.Connect(ctx, server.address+"postgres")
		if err == nil {
			return conn.Close(ctx)
		}
		if time.Now().After(end) {
			return fmt.Errorf("the server does not start: %w", err)
		}
		select {
		case <-server.ended:
			if strings.Contains(said.String(), "could not bind") {
				return errPortTaken
			}
			return fmt.Errorf("the server does not start:\n%s", said)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
