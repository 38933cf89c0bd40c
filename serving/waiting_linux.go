package serving

import "syscall"

// acceptWaiting accepts all connections that are waiting. It does not block, since the listeners of
// package net do not.
func acceptWaiting(listener int) (connections []int) {
	for {
		fd, _, err := syscall.Accept4(listener, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		switch err {
		case nil:
			connections = append(connections, fd)
		case syscall.EINTR, syscall.ECONNABORTED: // the next one may be good
		default:
			return connections
		}
	}
}
