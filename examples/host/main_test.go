package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// With asHost in the environment the test program runs the host, so that nothing needs to be built.
const asHost = "FLOWERCAFE_TEST_RUNS_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(asHost) == "1" {
		main()
		return
	}
	flag.Parse()
	flag.Set("test.parallel", "8") // most tests wait for a host to end
	os.Exit(m.Run())
}

// hostCommand returns the command that runs the host.
func hostCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), asHost+"=1")
	return cmd
}

// hangGuard is far more than any step takes.
const hangGuard = 30 * time.Second

// start runs the program and returns its address, and a function that ends it and returns its
// error.
func start(t *testing.T, args ...string) (address string, end func(syscall.Signal) error) {
	t.Helper()
	address, _, end = startWithSignals(t, args...)
	return address, end
}

// startWithSignals is start that also returns a function to send a SIGHUP.
func startWithSignals(t *testing.T, args ...string) (address string, hangup func(), end func(syscall.Signal) error) {
	t.Helper()
	return startLoggingTo(t, nil, args...)
}

// startLoggingTo is start with the program's standard error in a file; nil discards it.
func startLoggingTo(t *testing.T, log *os.File, args ...string) (address string, hangup func(), end func(syscall.Signal) error) {
	t.Helper()
	cmd := hostCommand(t, args...)
	if log != nil {
		cmd.Stderr = log
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSuffix(line, "/\n"), "listening on ")
	if err != nil || !ok {
		t.Fatalf("the host says %q, %v; want its address", line, err)
	}
	hangup = func() { cmd.Process.Signal(syscall.SIGHUP) }
	return address, hangup, func(signal syscall.Signal) error {
		cmd.Process.Signal(signal)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			return err
		case <-time.After(hangGuard):
			t.Fatal("the host does not end")
			return nil
		}
	}
}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	client := http.Client{Timeout: hangGuard, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestHost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		base   string
		signal syscall.Signal
	}{{"", syscall.SIGTERM}, {"/shop", syscall.SIGINT}} {
		t.Run(fmt.Sprintf("%v%s", test.signal, test.base), func(t *testing.T) {
			t.Parallel()
			address, end := start(t, "-base", test.base, "-pool", "3")
			for _, step := range []struct {
				path   string
				status int
				body   string
			}{
				{"/", 200, `action="flowers/"`},
				{"/live", 200, `"limit":3`},
				{"/healthz", 200, "ok"},
				{"/readyz", 200, "ready"},
				{"/flowers/", 200, `"slug":"rose"`},
				{"/flowers/rose", 200, `{"slug":"rose","name":"Rose"}`},
				{"/flowers/none", 404, "Slug Not Found"},
				{"/api-docs/spec.json", 200, `"spec": "2.0"`},
				{"/api-docs/swagger.json", 200, `"swagger": "2.0"`},
				{"/api-docs/openapi.json", 200, `"openapi": "3.1`},
				{"/api-docs", 302, ""},
				{"/api-docs/ui/", 200, "swagger-ui"},
				{"/coffees", 409, "Call db/create-tables first"},
				{"/db/create-tables", 200, ""},
				{"/db/load-data", 200, ""},
				{"/coffees", 200, "  Colombian supplied by Acme, Inc.<br />  Colombian_Decaf"},
				{"/db/drop-tables", 200, ""},
				{"/live", 200, `"ok":false`},
				{"/none", 404, "Not Found"},
			} {
				if status, body := get(t, address+test.base+step.path); status != step.status || !strings.Contains(body, step.body) {
					t.Errorf("%s: got %d %.200q, want %d with %q", step.path, status, body, step.status, step.body)
				}
			}
			if err := end(test.signal); err != nil {
				t.Errorf("ended with %v, want status 0", err)
			}
		})
	}
}

func TestFlowersFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "flowers.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const first, second = `[{"slug":"rose","name":"Rose"}]`, `[{"slug":"lily","name":"Lily"},{"slug":"tulip","name":"Tulip"}]`
	write(first)
	address, hangup, end := startWithSignals(t, "-flowers", file, "-pages", "1")
	flowers := func() string {
		_, body := get(t, address+"/flowers/")
		return body
	}
	if got := flowers(); got != first {
		t.Errorf("got %s, want %s", got, first)
	}
	write(`[{"slug":"lily"}]`)
	hangup()
	write(second)
	for deadline := time.Now().Add(hangGuard); !strings.Contains(flowers(), "lily") && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		hangup()
	}
	if got, want := flowers(), `[{"slug":"lily","name":"Lily"}]`; got != want {
		t.Errorf("after SIGHUP: got %s, want the first page, %s", got, want)
	}
	if err := end(syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v, want status 0", err)
	}
}

