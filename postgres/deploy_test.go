package postgres_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file tests deploy/ and the settings of README.md.

// The unit gives the host few rights. systemd counts from 0 to 100.
func TestSystemdUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("NOT RUN: systemd is not installed")
	}
	output, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", "deploy/flowercafe@.service").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// plain returns the blocks without a language of a section of the README.
func plain(t *testing.T, section string) (all []string) {
	t.Helper()
	_, text, _ := strings.Cut(read(t, "README.md"), "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for i, block := range strings.Split(text, "```") {
		if i%2 == 1 && strings.HasPrefix(block, "\n") {
			all = append(all, block)
		}
	}
	return all
}

// The server of the README has sessions for two hosts, a load and an administrator; each role has
// its own and no more.
func TestSessionsOfTwoHosts(t *testing.T) {
	setting := regexp.MustCompile(`max_connections = \d+`).FindString(plain(t, "1. The database")[0])
	s := servertest.New(t, strings.ReplaceAll(setting, " ", ""))
	s.Exec("postgres", read(t, "deploy/roles.sql"))
	open := func(role string) error {
		conn, err := pgx.Connect(t.Context(), strings.Replace(s.DSN("postgres"), "user=cafe", "user="+role, 1))
		if err == nil {
			t.Cleanup(func() { conn.Close(t.Context()) })
		}
		return err
	}
	for role, sessions := range map[string]int{"catalog": 2 * 50, "coffees": 2 * 50, "loader": 5} {
		for i := range sessions {
			if err := open(role); err != nil {
				t.Fatalf("session %d of %s: %v", i+1, role, err)
			}
		}
		if err := open(role); err == nil || !strings.Contains(err.Error(), "53300") {
			t.Errorf("session %d of %s: got %v, want 53300", sessions+1, role, err)
		}
	}
	_, sum, _ := strings.Cut(read(t, "README.md"), "| **`max_connections`** | **")
	sum, _, _ = strings.Cut(sum, "*")
	if !strings.HasSuffix(setting, " "+sum) {
		t.Errorf("step 1 has %s, and the sum is %s", setting, sum)
	}
	for range 3 + 5 { // standbys, and an administrator
		if err := open("cafe"); err != nil {
			t.Error(err)
		}
	}
}

// Without TLS, the roles are refused, though a later line allows them.
func TestTLSIsForced(t *testing.T) {
	s := servertest.New(t)
	s.Exec("postgres", read(t, "deploy/roles.sql"))
	file := filepath.Join(s.Data, "pg_hba.conf")
	lines := plain(t, "1. The database")[1]
	if err := os.WriteFile(file, []byte(lines+read(t, file)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Exec("postgres", `SELECT pg_reload_conf()`)
	for _, role := range []string{"loader", "catalog", "coffees"} {
		until(t, "the new pg_hba.conf", func() bool {
			conn, err := pgx.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=cafe sslmode=disable", s.Port, role))
			if err == nil {
				conn.Close(t.Context())
			}
			return err != nil && strings.Contains(err.Error(), "pg_hba.conf rejects connection") && strings.Contains(err.Error(), "(SQLSTATE 28000)")
		})
	}
}

// A password with signs of the shell arrives as it is.
func TestPasswordFile(t *testing.T) {
	const password = `p$HOME\` + "`id`" + `\:\\`
	folder := t.TempDir()
	script := blocks(t, "3. Passwords and programs", "sh")[0]
	script, _, _ = strings.Cut(script, "go build")
	script = regexp.MustCompile(`(?m)^install.*root\.crt.*$`).ReplaceAllString(script, "")
	script = strings.NewReplacer("/etc/flowercafe", folder, "CATALOG'S PASSWORD", password).Replace(script)
	if output, err := exec.Command("sh", "-e", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if got := read(t, folder+"/pgpass"); !strings.Contains(got, ":catalog:"+password+"\n") {
		t.Errorf("got the file\n%s\nwant the password %s", got, password)
	}
}

// The name of each host is in pg_stat_activity.
func TestApplicationName(t *testing.T) {
	unit := regexp.MustCompile(`(?m)^Environment=PGAPPNAME=(\S+)@%i$`).FindStringSubmatch(read(t, "deploy/flowercafe@.service"))
	if unit == nil {
		t.Fatal("the unit sets no PGAPPNAME")
	}
	name := unit[1] + "@" + strconv.Itoa(8081)
	t.Setenv("PGAPPNAME", name)
	s := servertest.New(t)
	dsn := s.Database(t)
	pool := open(t, dsn)
	fill(t, coffees.New(pool))
	if got := s.Value("postgres", `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND datname = $2`, name, servertest.DatabaseOf(dsn)); got == 0 {
		t.Error("no session has the name of the host")
	}
}

// PgBouncer starts with deploy/pgbouncer.ini, without its certificates. Its administrator comes by
// the socket, and monitor may read the figures.
func TestPgBouncerConfiguration(t *testing.T) {
	program := "/usr/sbin/pgbouncer"
	if _, err := os.Stat(program); err != nil {
		t.Skip("NOT RUN: PgBouncer is not installed (Debian's package pgbouncer)")
	}
	s := servertest.New(t)
	s.Exec("postgres", read(t, "deploy/roles.sql"))
	s.Exec("postgres", `CREATE DATABASE cafe`)
	folder := servertest.Folder(t)
	port := servertest.FreePort(t)
	text := regexp.MustCompile(`(?m)^(client|server)_tls.*\n`).ReplaceAllString(read(t, "deploy/pgbouncer.ini"), "")
	text = strings.NewReplacer("/run/postgresql", folder, "/var/log/postgresql", folder, "/etc/pgbouncer", folder, "scram-sha-256", "trust",
		"host=localhost port=5432", fmt.Sprint("host=127.0.0.1 port=", s.Port), "listen_port = 6432", fmt.Sprint("listen_port = ", port)).Replace(text)
	for name, text := range map[string]string{"pgbouncer.ini": text, "userlist.txt": `"catalog" ""` + "\n" + `"monitor" ""` + "\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := servertest.Command(t, program, "-q", filepath.Join(folder, "pgbouncer.ini"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	query := func(host, user, database, statement string) error {
		output, err := servertest.Command(t, s.Bin+"/psql", "-h", host, "-p", strconv.Itoa(port), "-U", user, "-d", database, "-c", statement).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, output)
		}
		return nil
	}
	until(t, "a query through PgBouncer", func() bool { return query("127.0.0.1", "catalog", "cafe", "SELECT 1") == nil })
	for _, test := range []struct {
		host, user, statement string
		allowed               bool
	}{
		{folder, "pgbouncer", "RELOAD", true}, {folder, "pgbouncer", "SHOW POOLS", true},
		{"127.0.0.1", "monitor", "SHOW POOLS", true}, {"127.0.0.1", "monitor", "RELOAD", false}, {"127.0.0.1", "catalog", "SHOW POOLS", false},
	} {
		if err := query(test.host, test.user, "pgbouncer", test.statement); (err == nil) != test.allowed {
			t.Errorf("%s as %s: got %v, want allowed: %v", test.statement, test.user, err, test.allowed)
		}
	}
}
