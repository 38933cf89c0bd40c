// Package servertest starts real PostgreSQL and PgBouncer servers on loopback, from Debian's
// packages, and proxies with network faults in front of them.
package servertest

import (
	"bytes"
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

// programs returns the folder of PostgreSQL's programs, and skips the test if they are not
// installed.
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
	t     testing.TB
	Bin   string
	Data  string
	Port  int
	ended <-chan struct{} // closed when the process has ended
}

// Command returns a command that does not run as root, which PostgreSQL refuses.
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

// serverUser runs the servers if the tests run as root, which PostgreSQL refuses.
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

// NoPort is a port without a server: one that only the system's own services use.
const NoPort = "1"

// FreePort returns a port that nothing uses now.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

var initialized struct {
	sync.Once
	archive []byte
}

// newData returns an archive of the folder data of a new server. It runs initdb once: that takes
// ten times as long as extracting the archive.
func newData(t testing.TB) []byte {
	t.Helper()
	initialized.Do(func() {
		folder := Folder(t)
		Run(t, programs(t)+"/initdb", "-D", filepath.Join(folder, "data"), "-U", "cafe", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
		var err error
		if initialized.archive, err = Command(t, "tar", "-c", "-C", folder, "data").Output(); err != nil {
			t.Fatalf("tar: %v", err)
		}
	})
	if initialized.archive == nil {
		t.Fatal("initdb has failed in another test")
	}
	return initialized.archive
}

// New makes and starts a server.
func New(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := &Server{t: t, Bin: programs(t)}
	folder := Folder(t)
	s.Data = filepath.Join(folder, "data")
	extract := Command(t, "tar", "-x", "-C", folder)
	extract.Stdin = bytes.NewReader(newData(t))
	if output, err := extract.CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, output)
	}
	s.start(func() int { return FreePort(t) }, settings)
	return s
}

// Start starts the server on its port and waits until it accepts connections.
func (s *Server) Start(settings ...string) {
	s.t.Helper()
	s.start(func() int { return s.Port }, settings)
}

func (s *Server) start(port func() int, settings []string) {
	s.t.Helper()
	s.ended = serve(s.t, syscall.SIGQUIT, "could not bind", func() *exec.Cmd {
		s.Port = port()
		args := []string{"-D", s.Data, "-p", strconv.Itoa(s.Port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			"-c", "max_connections=200", "-c", "fsync=off"} // no test cuts the machine's power
		for _, setting := range settings {
			args = append(args, "-c", setting)
		}
		return Command(s.t, s.Bin+"/postgres", args...)
	}, s.responds)
}

// responds reports whether this server, and not another one on its port, accepts connections.
func (s *Server) responds() bool {
	conn, err := pgx.Connect(context.Background(), s.DSN("postgres"))
	if err != nil {
		return false
	}
	defer conn.Close(context.Background())
	var data string
	err = conn.QueryRow(context.Background(), "SHOW data_directory").Scan(&data)
	return err == nil && data == s.Data
}

// Kill ends the server like a power failure.
func (s *Server) Kill() {
	// pg_ctl's immediate mode ends all processes at once.
	Run(s.t, s.Bin+"/pg_ctl", "stop", "-D", s.Data, "-m", "immediate")
	<-s.ended
}

// Signal sends a signal to all processes of the server, such as SIGSTOP to freeze it.
func (s *Server) Signal(signal syscall.Signal) {
	s.t.Helper()
	file, err := os.ReadFile(filepath.Join(s.Data, "postmaster.pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	main, _, _ := strings.Cut(string(file), "\n")
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]s/task/%[1]s/children", main))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, process := range append([]string{main}, strings.Fields(string(children))...) {
		if pid, err := strconv.Atoi(process); err == nil {
			syscall.Kill(pid, signal)
		}
	}
}

func (s *Server) DSN(database string) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=cafe dbname=%s sslmode=disable connect_timeout=30", s.Port, database)
}

var databases struct {
	sync.Mutex
	n int
}

// Database creates a database and returns its connection string.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	databases.Lock()
	databases.n++
	name := fmt.Sprintf("cafe%d", databases.n)
	databases.Unlock()
	s.Exec("postgres", "CREATE DATABASE "+name+" STRATEGY file_copy")
	return s.DSN(name)
}

// DatabaseOf returns the name of the database in a result of Database.
func DatabaseOf(dsn string) string {
	_, name, _ := strings.Cut(dsn, "dbname=")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// Value returns the result of a query for a single value. It tries again for a minute, since the
// server ends all sessions if one was killed.
func (s *Server) Value(database, query string, args ...any) int {
	s.t.Helper()
	for end := time.Now().Add(hangGuard); ; time.Sleep(10 * time.Millisecond) {
		value, err := s.value(database, query, args...)
		if err == nil {
			return value
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s: %v", query, err)
		}
	}
}

func (s *Server) value(database, query string, args ...any) (value int, err error) {
	conn, err := pgx.Connect(context.Background(), s.DSN(database))
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.Background())
	err = conn.QueryRow(context.Background(), query, args...).Scan(&value)
	return value, err
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

// Steady runs a check until it succeeds, at most five times. Use it for checks that hold only if
// nothing stops for a second or two: a busy machine may stop any process, and a store then rightly
// takes its server for silent.
func Steady(t testing.TB, check func() error) {
	t.Helper()
	for try := time.Second; ; try += time.Second {
		err := check()
		if err == nil {
			return
		}
		if try == 5*time.Second {
			t.Error(err)
			return
		}
		t.Logf("again: %v", err)
		time.Sleep(try)
	}
}

// Standby starts a standby of the server, with the name as its application_name.
func (s *Server) Standby(t testing.TB, name string) *Server {
	t.Helper()
	return s.Copied(t, func(data string) {
		Run(t, s.Bin+"/pg_basebackup", "-D", data, "-R", "-X", "stream", "--no-sync", "--checkpoint=fast",
			"-d", s.DSN("postgres")+" application_name="+name)
	})
}

// Copied starts a server on another port with the data that copy makes.
func (s *Server) Copied(t testing.TB, copy func(data string)) *Server {
	t.Helper()
	other := &Server{t: t, Bin: s.Bin, Port: FreePort(t), Data: filepath.Join(Folder(t), "data")}
	copy(other.Data)
	other.Start()
	return other
}
