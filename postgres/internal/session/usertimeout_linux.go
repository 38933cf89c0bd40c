package session

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limitUnacknowledged limits how long data that was sent may stay unacknowledged (tcp(7),
// TCP_USER_TIMEOUT). Keepalive probes are not sent while data is unacknowledged.
func limitUnacknowledged(d time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) (err error) {
		if network == "unix" {
			return nil
		}
		controlErr := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(milliseconds(d)))
		})
		if controlErr != nil {
			return controlErr
		}
		return err
	}
}
