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
	if errors.Is(err, errUnknown) {
		return false
	}
	if errors.As(err, new(*conflict)) {
		return true
	}
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		return !refused(connecting)
	}
	switch code := CodeOf(err); code {
	case "":
		return lost(err)
	case serialization, deadlock, LockNotAvailable, queryCanceled, tooManyConnections, limitExceeded:
		return true
	default:
		return endsSession(code)
	}
}

// Conflict returns err as one that is repeated.
func Conflict(err error) error { return &conflict{err} }

type conflict struct{ error }

func (c *conflict) Unwrap() error { return c.error }

// serverGone reports whether err means that the server or the network to it has failed, or that the
// server does not accept writes any more.
func serverGone(err error) bool {
	if code := CodeOf(err); code != "" {
		return endsSession(code) && code != idleTransaction
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

// refused reports whether all servers refuse the user, the password or the database. If only some
// do, the others may come back.
func refused(err *pgconn.ConnectError) bool {
	for _, server := range serversOf(err) {
		if !strings.HasPrefix(CodeOf(server), authorizationClass) && !HasCode(server, unknownDatabase, RightMissing) {
			return false
		}
	}
	return true
}

// serversOf returns the errors of the servers that were tried. A server without TLS was perhaps
// tried with it first (sslmode=prefer).
func serversOf(err *pgconn.ConnectError) (servers []error) {
	all, ok := err.Unwrap().(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, server := range all.Unwrap() {
		if !strings.HasSuffix(server.Error(), noTLS) {
			servers = append(servers, server)
		}
	}
	if len(servers) == 0 {
		return all.Unwrap()
	}
	return servers
}

// isUnable reports whether the server lacks connections, memory, space on its disk, or its files.
func isUnable(err error) bool {
	code := CodeOf(err)
	return strings.HasPrefix(code, resourcesClass) || strings.HasPrefix(code, systemClass)
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
