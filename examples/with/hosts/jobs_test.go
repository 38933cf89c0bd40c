package hosts_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// confirmation is a job: a mail to a guest.
type confirmation struct {
	Guest string `json:"guest"`
}

func (confirmation) Kind() string { return "confirmation" }

type mailer struct {
	river.WorkerDefaults[confirmation]
	send func(guest string) error
}

// Work may run twice for a job, if a host stops in the middle.
func (m *mailer) Work(_ context.Context, job *river.Job[confirmation]) error {
	return m.send(job.Args.Guest)
}

func newJobs(pool *pgxpool.Pool, send func(guest string) error) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &mailer{send: send})
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		Queues:   map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}},
		Workers:  workers,
		PollOnly: true, // works through PgBouncer
		Logger:   slog.New(slog.DiscardHandler),
	})
}

func book(ctx context.Context, tx pgx.Tx, jobs *river.Client[pgx.Tx], guest string) error {
	if _, err := tx.Exec(ctx, "INSERT INTO stays (id, guest) VALUES ($1, $1)", guest); err != nil {
		return err
	}
	_, err := jobs.InsertTx(ctx, tx, confirmation{guest}, nil) // runs after the commit
	return err
}

// A job runs once, on any host, if and only if its transaction is committed.
func TestJobs(t *testing.T) {
	address := server.Database(t)
	pool := open(t, address)
	if err := migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil); err != nil {
		t.Fatal(err)
	}
	sent := make(chan string, 10)
	var jobs *river.Client[pgx.Tx]
	for range 2 { // hosts
		if jobs, err = newJobs(pool, func(guest string) error { sent <- guest; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := jobs.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer jobs.Stop(context.Background())
	}
	refused := errors.New("refused")
	for guest, want := range map[string]error{"ann": nil, "ben": refused, "cleo": nil} {
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			return errors.Join(book(t.Context(), tx, jobs, guest), want)
		})
		if !errors.Is(err, want) {
			t.Fatal(err)
		}
	}
	if got := map[string]bool{<-sent: true, <-sent: true}; !got["ann"] || !got["cleo"] {
		t.Errorf("got the mails %v", got)
	}
	var n int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job").Scan(&n); err != nil || n != 2 || len(sent) > 0 {
		t.Errorf("got %d jobs and %d further mails, %v", n, len(sent), err)
	}
}
