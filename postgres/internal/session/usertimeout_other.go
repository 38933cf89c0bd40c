//go:build !linux

package session

import (
	"syscall"
	"time"
)

// limitUnacknowledged does nothing: only Linux has TCP_USER_TIMEOUT. Calls still end in time.
func limitUnacknowledged(time.Duration) func(network, address string, c syscall.RawConn) error {
	return nil
}
