package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

const roses = `[{"slug":"rose","name":"Rose, red"},{"slug":"lily","name":"Lily"}]`

func TestFlowerload(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	for _, test := range []struct {
		name, text string
		args       []string
		want       string // the list afterwards
		says       string // an error; the list stays
	}{
		{"a.json", roses, nil, "rose=Rose, red lily=Lily", ""},
		{"b.csv", "slug,name\ntulip,\"Tulip \"\"black\"\"\"\n", nil, `tulip=Tulip "black"`, ""},
		{"c.csv", "daisy,Daisy", nil, "daisy=Daisy", ""},
		{"bom.csv", "\ufeff\"Slug\",\"Name\"\r\nfern,Fern\r\n", nil, "fern=Fern", ""},
		{"utf16.csv", "\xff\xfea\x00,\x00A\x00", nil, "a=A", ""}, // as Windows PowerShell writes it
		{"swapped.csv", "Name,SLUG\nRed rose,rose\n", nil, "rose=Red rose", ""},
		{"bom.json", "\ufeff" + roses, nil, "rose=Rose, red lily=Lily", ""},
		{"empty.json", `[]`, []string{"-least", "0"}, "", ""},
		{"two.json", roses, []string{"-least", "2"}, "rose=Rose, red lily=Lily", ""},
		{"less.json", roses, []string{"-least", "3"}, "", "the input has 2 flowers: set -least, which is 3"},
		{"no.json", `[]`, nil, "", "the input has 0 flowers: set -least"},
		{"no.csv", "slug,name\n", nil, "", "the input has 0 flowers: set -least"},
		{"surrogate.json", `[{"slug":"a","name":"\ud83c\udf39"},{"slug":"b","name":"\udf39"}]`, nil, "", "flower 2: the member \"name\": "},
		{"d", roses, []string{"-format", "json", "-quiet"}, "rose=Rose, red lily=Lily", ""},
		{"e", roses, nil, "", "write -format"},
		{"f.json", `[{"slug":"a","name":"A"},{"slug":"a","name":"A"}]`, nil, "", "a slug occurs twice"},
		{"g.json", `[{"slug":"a","name":"A"},{"slug":"b"}]`, nil, "", `flower 2: the member "name" is missing`},
		{"h.csv", "a,A\nb,B,C\n", nil, "", "line 2: write two fields, a slug and a name, separated by a comma, instead of 3"},
		{"semicolons.csv", "slug;name\na;A\n", nil, "", "line 1: write two fields, a slug and a name, separated by a comma, instead of 1"},
		{"quotes.csv", "slug,name\na,\"A\n", nil, "", "line 2, column 6: extraneous or missing"},
		{"negative.json", roses, []string{"-least", "-1"}, "", "-least -1: write 0 or more"},
		{"limit.json", roses, []string{"-limit", "-1s"}, "", "-limit -1s: write 0 or more"},
		{"late.json", roses, []string{"-limit", "1ns"}, "", "the load took longer than -limit 1ns"},
	} {
		file := filepath.Join(t.TempDir(), test.name)
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		err := run(t.Context(), append(test.args, "-dsn", dsn, file), nil, &stdout, &stderr)
		if test.says != "" {
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "57014") {
				t.Errorf("%s: got %v, want %q, and not what the server says about it", test.name, err, test.says)
			}
			if text := stderr.String(); text != "" && !strings.HasSuffix(text, "\n") {
				t.Errorf("%s: the progress %q has no end of line, so the error would follow it", test.name, text)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(stdout.String(), "loaded ") {
			t.Errorf("%s: got %v, %q", test.name, err, stdout.String())
		}
		if got := list(t, dsn); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	before := list(t, dsn)
	err := run(t.Context(), []string{"-dsn", dsn, "-format", "csv", "-"}, strings.NewReader(""), io.Discard, io.Discard)
	if got := list(t, dsn); err == nil || got != before {
		t.Errorf("nothing from standard input: got %v and %q, want an error and the flowers as before", err, got)
	}
}

// TestProgress shows how long the change takes, here because another session has a lock.
func TestProgress(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load := func(stderr io.Writer) error {
		return run(t.Context(), []string{"-dsn", dsn, "-format", "json", "-"}, strings.NewReader(roses), io.Discard, stderr)
	}
	if err := load(io.Discard); err != nil {
		t.Fatal(err)
	}
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE flowers`); err != nil {
		t.Fatal(err)
	}
	progress, stderr := io.Pipe()
	loaded := make(chan error, 1)
	go func() {
		err := load(stderr)
		stderr.Close()
		loaded <- err
	}()
	var text strings.Builder
	buffer := make([]byte, 100)
	for !strings.Contains(text.String(), "changing the flowers: 2s") {
		n, err := progress.Read(buffer)
		if text.Write(buffer[:n]); err != nil {
			t.Fatalf("%v after %q, want the time that the change takes", err, &text)
		}
	}
	other.Close(t.Context())
	go io.Copy(io.Discard, progress)
	if err := <-loaded; err != nil {
		t.Error(err)
	}
}

// TestKilled kills the program (SIGKILL) in a load. The old flowers stay, and nothing is left.
func TestKilled(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	if err := run(t.Context(), []string{"-dsn", dsn, "-format", "json", "-"}, strings.NewReader(roses), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	before := list(t, dsn)
	sessions := `SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'copy%' AND datname = current_database()`
	cmd := exec.Command(os.Args[0], "-dsn", dsn, "-quiet", "-format", "csv", "-")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range 50_000 {
		fmt.Fprintf(stdin, "flower-%d,Flower\n", i)
	}
	wait := func(want int) {
		for end := time.Now().Add(time.Minute); s.Value(servertest.DatabaseOf(dsn), sessions) != want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("there are not %d sessions that load", want)
			}
		}
	}
	wait(1)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	wait(0)
	if got := list(t, dsn); got != before {
		t.Errorf("got %q, want %q", got, before)
	}
	if got := s.Value(servertest.DatabaseOf(dsn), `SELECT count(*) FROM pg_class WHERE relname LIKE 'flowers_next%'`); got != 0 {
		t.Errorf("%d tables and indexes are left", got)
	}
}

// asProgram is the environment variable that makes the test binary run flowerload.
const asProgram = "FLOWERLOAD_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func list(t *testing.T, dsn string) string {
	t.Helper()
	store, err := flowers.Open(t.Context(), dsn, flowers.WithAcquireTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var all []string
	err = store.List(t.Context(), flowercatalog.Page{}, func(f flowercatalog.Flower) error {
		all = append(all, f.Slug+"="+f.Name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}
