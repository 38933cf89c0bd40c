package hosts_test

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var files embed.FS

// migrate runs the migrations that the database lacks. Hosts that start at once wait for each
// other.
func migrate(ctx context.Context, address string) (err error) {
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	migrations, _ := fs.Sub(files, "migrations") // an error only for a name that is not valid
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations, goose.WithSessionLocker(locker))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// Hosts that start at once on a new database all succeed.
func TestMigrations(t *testing.T) {
	address := server.Database(t)
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			if err := migrate(t.Context(), address); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	exec(t, open(t, address), "SELECT id, guest FROM stays")
}
