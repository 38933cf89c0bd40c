package session

import (
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file makes sessions independent of what ALTER ROLE and ALTER DATABASE set.

// BeginRead begins a transaction that reads. It names the isolation level, because the default may
// be one where a snapshot is older than the tables that it reads.
const BeginRead = `BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY`

// setDefaults configures what does not depend on the kind of connection.
func setDefaults(config *pgx.ConnConfig) {
	config.RuntimeParams["client_encoding"] = "UTF8" // poolers pass this parameter on
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	// Behind a pooler such as PgBouncer each transaction may run in another session of the server,
	// which does not have statements prepared earlier.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
}

// requireUTF8 refuses databases that cannot keep all text.
func requireUTF8(conn *pgconn.PgConn) error {
	if encoding := conn.ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("the database has the encoding %s: create one with ENCODING 'UTF8'", encoding)
	}
	return nil
}
