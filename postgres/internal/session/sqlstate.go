package session

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// This file classifies errors of the server and of the network.

// SQLSTATE codes (PostgreSQL documentation, appendix A).
const (
	UndefinedTable      = "42P01"
	DuplicateTable      = "42P07"
	DuplicateObject     = "42710"
	RightMissing        = "42501"
	ForeignKeyViolation = "23503"
	UniqueViolation     = "23505"
	unsupported         = "0A000"
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
	systemClass         = "58"
	authorizationClass  = "28"
	wrongPassword       = "28P01"
	unknownDatabase     = "3D000"
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
	switch code := CodeOf(err); {
	case errors.Is(err, errUnknown), refused(err):
		return false
	case errors.As(err, new(*conflict)), errors.As(err, new(*pgconn.ConnectError)):
		return true
	case code != "":
		return endsSession(code) ||
			slices.Contains([]string{serialization, deadlock, LockNotAvailable, queryCanceled, tooManyConnections, limitExceeded}, code)
	}
	return lost(err)
}

// Conflict returns err as one that is repeated.
func Conflict(err error) error { return &conflict{err} }

type conflict struct{ error }

func (c *conflict) Unwrap() error { return c.error }

// gone reports whether err means that the server or the network to it has failed, or that the
// server does not accept writes any more.
func gone(err error) bool {
	if code := CodeOf(err); code != "" {
		return endsSession(code) && code != idleTransaction
	}
	return lost(err) || errors.Is(err, context.DeadlineExceeded)
}

// unavailable reports whether calls fail because of the database, and not because of their own
// work: it is gone, refuses sessions, or lacks memory, space on its disk, or its files.
func unavailable(err error) bool {
	if errors.Is(err, errFull) {
		return false
	}
	code := CodeOf(err)
	return errors.Is(err, errUnknown) || errors.As(err, new(*pgconn.ConnectError)) || gone(err) ||
		strings.HasPrefix(code, resourcesClass) || strings.HasPrefix(code, systemClass)
}

// refused reports whether the servers refuse the user, the password or the database. All servers of
// a cluster have the same passwords and databases. Each has its own pg_hba.conf: if one refuses the
// user, another one may still come back and accept it.
func refused(err error) bool {
	var connecting *pgconn.ConnectError
	if !errors.As(err, &connecting) {
		return false
	}
	tries, _ := connecting.Unwrap().(interface{ Unwrap() []error })
	if tries == nil {
		return false // no server was found
	}
	refusals, others := 0, 0
	for _, try := range tries.Unwrap() {
		switch code := CodeOf(try); {
		case slices.Contains([]string{wrongPassword, unknownDatabase, RightMissing}, code):
			return true
		case strings.HasPrefix(code, authorizationClass):
			refusals++
		case !strings.HasSuffix(try.Error(), noTLS):
			others++
		}
	}
	return refusals > 0 && others == 0
}

// noTLS is the driver's error for a server without TLS, which it may ask again (sslmode=prefer).
const noTLS = "server refused TLS connection"

// endsSession reports whether this code ends a session, or all sessions.
func endsSession(code string) bool {
	switch code {
	case readOnly, idleTransaction, transactionTimeout, adminShutdown, crashShutdown, cannotConnectNow, idleSession:
		return true
	}
	return strings.HasPrefix(code, connectionClass)
}

// lost reports whether err means that the connection was lost, and with it what was not committed.
func lost(err error) bool {
	var network net.Error
	return errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// commitUnknown reports whether this code, of an error of a COMMIT, leaves its outcome open.
func commitUnknown(code string) bool {
	switch code {
	case unknownResolution, completionUnknown, adminShutdown, crashShutdown:
		return true
	}
	return strings.HasPrefix(code, connectionClass)
}

// CodeOf returns the SQLSTATE of an error of the server, or "" for other errors.
func CodeOf(err error) string {
	var response *pgconn.PgError
	if errors.As(err, &response) {
		return response.Code
	}
	return ""
}

// HasCode reports whether err is an error of the server with one of these codes.
func HasCode(err error, codes ...string) bool { return slices.Contains(codes, CodeOf(err)) }
