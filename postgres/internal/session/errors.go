package session

import (
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file classifies errors: by the place where they happen and, inside a transaction, by the
// server's code.

// The places of errors.
var (
	errNoSession = errors.New("no session can be used") // none could be opened, or none responds
	errNotBegun  = errors.New("no transaction could begin")
	errLost      = errors.New("the session was lost") // before the commit
	errRows      = errors.New("the rows cannot be used")

	// ErrUnknown means that the session was lost or abandoned during the commit.
	ErrUnknown = errors.New("it is unknown whether the transaction was committed")
)

// ErrConflict marks an error after which the transaction is tried again.
var ErrConflict = errors.New("conflict")

// errFull means that a call has waited for other calls, or that too many wait. It is not an outage.
var errFull = errors.New("other calls use all connections")

// errEncoding means that the database cannot store all text.
var errEncoding = errors.New("the database does not have the encoding UTF8")

// Repeatable reports whether err means that nothing was committed, and that the same work may
// succeed on another try.
func Repeatable(err error) bool {
	switch {
	case errors.Is(err, ErrUnknown), errors.Is(err, errRows), refused(err):
		return false
	case errors.Is(err, errNoSession), errors.Is(err, errNotBegun), errors.Is(err, errLost), errors.Is(err, ErrConflict):
		return true
	}
	return HasCode(err, pgerrcode.SerializationFailure, pgerrcode.DeadlockDetected, pgerrcode.LockNotAvailable, pgerrcode.QueryCanceled)
}

// sessionLost reports whether err means that the server or the network to it has failed, so that
// other sessions may be lost too. A server that ended an idle transaction has not failed.
func sessionLost(err error) bool {
	return (errors.Is(err, errLost) || errors.Is(err, ErrUnknown)) && !HasCode(err, pgerrcode.IdleInTransactionSessionTimeout)
}

// unavailable reports whether a call failed because of the database, and not because of its own
// work: no session can be used, or the server lacks memory or disk space.
func unavailable(err error) bool {
	code := CodeOf(err)
	switch {
	case errors.Is(err, errFull):
		return false
	case errors.Is(err, errNoSession), errors.Is(err, errNotBegun), sessionLost(err):
		return true
	}
	return pgerrcode.IsInsufficientResources(code) || pgerrcode.IsSystemError(code)
}

// refused reports whether the servers refuse the user, the password or the database. All servers of
// a cluster have the same passwords and databases. Each has its own pg_hba.conf: if one refuses the
// user, another one may still come back and accept it.
func refused(err error) bool {
	if errors.Is(err, errEncoding) {
		return true
	}
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
