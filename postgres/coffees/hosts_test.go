package coffees_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file runs the host program in two processes with one database.

// folder has the host program. It is removed when the tests end.
var folder string

// TestMain also fails if the tests leave goroutines, descriptors or temporary files behind.
func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "flowercafe-host-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := testenv.Run(m)
	os.RemoveAll(folder)
	os.Exit(status)
}

var buildHost = sync.OnceValues(func() (string, error) {
	program := filepath.Join(folder, "host")
	output, err := exec.Command("go", "build", "-o", program, "../host").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the host: %w\n%s", err, output)
	}
	return program, nil
})

// startHost starts a host process and returns its address. It must end with status 0 when the test
// does.
func startHost(t *testing.T, dsn string, flags ...string) string {
	t.Helper()
	address, _ := startProcess(t, dsn, flags...)
	return address
}

func startProcess(t *testing.T, dsn string, flags ...string) (address string, process *os.Process) {
	t.Helper()
	program, err := buildHost()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"-addr", "127.0.0.1:0", "-dsn", dsn}, flags...)...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the host ended with %v, want status 0", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("the host said %q, %v", line, err)
	}
	return strings.TrimSuffix(address, "/"), cmd.Process
}

// response is the response of a host. Status 0 means that there was none.
type response struct {
	status int
	body   string
	header http.Header
}

var client = &http.Client{Timeout: 2 * hangGuard}

func get(address string) response {
	r, err := client.Get(address)
	if err != nil {
		return response{body: err.Error()}
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return response{body: err.Error()}
	}
	return response{r.StatusCode, string(body), r.Header}
}

// lines counts the lines of a list of coffees.
func lines(body string) int {
	if body == "" {
		return 0
	}
	return strings.Count(body, "<br />") + 1
}

func TestStormOfTwoHosts(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	wait := hangGuard.String()
	hosts := []string{startHost(t, dsn, "-wait", wait), startHost(t, dsn, "-wait", wait)}
	paths := []string{"/db/create-tables", "/db/load-data", "/coffees", "/coffees", "/db/drop-tables"}
	const clients, each = 50, 40
	var mu sync.Mutex
	counts := make(map[string]int)
	var longest time.Duration
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				path := paths[(c+i)%len(paths)]
				begin := time.Now()
				a := get(hosts[(c+i)%2] + path)
				spent := time.Since(begin)
				switch {
				case a.status != 200 && a.status != 409:
					t.Errorf("%s: got %d %q, want 200 or 409", path, a.status, a.body)
				case path == "/coffees" && a.status == 200 && lines(a.body) != 0 && lines(a.body) != 5:
					t.Errorf("a list of %d coffees: %q", lines(a.body), a.body)
				}
				mu.Lock()
				counts[path+" "+strconv.Itoa(a.status)]++
				longest = max(longest, spent)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d requests of %d clients over two hosts, longest wait %v: %v", clients*each, clients, longest, counts)
	if difference := counts["/db/create-tables 200"] - counts["/db/drop-tables 200"]; difference != 0 && difference != 1 {
		t.Errorf("the tables were created %d times more than dropped", difference)
	}
}