// The base path redirects to the one with a trailing slash, by a relative address, because a proxy
// may have removed a prefix.
func TestBasePathWithoutSlash(t *testing.T) {
	app, handler, err := build(config{base: "/shop", origins: []string{"*"}, pool: 1}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/shop", nil))
	if w.Code != 302 || w.Header().Get("Location") != "shop/" {
		t.Errorf("got %d and location %q, want 302 and shop/", w.Code, w.Header().Get("Location"))
	}
}

// The home page's policy forbids frames and all scripts but its own.
func TestHomePolicy(t *testing.T) {
	app, handler, err := build(config{origins: []string{"*"}, pool: 1}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	policy := w.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) || strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %q, want it with %q", policy, part)
		}
	}
}

// The routes are shown only with -debug, and only with the token in the address that is printed.
func TestDebug(t *testing.T) {
	for _, debug := range []bool{false, true} {
		address, printed := startPrinting(t, "-base", "/shop", fmt.Sprintf("-debug=%t", debug))
		status, _ := get(t, address+"/shop/debug/routes")
		if want := map[bool]int{false: 404, true: 403}[debug]; status != want {
			t.Errorf("-debug=%t: without the token: got %d, want %d", debug, status, want)
		}
		opened := ""
		for _, line := range strings.Split(printed, "\n") {
			if after, ok := strings.CutPrefix(line, "routes at "); ok {
				opened = after
			}
		}
		if debug != strings.HasPrefix(opened, address+"/shop/debug/routes?token=") {
			t.Fatalf("-debug=%t: printed %q", debug, printed)
		}
		if !debug {
			continue
		}
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&http.Client{Timeout: hangGuard, Jar: jar}).Get(opened)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 || !strings.Contains(string(body), "/flowers/:slug") {
			t.Errorf("with the token: got %d, %v", response.StatusCode, err)
		}
	}
}

// startPrinting starts the host and returns its address and everything that it prints before it
// serves.
func startPrinting(t *testing.T, args ...string) (address, printed string) {
	t.Helper()
	cmd := hostCommand(t, args...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	text := make([]byte, 4096)
	n, err := stdout.Read(text) // it is written at once
	first, _, _ := strings.Cut(string(text[:n]), "/\n")
	address, ok := strings.CutPrefix(first, "listening on ")
	if err != nil || !ok {
		t.Fatalf("the host says %q, %v; want its address", text[:n], err)
	}
	return address, string(text[:n])
}

// The printed addresses are right for every listening address.
func TestAddresses(t *testing.T) {
	for _, test := range []struct {
		addr, base, want string
	}{
		{"127.0.0.1:8080", "", "http://127.0.0.1:8080"},
		{"127.0.0.1:8080", "/shop/", "http://127.0.0.1:8080/shop"},
		{"0.0.0.0:80", "", "http://localhost:80"},
		{"[::]:80", "/a", "http://localhost:80/a"},
	} {
		addr := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(test.addr))
		if got := addressOf(config{base: test.base}, addr); got != test.want {
			t.Errorf("%s %s: got %q, want %q", test.addr, test.base, got, test.want)
		}
	}
}

func TestPrintSpec(t *testing.T) {
	for form, says := range map[string]string{"spec": `"spec": "2.0"`, "swagger": `"basePath": "/shop"`, "openapi": `"openapi": "3.1`} {
		var stdout bytes.Buffer
		if err := run(context.Background(), []string{"-print-spec", form, "-base", "/shop"}, &stdout, io.Discard); err != nil {
			t.Errorf("%s: %v", form, err)
		}
		if !strings.Contains(stdout.String(), says) {
			t.Errorf("%s: got %.200s, want %s in it", form, stdout.String(), says)
		}
	}
}

func TestBadFlags(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"-origins", ""}, "-origins is empty"},
		{[]string{"-origins", "null"}, `"null"`},
		{[]string{"-base", "shop"}, `"/shop"`},
		{[]string{"-pool", "0"}, "0"},
		{[]string{"-print-spec", "raml"}, "spec, swagger or openapi"},
		{[]string{"-addr", "127.0.0.1:-1"}, "listen"},
		{[]string{"extra"}, `"extra"`},
		{[]string{"-flowers", "none.json"}, "none.json"},
		{[]string{"-flowers", "main.go"}, "main.go: flowercatalog: read flowers"},
		{[]string{"-pages", "-1"}, "1 to"},
	} {
		err := run(context.Background(), test.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q: got error %v, want one that says %s", test.args, err, test.says)
		}
	}
}
