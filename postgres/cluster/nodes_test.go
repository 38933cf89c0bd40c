package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/flowercafe/postgres/internal/servertest"
)

// This file is the cluster: three machines, each with PostgreSQL, Patroni and etcd.

const (
	killed    = syscall.SIGKILL
	stopped   = syscall.SIGSTOP
	continued = syscall.SIGCONT
)

type cluster struct {
	t      *testing.T
	nodes  []*node
	victim *node // of a fault, if it is not the leader
	client http.Client
}

// node is a machine: a network namespace with an address of its own.
type node struct {
	t         *testing.T
	name      string
	number    int
	namespace string
	folder    string
	bridged   string // the end of its cable in the bridge
}

func (n *node) ip() string { return fmt.Sprintf("10.77.0.%d", n.number) }

// ip runs the program ip.
func ip(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

// newCluster connects the nodes by a bridge in this namespace, and starts them.
func newCluster(t *testing.T, prefix string) *cluster {
	c := &cluster{t: t, client: http.Client{Timeout: 3 * time.Second}}
	ip(t, "link", "set", "lo", "up")
	ip(t, "link", "add", "bridge", "type", "bridge")
	ip(t, "address", "add", "10.77.0.254/24", "dev", "bridge")
	ip(t, "link", "set", "bridge", "up")
	for number := 1; number <= 3; number++ {
		n := &node{t: t, name: fmt.Sprintf("n%d", number), number: number, folder: servertest.Folder(t)}
		n.namespace, n.bridged = prefix+"-"+n.name, "cable"+strconv.Itoa(number)
		ip(t, "link", "add", n.bridged, "type", "veth", "peer", "name", "eth0", "netns", n.namespace)
		ip(t, "link", "set", n.bridged, "master", "bridge", "up")
		ip(t, "-n", n.namespace, "address", "add", n.ip()+"/24", "dev", "eth0")
		ip(t, "-n", n.namespace, "link", "set", "eth0", "up")
		ip(t, "-n", n.namespace, "link", "set", "lo", "up")
		c.nodes = append(c.nodes, n)
		n.configure()
		n.start()
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			n.signal(killed)
		}
	})
	return c
}

func (c *cluster) dsn() string {
	return "host=10.77.0.1,10.77.0.2,10.77.0.3 user=cafe dbname=postgres sslmode=disable"
}

func (n *node) configure() {
	bin, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(bin) == 0 {
		n.t.Skip("NOT RUN: PostgreSQL is not installed (Debian's package postgresql)")
	}
	text := strings.NewReplacer("NAME", n.name, "IP", n.ip(), "FOLDER", n.folder, "BIN", bin[len(bin)-1]).Replace(`
scope: cafe
name: NAME
restapi: {listen: "IP:8008", connect_address: "IP:8008"}
etcd: {hosts: ["10.77.0.1:2379", "10.77.0.2:2379", "10.77.0.3:2379"]}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 1
    retry_timeout: 3
    synchronous_mode: true
    postgresql: {use_pg_rewind: true, parameters: {max_connections: 100, wal_keep_size: 256MB}}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, data-checksums]
  pg_hba: ["local all all trust", "host all all 10.77.0.0/24 trust", "host replication all 10.77.0.0/24 trust"]
postgresql:
  listen: "IP:5432"
  connect_address: "IP:5432"
  data_dir: FOLDER/data
  bin_dir: BIN
  pgpass: FOLDER/pgpass
  remove_data_directory_on_diverged_timelines: true
  authentication: {superuser: {username: cafe}, replication: {username: replicator}}
  parameters: {unix_socket_directories: FOLDER, fsync: "off", shared_buffers: 32MB}
`)
	file := filepath.Join(n.folder, "patroni.yml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		n.t.Fatal(err)
	}
	servertest.Own(n.t, file)
}

// start starts the programs of the node.
func (n *node) start() {
	n.t.Helper()
	state := "new"
	if _, err := os.Stat(filepath.Join(n.folder, "etcd")); err == nil {
		state = "existing"
	}
	n.run("etcd", "etcd", "--name", n.name, "--data-dir", filepath.Join(n.folder, "etcd"), "--log-level", "error",
		"--listen-peer-urls", "http://"+n.ip()+":2380", "--initial-advertise-peer-urls", "http://"+n.ip()+":2380",
		"--listen-client-urls", "http://"+n.ip()+":2379", "--advertise-client-urls", "http://"+n.ip()+":2379",
		"--initial-cluster", "n1=http://10.77.0.1:2380,n2=http://10.77.0.2:2380,n3=http://10.77.0.3:2380",
		"--initial-cluster-state", state, "--unsafe-no-fsync",
		"--enable-v2") // with version 3, Patroni 3.0 may fail for ever to set its key of the synchronous standby
	n.run("patroni", "patroni", filepath.Join(n.folder, "patroni.yml"))
}

