// Package servertest starts real servers on loopback, of Debian's packages postgresql and
// pgbouncer, and networks with faults in front of them.
package servertest

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

// This file is a PostgreSQL server.

// programs returns the folder of PostgreSQL's programs, and skips the test if there is none.
func programs(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		t.Skip("NOT RUN: PostgreSQL is not installed (Debian's package postgresql)")
	}
	return filepath.Dir(found[len(found)-1])
}

// Server is a PostgreSQL server of the test's own.
type Server struct {
	t    testing.TB
	Bin  string
	Data string
	Port int
	cmd  *exec.Cmd
}

// Command makes a command that runs as a user that PostgreSQL accepts, since it refuses root.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	if os.Geteuid() == 0 {
		uid, gid := serverUser(t)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	cmd.Dir = "/"
	return cmd
}

// Run runs a program to its end.
func Run(t testing.TB, name string, args ...string) {
	t.Helper()
	if output, err := Command(t, name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, output)
	}
}

// Folder makes a folder that the server's user owns.
func Folder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "flowercafe-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	Own(t, folder)
	return folder
}

// Own makes the server's user the owner of a file.
func Own(t testing.TB, name string) {
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
func serverUser(t testing.TB) (uid, gid int) {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatalf("PostgreSQL does not run as root: %v", err)
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid
}

func FreePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// New makes and starts a server.
func New(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := &Server{t: t, Bin: programs(t), Port: FreePort(t)}
	s.Data = filepath.Join(Folder(t), "data")
	Run(t, s.Bin+"/initdb", "-D", s.Data, "-U", "cafe", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	s.Start(settings...)
	return s
}

// Start starts the server and waits until it accepts connections.
func (s *Server) Start(settings ...string) {
	s.t.Helper()
	args := []string{"-D", s.Data, "-p", strconv.Itoa(s.Port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "max_connections=200", "-c", "fsync=off"} // no test cuts the power of the machine
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	s.cmd = Command(s.t, s.Bin+"/postgres", args...)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	cmd := s.cmd
	s.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGQUIT)
		cmd.Wait()
	})
	for end := time.Now().Add(30 * time.Second); ; {
		conn, err := pgx.Connect(context.Background(), s.DSN("postgres"))
		if err == nil {
			conn.Close(context.Background())
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("the server accepts no connections: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Kill ends the server as a power cut would.
func (s *Server) Kill() {
	// The children die with their parent's shared memory; pg_ctl's immediate mode takes them all at
	// once.
	Run(s.t, s.Bin+"/pg_ctl", "stop", "-D", s.Data, "-m", "immediate")
	s.cmd.Wait()
}

func (s *Server) DSN(database string) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=cafe dbname=%s sslmode=disable connect_timeout=2", s.Port, database)
}

var databases struct {
	sync.Mutex
	n int
}

// Database makes a database of its own and returns its connection string.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	databases.Lock()
	databases.n++
	name := fmt.Sprintf("cafe%d", databases.n)
	databases.Unlock()
	s.Exec("postgres", "CREATE DATABASE "+name+" STRATEGY file_copy")
	return s.DSN(name)
}

// DatabaseOf returns the name of the database in a connection string of Database's.
func DatabaseOf(dsn string) string {
	_, name, _ := strings.Cut(dsn, "dbname=")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// Value asks for one value.
func (s *Server) Value(database, query string, args ...any) (value int) {
	s.t.Helper()
	conn, err := pgx.Connect(context.Background(), s.DSN(database))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(context.Background(), query, args...).Scan(&value); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return value
}

func (s *Server) Exec(database, statement string) {
	s.t.Helper()
	conn, err := pgx.Connect(context.Background(), s.DSN(database))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		s.t.Fatalf("%s: %v", statement, err)
	}
}

// Sibling returns a server of the same version that has no data yet, for [Server.Start].
func (s *Server) Sibling(port int) *Server { return &Server{t: s.t, Bin: s.Bin, Port: port} }
