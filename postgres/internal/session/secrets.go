package session

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// This file keeps secrets out of error texts, which are logged: connection strings, passwords,
// users, host names and addresses.

// failure is an error whose text was replaced. [errors.Is] and [errors.As] see the original.
type failure struct {
	text  string
	cause error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

// WithoutSecrets returns err with a text that may be logged. It replaces the text of errors that
// repeat parts of the connection string.
func WithoutSecrets(err error) error {
	var (
		parsing    *pgconn.ParseConfigError
		connecting *pgconn.ConnectError
		network    *net.OpError
	)
	switch {
	case errors.As(err, &parsing):
		return &failure{parseReason(parsing), err}
	case errors.As(err, &connecting):
		return &failure{"connect: " + connectReason(connecting), err}
	case errors.As(err, &network) && errors.Is(err, errUnknown):
		return &failure{errUnknown.Error() + ": " + networkReason(err), err}
	case errors.As(err, &network):
		return &failure{networkReason(err), err}
	}
	return err
}

// connectReason returns why each server could not be used; the same reason only once.
func connectReason(err *pgconn.ConnectError) string {
	var reasons []string
	for _, server := range serversOf(err) {
		code, reason := CodeOf(server), networkReason(server)
		switch {
		case code != "":
			// The message has the user, the database or the address of this host.
			reason = "the server refused (SQLSTATE " + code + ")"
		case strings.HasSuffix(server.Error(), noTLS):
			reason = "the server has no TLS, which sslmode asks for"
		case errors.Is(server, pgconn.ErrReadOnlyConnection):
			reason = "the server accepts no writes, which target_session_attrs asks for"
		case reason == timedOut:
			reason += " within " + err.Config.ConnectTimeout.Round(time.Millisecond).String()
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// noTLS ends pgx's error for a server without TLS.
const noTLS = "server refused TLS connection"

// timedOut is the reason if a server does not respond.
const timedOut = "no response"

// networkReason returns why a connection could not be opened or was lost.
func networkReason(err error) string {
	var (
		number      syscall.Errno
		lookup      *net.DNSError
		hostname    x509.HostnameError
		authority   x509.UnknownAuthorityError
		invalid     x509.CertificateInvalidError
		certificate *tls.CertificateVerificationError
		timeout     net.Error
	)
	switch {
	case errors.As(err, &hostname):
		return "the server's certificate is for another host"
	case errors.As(err, &authority):
		return "the server's certificate is of an unknown authority"
	case errors.As(err, &invalid), errors.As(err, &certificate):
		return "the server's certificate is not valid"
	case errors.As(err, &lookup):
		return "the host name cannot be resolved"
	case errors.As(err, &number):
		return number.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return timedOut
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return "the connection was closed"
	}
	return "no usable server"
}

// parseReason returns why a connection string is invalid, without repeating it. pgx's text is
// "cannot parse `STRING`: REASON (DETAILS)", and the details may have the password.
func parseReason(err *pgconn.ParseConfigError) string {
	reason := "cannot be read"
	if _, after, ok := strings.Cut(err.Error(), "`: "); ok {
		reason, _, _ = strings.Cut(after, " (")
	}
	if strings.HasPrefix(reason, "failed to parse as") {
		reason += ": write a URL of postgres, or host=… user=… dbname=…"
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		reason += ": " + file.Err.Error()
	}
	return reason
}
