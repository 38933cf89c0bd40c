package leakcheck_test

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/internal/leakcheck"
)

type tests func() int

func (t tests) Run() int { return t() }

func TestLeftoversAreNamed(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	before := leakcheck.Take()
	stop := make(chan struct{})
	go waitFor(stop)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.CreateTemp("", "multipart-")
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	left := strings.Join(before.Left(50*time.Millisecond), "\n")
	for _, want := range []string{"waitFor", "descriptor socket", "temporary file"} {
		if !strings.Contains(left, want) {
			t.Errorf("got %q left, want %s in it", left, want)
		}
	}
	close(stop)
	listener.Close()
	os.Remove(file.Name())
	if left := before.Left(leakcheck.Patience); len(left) != 0 {
		t.Errorf("all ended: got %q left, want nothing", left)
	}
}

// Tests of several packages run concurrently. Short-lived uploads of other processes are not
// reported.
func TestFilesOfOtherProcesses(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	create := func() string {
		file, err := os.CreateTemp("", "multipart-")
		if err != nil {
			t.Error(err)
		}
		file.Close()
		return file.Name()
	}
	before := leakcheck.Take()
	upload := create()
	end, ended := make(chan struct{}), make(chan struct{})
	var replace func() // there is always an upload, but none stays
	replace = func() {
		select {
		case <-end:
			close(ended)
		default:
			older := upload
			upload = create()
			os.Remove(older)
			time.AfterFunc(5*time.Millisecond, replace)
		}
	}
	replace()
	if left := before.Left(leakcheck.Patience); len(left) != 0 {
		t.Errorf("got %q left, want nothing of other processes", left)
	}
	close(end)
	<-ended
}

func waitFor(stop chan struct{}) { <-stop }

func TestRunKeepsTheStatus(t *testing.T) {
	for _, want := range []int{0, 1, 2} {
		if got := leakcheck.Run(tests(func() int { return want })); got != want {
			t.Errorf("got status %d, want %d", got, want)
		}
	}
}