// TestTagsOfTwoHosts gets the catalog from two processes: a cache may use the ETag of one with the
// other.
func TestTagsOfTwoHosts(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	hosts := []string{startHost(t, dsn), startHost(t, dsn)}
	for _, path := range []string{"/flowers/", "/flowers/rose", "/flowers/?name=rose", "/api-docs/spec.json", "/api-docs/openapi.json"} {
		first, second := get(hosts[0]+path), get(hosts[1]+path)
		tag := first.header.Get("ETag")
		if tag == "" || tag != second.header.Get("ETag") || first.body != second.body {
			t.Errorf("%s: got tags %s and %s, want the same for the same body", path, tag, second.header.Get("ETag"))
		}
		request, err := http.NewRequest(http.MethodGet, hosts[1]+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("If-None-Match", tag)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusNotModified {
			t.Errorf("%s: with the other host's tag: got %d, want 304", path, response.StatusCode)
		}
	}
}

// TestFailover kills a primary under load and promotes its synchronous standby.
func TestFailover(t *testing.T) {
	primary := servertest.New(t)
	standby := primary.Standby(t, "standby")
	primary.Exec("postgres", "CREATE DATABASE cafe")
	primary.Exec("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
	primary.Exec("postgres", "SELECT pg_reload_conf()")
	dsn := fmt.Sprintf("host=127.0.0.1,127.0.0.1 port=%d,%d user=cafe dbname=cafe sslmode=disable target_session_attrs=read-write connect_timeout=2",
		primary.Port, standby.Port)
	hosts := []string{startHost(t, dsn), startHost(t, dsn)}

	// Readers send requests to both hosts all the time. The gap is the longest time without a
	// correct response.
	stop := make(chan struct{})
	var gaps [2]time.Duration
	var readers sync.WaitGroup
	for i, host := range hosts {
		readers.Go(func() {
			last := time.Now()
			for {
				select {
				case <-stop:
					return
				default:
				}
				if a := get(host + "/coffees"); a.status == 200 || a.status == 409 {
					if a.status == 200 && lines(a.body) != 0 && lines(a.body) != 5 {
						t.Errorf("a list of %d coffees", lines(a.body))
					}
					gaps[i] = max(gaps[i], time.Since(last))
					last = time.Now()
				}
				time.Sleep(2 * time.Millisecond)
			}
		})
	}

	// One writer creates, loads and drops the tables in turn. The state must be as its responses
	// say. After a response that is neither success nor conflict, both states are right, and the
	// next list shows which it is.
	round := []struct {
		path  string
		state string
	}{{"/db/create-tables", "empty"}, {"/db/load-data", "loaded"}, {"/db/drop-tables", "absent"}}
	state := "absent"
	stateOf := func(host string) string {
		for end := time.Now().Add(hangGuard); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			switch a := get(host + "/coffees"); {
			case a.status == 409:
				return "absent"
			case a.status == 200 && lines(a.body) == 0:
				return "empty"
			case a.status == 200:
				return "loaded"
			}
		}
		return "not served"
	}
	step := map[string]int{"absent": 0, "empty": 1, "loaded": 2}
	begin := time.Now()
	const enough = 5 // changes on each side of the failover; a slow machine takes longer for them
	killed, committed, unknown, before := false, 0, 0, 0
	over := func() bool {
		spent := time.Since(begin)
		return spent > 6*time.Second && killed && committed >= before+enough || spent > 2*time.Minute
	}
	for i := 0; !over(); i++ {
		if !killed && committed >= enough && time.Since(begin) > 2*time.Second {
			killed, before = true, committed
			primary.Kill()
			servertest.Run(t, standby.Bin+"/pg_ctl", "promote", "-D", standby.Data, "-w")
			standby.Exec("postgres", "ALTER SYSTEM SET synchronous_standby_names = ''")
			standby.Exec("postgres", "SELECT pg_reload_conf()")
		}
		next := round[step[state]]
		a := get(hosts[i%2] + next.path)
		now := stateOf(hosts[(i+1)%2])
		switch {
		case a.status == 200 && now != next.state:
			t.Fatalf("%s: got 200, and then the tables were %s, want %s", next.path, now, next.state)
		case a.status == 200:
			committed++
		case now != state && now != next.state:
			t.Fatalf("%s: got %d %q, and then the tables were %s, want %s or %s", next.path, a.status, a.body, now, state, next.state)
		default:
			unknown++
		}
		state = now
	}
	close(stop)
	readers.Wait()
	t.Logf("%d changes committed, none lost, %d without a response that says so; longest time that nobody was served: %v and %v",
		committed, unknown, gaps[0].Round(time.Millisecond), gaps[1].Round(time.Millisecond))
	if before < enough || committed < before+enough {
		t.Errorf("only %d changes were committed, %d of them before the failover", committed, before)
	}
}
