package coffees_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file tests certificates, and that no response, error or log line has the connection string.

// authority is a certificate authority for tests.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string // its certificate, in PEM
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(servertest.Folder(t), name+".pem")}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	writePEM(t, a.file, "CERTIFICATE", der, 0o644)
	return a
}

// issue writes server.crt and server.key into a folder.
func (a *authority) issue(t *testing.T, folder, host string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, filepath.Join(folder, "server.crt"), "CERTIFICATE", certificate, 0o644)
	writePEM(t, filepath.Join(folder, "server.key"), "PRIVATE KEY", private, 0o600)
}

// writePEM writes a file for the server's user.
func writePEM(t *testing.T, name, kind string, der []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode); err != nil {
		t.Fatal(err)
	}
	servertest.Own(t, name)
}

const password = "s3cr3t-Pa55"

// newSecureServer starts a server that requires TLS and a password, except for the user cafe.
func newSecureServer(t *testing.T, ca *authority, host string) *servertest.Server {
	t.Helper()
	s := servertest.New(t)
	s.Exec("postgres", fmt.Sprintf(`CREATE ROLE barista LOGIN SUPERUSER PASSWORD '%s'`, password))
	ca.issue(t, s.Data, host)
	rules := "hostssl all barista 127.0.0.1/32 scram-sha-256\nhost all cafe 127.0.0.1/32 trust\n"
	if err := os.WriteFile(filepath.Join(s.Data, "pg_hba.conf"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Exec("postgres", `ALTER SYSTEM SET ssl = on`)
	s.Exec("postgres", `SELECT pg_reload_conf()`)
	for end := time.Now().Add(hangGuard); s.Value("postgres", `SELECT count(*) FROM pg_settings WHERE name = 'ssl' AND setting = 'on'`) == 0; {
		if time.Now().After(end) {
			t.Fatal("the server has no TLS")
		}
	}
	return s
}

// TestCertificates connects to a server with a certificate of the test's authority.
func TestCertificates(t *testing.T) {
	t.Parallel() // it mostly waits
	ca, stranger := newAuthority(t, "ca"), newAuthority(t, "stranger")
	s := newSecureServer(t, ca, "localhost")
	wrongName := newSecureServer(t, ca, "elsewhere.example")
	dsn := func(s *servertest.Server, root string) string {
		return fmt.Sprintf("postgres://barista:%s@localhost:%d/postgres?sslmode=verify-full&sslrootcert=%s", password, s.Port, root)
	}
	store := open(t, dsn(s, ca.file))
	defer store.Close()
	fill(t, store)
	if got, err := names(t.Context(), store); err != nil || got != "abc" {
		t.Errorf("by TLS: got %q, %v, want abc", got, err)
	}
	for _, test := range []struct{ name, dsn, says string }{
		{"a certificate for another host", dsn(wrongName, ca.file), "certificate is valid for elsewhere.example, not localhost"},
		{"a certificate of somebody else", dsn(s, stranger.file), "certificate signed by unknown authority"},
	} {
		store := open(t, test.dsn, coffees.WithAcquireTimeout(5*time.Second))
		defer store.Close()
		err := store.Ping(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want that %s", test.name, err, test.says)
		}
	}
}

// TestNoSecrets causes the errors that may have the connection string or a password, and checks
// errors, responses and logs. A server that refuses a password while the host runs is one outage.
func TestNoSecrets(t *testing.T) {
	ca := newAuthority(t, "ca")
	s := newSecureServer(t, ca, "localhost")
	query := "sslmode=verify-full&sslrootcert=" + ca.file
	good := fmt.Sprintf("postgres://barista:%s@localhost:%d/postgres?%s", password, s.Port, query)
	check := func(where, text string, secrets ...string) {
		t.Helper()
		for _, secret := range append(secrets, password, "postgres://", "sslrootcert") {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %q: %s", where, secret, text)
			}
		}
		if text == "" {
			t.Errorf("%s says nothing", where)
		}
	}
	for _, bad := range []string{
		"postgres://barista:" + password + "@localhost:port/db",
		"postgres://barista:" + password + "@localhost/db?sslmode=" + password,
		"postgres://barista:" + password + "@localhost/db?sslmode=verify-full&sslrootcert=/topsecret/none.pem",
		"host=localhost password=" + password + " port=x",
		"host=localhost password='" + password,
		"password=" + password + " topsecret",
		"host=localhost target_session_attrs='any password=" + password + "'",
		"host=localhost min_protocol_version='3.0 password=" + password + "'",
		"postgres://%" + password,
	} {
		store, err := coffees.Open(t.Context(), bad)
		if err == nil {
			store.Close()
			t.Errorf("%s: opened, want an error", bad)
			continue
		}
		check("Open", err.Error(), "barista", "localhost", "topsecret")
	}
	for name, dsn := range map[string]string{
		"wrong password": strings.Replace(good, password, "topsecret", 1),
		"no database":    strings.Replace(good, "/postgres?", "/topsecret?", 1),
		"no role":        strings.Replace(good, "barista", "topsecret", 1),
		"no TLS":         strings.Replace(good, query, "sslmode=disable", 1),
		"no host":        strings.Replace(good, "@localhost", "@no-such-host.invalid", 1),
		"no port":        strings.Replace(good, fmt.Sprint(s.Port), servertest.NoPort, 1),
		"no such server": strings.Replace(good, "@localhost", "@127.0.0.1", 1),
	} {
		store := open(t, dsn, coffees.WithAcquireTimeout(300*time.Millisecond))
		if err := store.Ping(t.Context()); err == nil {
			t.Errorf("%s: got no error", name)
		} else {
			check(name, err.Error())
		}
		store.Close()
	}
	// The server goes away while an app uses it.
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	store := open(t, good, coffees.WithAcquireTimeout(10*time.Second), coffees.WithLogger(logger))
	app, err := coffeedemo.New(coffeedemo.WithStore(store), coffeedemo.WithLogger(logger))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	fill(t, store)
	s.Exec("postgres", `ALTER ROLE barista PASSWORD 'other'`)
	s.Exec("postgres", `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'barista'`)
	for range 3 {
		if status, body := ask(app, "/coffees"); status != 503 || strings.Contains(body, "barista") {
			t.Errorf("password changed: got %d %q, want 503 without the server's words", status, body)
		}
	}
	check("the log", log.String())
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "password authentication failed") {
		t.Errorf("password changed: the log says %q, want one line, with the server's words", text)
	}
	s.Kill()
	status, body := ask(app, "/coffees")
	if status != 503 {
		t.Errorf("server gone: got %d, want 503", status)
	}
	check("a response", body, "barista", "localhost")
	check("the log", log.String())
}

// TestMissingPassword: if a server wants a password and there is none, the error has the line for
// the password file.
func TestMissingPassword(t *testing.T) {
	t.Setenv("PGPASSFILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("PGPASSWORD", "")
	ca := newAuthority(t, "ca")
	s := newSecureServer(t, ca, "localhost")
	store := open(t, fmt.Sprintf("postgres://barista@localhost:%d/postgres?sslmode=verify-full&sslrootcert=%s", s.Port, ca.file))
	defer store.Close()
	err := store.Ping(t.Context())
	if want := fmt.Sprintf("there is no password: write the line localhost:%d:postgres:barista:PASSWORD into the file that PGPASSFILE names", s.Port); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want that %s", err, want)
	}
}
