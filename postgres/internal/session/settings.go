package session

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// This file makes sessions independent of what ALTER ROLE and ALTER DATABASE set.

// BeginRead begins a transaction that reads. It names the isolation level, because the default may
// be one where a snapshot is older than the tables that it reads.
const BeginRead = `BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY`

// useUTF8 asks for text in UTF-8. Poolers pass this parameter on.
func useUTF8(config *pgconn.Config) { config.RuntimeParams["client_encoding"] = "UTF8" }

// requireUTF8 refuses databases that cannot keep all text.
func requireUTF8(conn *pgconn.PgConn) error {
	if encoding := conn.ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("the database has the encoding %s: create one with ENCODING 'UTF8'", encoding)
	}
	return nil
}
