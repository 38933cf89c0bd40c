package conformance

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// Dredd sends each request for which swagger.json has an example to the catalog, and compares the
// responses. It needs no hooks. With OpenAPI it would need them, because it expects one example to
// cause every status.
func TestDredd(t *testing.T) {
	wantAll(t, "npm")
	origin := serve(t, newCafe("")(t))
	dredd := command(t, t.TempDir(), npmTool(t, "dredd"), form(t, origin, "swagger.json"), origin)
	dredd.Env = append(dredd.Env, "NO_UPDATE_NOTIFIER=1")
	out, err := dredd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("2 passing, 0 failing")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// Prism mocks the catalog from each format. As a proxy in front of the catalog it finds no
// differences from the format.
func TestPrism(t *testing.T) {
	wantAll(t, "npm")
	origin := serve(t, newCafe("")(t))
	prism := npmTool(t, "prism")
	for _, name := range []string{"swagger.json", "openapi.json", "openapi-3.0.json"} {
		t.Run(name, func(t *testing.T) {
			document := form(t, origin, name)
			mock := startPrism(t, prism, "mock", document)
			proxy := startPrism(t, prism, "proxy", document, origin, "--errors")
			for _, c := range []struct {
				origin, path, prefer string
				status               int
				want                 string
			}{
				{mock, "/flowers/", "", 200, `[{"slug":"yellow-tulip","name":"Yellow Tulip"}]`},
				{mock, "/flowers/rose", "", 200, `{"slug":"yellow-tulip","name":"Yellow Tulip"}`},
				{mock, "/flowers/rose", "code=404", 404, `"message":"Slug Not Found"`},
				{proxy, "/flowers/?name=tulip", "", 200, `"slug":"yellow-tulip"`},
				{proxy, "/flowers/rose", "", 200, `{"slug":"rose","name":"Rose"}`},
				{proxy, "/flowers/none", "", 404, `"message":"Slug Not Found"`},
			} {
				if status, body := get(t, c.origin+c.path, c.prefer); status != c.status || !strings.Contains(body, c.want) {
					t.Errorf("%s: %d %s, want %d %s", c.path, status, body, c.status, c.want)
				}
			}
		})
	}
}

// startPrism starts Prism and returns its origin. Prism cannot pick a free port, and the one that
// is found here may be taken before Prism listens, so there are several attempts.
func startPrism(t *testing.T, prism, mode string, args ...string) string {
	t.Helper()
	var log string
	for range 5 {
		port := freePort(t)
		process := exec.CommandContext(t.Context(), prism, append(append([]string{mode}, args...), "-p", port)...)
		output, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		process.Stderr = process.Stdout
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(output)
		for log = ""; lines.Scan(); {
			log += lines.Text() + "\n"
			if strings.Contains(lines.Text(), "is listening on") {
				t.Cleanup(func() {
					process.Process.Kill()
					process.Wait()
				})
				go io.Copy(io.Discard, output)
				return "http://127.0.0.1:" + port
			}
		}
		process.Wait()
	}
	t.Fatalf("prism %s did not start: %s", mode, log)
	return ""
}

func freePort(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	_, port, _ := net.SplitHostPort(free.Addr().String())
	return port
}

// get returns the status and the body at an address. The header selects a response of Prism.
func get(t *testing.T, address, prefer string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if prefer != "" {
		r.Header.Set("Prefer", prefer)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(fmt.Errorf("read %s: %w", address, err))
	}
	return w.StatusCode, string(body)
}
