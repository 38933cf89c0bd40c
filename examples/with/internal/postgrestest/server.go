// Package postgrestest starts a PostgreSQL server on loopback for tests, from Debian's package.
package postgrestest

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

// errMissing means that PostgreSQL is not installed.
var errMissing = errors.New("NOT RUN: PostgreSQL is not installed (Debian's package postgresql)")

// Server is a server of PostgreSQL, started on first use. The zero value is ready.
type Server struct {
	once         sync.Once
	dir, address string
	make         func() *exec.Cmd // returns the command of the server
	process      *exec.Cmd
	ended        chan struct{} // closed when the process has ended
	err          error
}

// Close stops the server and removes its files.
func (s *Server) Close() {
	if s.process != nil {
		s.process.Process.Signal(syscall.SIGINT) // a fast shutdown
		<-s.ended
	}
	os.RemoveAll(s.dir)
}

// Database returns the URL of a new database. It skips the test if PostgreSQL is not installed.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	s.once.Do(func() { s.err = s.start(t.Context()) })
	if errors.Is(s.err, errMissing) {
		t.Skip(s.err)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	conn, err := pgx.Connect(t.Context(), s.address+"postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	name := "test" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.address + name
}

func (s *Server) start(ctx context.Context) (err error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return errMissing
	}
	if s.dir, err = os.MkdirTemp("", "service"); err != nil {
		return err
	}
	credential, err := NotRoot(s.dir)
	if err != nil {
		return err
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(filepath.Dir(found[len(found)-1]), name), args...)
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: credential}
		return cmd
	}
	data := filepath.Join(s.dir, "data")
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
		s.address = fmt.Sprintf("postgres://test@127.0.0.1:%d/", port)
		s.make = func() *exec.Cmd {
			return command("postgres", "-D", data, "-p", strconv.Itoa(port), "-h", "127.0.0.1", "-k", s.dir, "-F")
		}
		if err = s.run(ctx); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return errPortTaken
}

// NotRoot returns the user postgres, and gives it a folder, if the tests run as root: PostgreSQL
// and PgBouncer refuse to run as root.
func NotRoot(folder string) (*syscall.Credential, error) {
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

// Signal sends a signal to the server and its children.
func (s *Server) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	pid := s.process.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range append([]string{strconv.Itoa(pid)}, strings.Fields(string(children))...) {
		id, err := strconv.Atoi(child)
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(id, signal) // an error says that it has ended
	}
}

// Stop stops the server with a signal and returns a function that starts it again.
func (s *Server) Stop(t testing.TB, stop os.Signal) (restart func()) {
	t.Helper()
	restart = sync.OnceFunc(func() {
		err := s.run(context.WithoutCancel(t.Context()))
		for end := time.Now().Add(time.Minute); errors.Is(err, errPortTaken) && time.Now().Before(end); {
			err = s.run(context.WithoutCancel(t.Context())) // a connection of a client may have it for a moment
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Cleanup(restart)
	if err := s.process.Process.Signal(stop); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	return restart
}

// run runs the server, and waits until it accepts connections.
func (s *Server) run(ctx context.Context) error {
	process, said := s.make(), new(strings.Builder)
	process.Stderr = said
	if err := process.Start(); err != nil {
		return err
	}
	s.process = process
	s.ended = make(chan struct{})
	go func() {
		process.Wait()
		close(s.ended)
	}()
	for end := time.Now().Add(time.Minute); ; { // against hanging
		conn, err := pgx.Connect(ctx, s.address+"postgres")
		if err == nil {
			return conn.Close(ctx)
		}
		if time.Now().After(end) {
			return fmt.Errorf("the server does not start: %w", err)
		}
		select {
		case <-s.ended:
			if strings.Contains(said.String(), "could not bind") {
				return errPortTaken
			}
			return fmt.Errorf("the server does not start:\n%s", said)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
