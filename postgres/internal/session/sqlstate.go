package session

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file classifies errors of the server and of the network.

// transactionTimeout is new in PostgreSQL 17.
const transactionTimeout = "25P04"

// Repeatable reports whether err means that nothing was committed, and that the same work may
// succeed on another try.
func Repeatable(err error) bool {
	switch code := CodeOf(err); {
	case errors.Is(err, ErrUnknown), refused(err):
		return false
	case errors.Is(err, ErrConflict), errors.As(err, new(*pgconn.ConnectError)):
		return true
	case code != "":
		return endsSession(code) ||
			slices.Contains([]string{pgerrcode.SerializationFailure, pgerrcode.DeadlockDetected, pgerrcode.LockNotAvailable, pgerrcode.QueryCanceled, pgerrcode.TooManyConnections, pgerrcode.ConfigurationLimitExceeded}, code)
	}
	return connectionLost(err)
}

// ErrConflict marks an error after which the transaction is tried again.
var ErrConflict = errors.New("conflict")

// serverLost reports whether err means that the server or the network to it has failed, or that the
// server does not accept writes any more.
func serverLost(err error) bool {
	if code := CodeOf(err); code != "" {
		return endsSession(code) && code != pgerrcode.IdleInTransactionSessionTimeout
	}
	return connectionLost(err) || errors.Is(err, context.DeadlineExceeded)
}

// unavailable reports whether a call failed because of the database, and not because of its own
// work: the server or the network has failed, or the server refuses sessions or lacks memory or
// disk space.
func unavailable(err error) bool {
	if errors.Is(err, errFull) {
		return false
	}
	code := CodeOf(err)
	return errors.Is(err, ErrUnknown) || errors.As(err, new(*pgconn.ConnectError)) || serverLost(err) ||
		pgerrcode.IsInsufficientResources(code) || pgerrcode.IsSystemError(code)
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
		case slices.Contains([]string{pgerrcode.InvalidPassword, pgerrcode.InvalidCatalogName, pgerrcode.InsufficientPrivilege}, code):
			return true
		case pgerrcode.IsInvalidAuthorizationSpecification(code):
			refusals++
		case !strings.HasSuffix(try.Error(), noTLS):
			others++
		}
	}
	return refusals > 0 && others == 0
}

// noTLS is the driver's error for a server without TLS, which it may try again without TLS
// (sslmode=prefer).
const noTLS = "server refused TLS connection"

// endsSession reports whether an error with this code ends the session, or all sessions.
func endsSession(code string) bool {
	switch code {
	case pgerrcode.ReadOnlySQLTransaction, pgerrcode.IdleInTransactionSessionTimeout, transactionTimeout, pgerrcode.AdminShutdown, pgerrcode.CrashShutdown, pgerrcode.CannotConnectNow, pgerrcode.IdleSessionTimeout:
		return true
	}
	return pgerrcode.IsConnectionException(code)
}

// connectionLost reports whether err means that the connection was lost, together with uncommitted
// changes.
func connectionLost(err error) bool {
	var network net.Error
	return errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// commitUnknown reports whether the error of a COMMIT with this code leaves its outcome unknown.
func commitUnknown(code string) bool {
	switch code {
	case pgerrcode.TransactionResolutionUnknown, pgerrcode.StatementCompletionUnknown, pgerrcode.AdminShutdown, pgerrcode.CrashShutdown:
		return true
	}
	return pgerrcode.IsConnectionException(code)
}

// CodeOf returns the SQLSTATE of an error of the server, or "" for other errors.
func CodeOf(err error) string {
	var response *pgconn.PgError
	if errors.As(err, &response) {
		return response.Code
	}
	return ""
}

// HasCode reports whether err is an error of the server with any of these codes.
func HasCode(err error, codes ...string) bool { return slices.Contains(codes, CodeOf(err)) }
