package session

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// This file classifies errors of the server and of the network.

// SQLSTATE codes (PostgreSQL documentation, appendix A).
const (
	UndefinedTable      = "42P01"
	DuplicateTable      = "42P07"
	DuplicateObject     = "42710"
	ForeignKeyViolation = "23503"
	UniqueViolation     = "23505"
	DependentObjects    = "2BP01"
	connectionClass     = "08"
	unknownResolution   = "08007"
	completionUnknown   = "40003"
	serialization       = "40001"
	deadlock            = "40P01"
	readOnly            = "25006"
	idleTransaction     = "25P03"
	transactionTimeout  = "25P04"
	tooManyConnections  = "53300"
	resourcesClass      = "53" // also a full disk (53100)
	limitExceeded       = "53400"
	LockNotAvailable    = "55P03"
	queryCanceled       = "57014"
	adminShutdown       = "57P01"
	crashShutdown       = "57P02"
	cannotConnectNow    = "57P03"
	idleSession         = "57P05"
)

// Repeatable reports whether err means that nothing was committed, and that the same work may
// succeed on another try.
func Repeatable(err error) bool {
	if errors.Is(err, errUnknown) {
		return false
	}
	if errors.As(err, new(*conflict)) {
		return true
	}
	var response *pgconn.PgError
	if errors.As(err, &response) {
		switch response.Code {
		case serialization, deadlock, LockNotAvailable, queryCanceled, tooManyConnections, limitExceeded:
			return true
		}
		return endsSession(response.Code)
	}
	return lost(err)
}

// Conflict returns err as one that is repeated.
func Conflict(err error) error { return &conflict{err} }

type conflict struct{ error }

func (c *conflict) Unwrap() error { return c.error }

// serverGone reports whether err means that the server or the network to it has failed, or that the
// server does not accept writes any more.
func serverGone(err error) bool {
	var response *pgconn.PgError
	if errors.As(err, &response) {
		return endsSession(response.Code) && response.Code != idleTransaction
	}
	return err != nil && (lost(err) || errors.Is(err, context.DeadlineExceeded))
}

// endsSession reports whether this code ends a session, or all sessions.
func endsSession(code string) bool {
	switch code {
	case readOnly, idleTransaction, transactionTimeout, adminShutdown, crashShutdown, cannotConnectNow, idleSession:
		return true
	}
	return strings.HasPrefix(code, connectionClass)
}

// outOfResources reports whether the server lacks connections, memory or space on its disk.
func outOfResources(err error) bool {
	var response *pgconn.PgError
	return errors.As(err, &response) && strings.HasPrefix(response.Code, resourcesClass)
}

// lost reports whether err means that the connection was lost, and with it what was not committed.
func lost(err error) bool {
	var connecting *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connecting) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// commitUnknown reports whether err, returned by a COMMIT, leaves its outcome open.
func commitUnknown(response *pgconn.PgError) bool {
	switch response.Code {
	case unknownResolution, completionUnknown, adminShutdown, crashShutdown:
		return true
	}
	return strings.HasPrefix(response.Code, connectionClass)
}

// HasCode reports whether err is an error of the server with one of these codes.
func HasCode(err error, codes ...string) bool {
	var response *pgconn.PgError
	if !errors.As(err, &response) {
		return false
	}
	for _, code := range codes {
		if response.Code == code {
			return true
		}
	}
	return false
}
