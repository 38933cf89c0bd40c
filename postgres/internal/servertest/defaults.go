package servertest

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// This file makes databases whose defaults differ from a new server's.

// Defaults are settings under which the stores must work as under all others. Each is a default of
// the role in the database.
func Defaults() map[string][]string {
	return map[string][]string{
		"Serializable": {
			"default_transaction_isolation = 'serializable'", "default_transaction_deferrable = on", "client_encoding = 'LATIN1'",
			"standard_conforming_strings = off", "backslash_quote = off", "bytea_output = 'escape'", "DateStyle = 'German'",
			"IntervalStyle = 'sql_standard'", "search_path = '$user', shop, public", "statement_timeout = '1s'",
			"default_transaction_read_only = on",
		},
		"RepeatableRead": {
			"default_transaction_isolation = 'repeatable read'", "client_encoding = 'SJIS'", "lock_timeout = '20ms'",
			"idle_in_transaction_session_timeout = '1s'", "search_path = 'Shop ''n'' café', pg_catalog", "row_security = off",
			"TimeZone = 'Asia/Kathmandu'", "lc_messages = 'C'", "extra_float_digits = -15", "quote_all_identifiers = on",
		},
	}
}

// DatabaseWith is Database with defaults of the role, and with the schemas of [Defaults].
func (s *Server) DatabaseWith(t testing.TB, settings ...string) string {
	t.Helper()
	dsn := s.Database(t)
	name := DatabaseOf(dsn)
	for _, schema := range []string{"shop", "Shop 'n' café"} {
		s.Exec(name, `CREATE SCHEMA `+pgx.Identifier{schema}.Sanitize())
	}
	for _, setting := range settings {
		// In another database, where the earlier ones do not apply.
		s.Exec("postgres", `ALTER ROLE cafe IN DATABASE `+name+` SET `+setting)
	}
	return dsn
}

// DatabaseIn is Database with another encoding.
func (s *Server) DatabaseIn(t testing.TB, encoding string) string {
	t.Helper()
	dsn := s.Database(t)
	name := DatabaseOf(dsn) + strings.ToLower(encoding)
	s.Exec("postgres", `CREATE DATABASE `+name+` TEMPLATE template0 ENCODING '`+encoding+`' LOCALE 'C'`)
	return s.DSN(name)
}
