package postgres_test

import (
	"context"
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

// This file starts real servers on loopback, of Debian's package postgresql.

// programs returns the folder of PostgreSQL's programs, and skips the test if there is none.
func programs(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		t.Skip("NOT RUN: PostgreSQL is not installed (Debian's package postgresql)")
	}
	return filepath.Dir(found[len(found)-1])
}

// server is a PostgreSQL server of the test's own.
type server struct {
	t    *testing.T
	bin  string
	data string
	port int
	cmd  *exec.Cmd
}

// command makes a command that runs as a user that PostgreSQL accepts, since it refuses root.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	if os.Geteuid() == 0 {
		uid, gid := serverUser(t)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	cmd.Dir = "/"
	return cmd
}

// run runs a program to its end.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if output, err := command(t, name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, output)
	}
}

// newFolder makes a folder that the server's user owns.
func newFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "flowercafe-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	own(t, folder)
	return folder
}

// own makes the server's user the owner of a file.
func own(t *testing.T, name string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	uid, gid := serverUser(t)
	if err := os.Chown(name, uid, gid); err != nil {
		t.Fatal(err)
	}
}

// serverUser is who runs the servers where the tests run as root, whom PostgreSQL refuses.
func serverUser(t *testing.T) (uid, gid int) {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatalf("PostgreSQL does not run as root: %v", err)
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// newServer makes and starts a server.
func newServer(t *testing.T, settings ...string) *server {
	t.Helper()
	s := &server{t: t, bin: programs(t), port: freePort(t)}
	s.data = filepath.Join(newFolder(t), "data")
	run(t, s.bin+"/initdb", "-D", s.data, "-U", "cafe", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	s.start(settings...)
	return s
}

// start starts the server and waits until it answers.
func (s *server) start(settings ...string) {
	s.t.Helper()
	args := []string{"-D", s.data, "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "max_connections=200", "-c", "fsync=off"} // no test cuts the power of the machine
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	s.cmd = command(s.t, s.bin+"/postgres", args...)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	cmd := s.cmd
	s.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGQUIT)
		cmd.Wait()
	})
	for end := time.Now().Add(30 * time.Second); ; {
		conn, err := pgx.Connect(context.Background(), s.dsn("postgres"))
		if err == nil {
			conn.Close(context.Background())
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("the server does not answer: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// kill ends the server as a power cut would.
func (s *server) kill() {
	// The children die with their parent's shared memory; pg_ctl's immediate mode takes them all at once.
	run(s.t, s.bin+"/pg_ctl", "stop", "-D", s.data, "-m", "immediate")
	s.cmd.Wait()
}

func (s *server) dsn(database string) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=cafe dbname=%s sslmode=disable connect_timeout=2", s.port, database)
}

var databases struct {
	sync.Mutex
	n int
}

// database makes a database of its own and returns its connection string.
func (s *server) database(t *testing.T) string {
	t.Helper()
	databases.Lock()
	databases.n++
	name := fmt.Sprintf("cafe%d", databases.n)
	databases.Unlock()
	s.exec("postgres", "CREATE DATABASE "+name+" STRATEGY file_copy")
	return s.dsn(name)
}

// databaseOf returns the name of the database in a connection string of database's.
func databaseOf(dsn string) string {
	_, name, _ := strings.Cut(dsn, "dbname=")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// value asks for one value.
func (s *server) value(database, query string, args ...any) (value int) {
	s.t.Helper()
	conn, err := pgx.Connect(context.Background(), s.dsn(database))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(context.Background(), query, args...).Scan(&value); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return value
}

func (s *server) exec(database, statement string) {
	s.t.Helper()
	conn, err := pgx.Connect(context.Background(), s.dsn(database))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		s.t.Fatalf("%s: %v", statement, err)
	}
}
