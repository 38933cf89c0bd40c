package testenv_test

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/internal/testenv"
)

type tests func() int

func (t tests) Run() int { return t() }

func TestLeftoversAreNamed(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	before := testenv.TakeBaseline()
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
	if left := before.Left(testenv.Patience); len(left) != 0 {
		t.Errorf("all ended: got %q left, want nothing", left)
	}
}

// Tests of several packages run concurrently. What other processes put into the folder for
// temporary files is not reported, what the tests leave there is.
func TestFilesOfOtherProcesses(t *testing.T) {
	outer := t.TempDir()
	t.Setenv("TMPDIR", outer)
	create := func(folder string) {
		file, err := os.CreateTemp(folder, "multipart-")
		if err != nil {
			t.Error(err)
		}
		file.Close()
	}
	for folder, want := range map[string]int{outer: 0, "": 1} {
		if got := testenv.RunWithin(tests(func() int { create(folder); return 0 }), 50*time.Millisecond); got != want {
			t.Errorf("a file in %q: got status %d, want %d", folder, got, want)
		}
	}
	if now := os.Getenv("TMPDIR"); now != outer {
		t.Errorf("the folder is %q after the run, want %q", now, outer)
	}
}

func waitFor(stop chan struct{}) { <-stop }

func TestRunKeepsTheStatus(t *testing.T) {
	for _, want := range []int{0, 1, 2} {
		if got := testenv.Run(tests(func() int { return want })); got != want {
			t.Errorf("got status %d, want %d", got, want)
		}
	}
}