// run starts a program in the node's namespace, as the user that runs PostgreSQL.
func (n *node) run(name string, args ...string) {
	n.t.Helper()
	log, err := os.OpenFile(filepath.Join(n.folder, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		n.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("ip", append([]string{"netns", "exec", n.namespace, "setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", log, log
	cmd.Env = append(os.Environ(), "HOME="+n.folder)
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	go cmd.Wait()
}

// signal sends a signal to all that runs on the node.
func (n *node) signal(s syscall.Signal) { signal(n.namespace, s) }

func signal(namespace string, s syscall.Signal) {
	list, _ := exec.Command("ip", "netns", "pids", namespace).Output()
	for _, field := range strings.Fields(string(list)) {
		if pid, err := strconv.Atoi(field); err == nil && pid != os.Getpid() {
			syscall.Kill(pid, s)
		}
	}
}

// partition separates the node from the others and from the hosts: packets vanish.
func (n *node) partition() { ip(n.t, "link", "set", n.bridged, "nomaster") }

func (n *node) reunite() { ip(n.t, "link", "set", n.bridged, "master", "bridge") }

// etcd sends a signal to etcd on all nodes.
func (c *cluster) etcd(s syscall.Signal) {
	for _, n := range c.nodes {
		list, _ := exec.Command("ip", "netns", "pids", n.namespace).Output()
		for _, field := range strings.Fields(string(list)) {
			pid, _ := strconv.Atoi(field)
			if name, _ := os.ReadFile("/proc/" + field + "/comm"); strings.TrimSpace(string(name)) == "etcd" {
				syscall.Kill(pid, s)
			}
		}
	}
}

// member is what Patroni says about a node.
type member struct{ Name, Role, State string }

// members asks any node that responds.
func (c *cluster) members() (all []member) {
	for _, n := range c.nodes {
		response, err := c.client.Get("http://" + n.ip() + ":8008/cluster")
		if err != nil {
			continue
		}
		var body struct{ Members []member }
		err = json.NewDecoder(response.Body).Decode(&body)
		response.Body.Close()
		if err == nil && len(body.Members) > 0 {
			return body.Members
		}
	}
	return nil
}

// healthy waits until there are a leader, a synchronous standby and another standby.
func (c *cluster) healthy() {
	c.t.Helper()
	var members []member
	for end := time.Now().Add(hangGuard); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		members = c.members()
		roles := make(map[string]int)
		for _, m := range members {
			if m.State == "running" || m.State == "streaming" {
				roles[m.Role]++
			}
		}
		if roles["leader"] == 1 && roles["sync_standby"] == 1 && roles["replica"] == 1 {
			return
		}
	}
	for _, n := range c.nodes {
		for _, program := range []string{"patroni", "etcd"} {
			log, _ := os.ReadFile(filepath.Join(n.folder, program+".log"))
			c.t.Logf("%s of %s:\n%s", program, n.name, log[max(0, len(log)-3000):])
		}
	}
	c.t.Fatalf("the cluster does not become healthy: %v", members)
}

// withRole returns the node with a role.
func (c *cluster) withRole(role string) *node {
	c.t.Helper()
	for end := time.Now().Add(hangGuard); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, m := range c.members() {
			for _, n := range c.nodes {
				if m.Role == role && m.Name == n.name {
					return n
				}
			}
		}
	}
	c.t.Fatalf("no node is the %s", role)
	return nil
}

func (c *cluster) leader() *node  { return c.withRole("leader") }
func (c *cluster) standby() *node { return c.withRole("sync_standby") }

// switchOver makes a standby the leader, as an administrator does.
func (c *cluster) switchOver(leader *node) {
	c.t.Helper()
	client := http.Client{Timeout: hangGuard}
	response, err := client.Post("http://"+leader.ip()+":8008/switchover", "application/json", bytes.NewBufferString(`{"leader": "`+leader.name+`"}`))
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		c.t.Fatalf("switchover: %s", response.Status)
	}
}
