package servertest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// This file starts programs that listen on a port.

// hangGuard is far more than starting a server takes.
const hangGuard = time.Minute

// serve starts a program, waits until it is ready, and ends it with the test. It tries again if the
// program ends with the text taken in its output: nothing reserves a free port for it, and a client
// connection may use it for a moment.
func serve(t testing.TB, stop os.Signal, taken string, command func() *exec.Cmd, ready func() bool) (ended <-chan struct{}) {
	t.Helper()
	for end := time.Now().Add(hangGuard); ; time.Sleep(100 * time.Millisecond) {
		cmd := command()
		var log strings.Builder
		cmd.Stdout, cmd.Stderr = &log, &log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			cmd.Wait()
			close(done)
		}()
		t.Cleanup(func() {
			cmd.Process.Signal(stop)
			<-done
		})
		if await(done, end, ready) {
			return done
		}
		cmd.Process.Signal(stop)
		<-done
		if !strings.Contains(log.String(), taken) || time.Now().After(end) {
			t.Fatalf("%s does not start:\n%s", cmd.Path, &log)
		}
	}
}

// await waits until ready. It returns false if the program has ended, or at the end of the time.
func await(done <-chan struct{}, end time.Time, ready func() bool) bool {
	for !ready() {
		select {
		case <-done:
			return false
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// find returns the path of a program, and skips the test if it is not installed.
func find(t testing.TB, name string) string {
	t.Helper()
	for _, path := range []string{name, "/usr/sbin/" + name} { // PATH may lack the latter
		if program, err := exec.LookPath(path); err == nil {
			return program
		}
	}
	t.Skipf("NOT RUN: %[1]s is not installed (Debian's package %[1]s)", name)
	return ""
}
