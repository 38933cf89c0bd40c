package cluster_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

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
func ip(args ...string) error {
	if output, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, output)
	}
	return nil
}

// newCluster connects the nodes by a bridge in this namespace, and starts them.
func newCluster(t *testing.T, prefix string) *cluster {
	c := &cluster{t: t, client: http.Client{Timeout: brief}}
	must := func(args ...string) {
		t.Helper()
		if err := ip(args...); err != nil {
			t.Fatal(err)
		}
	}
	must("link", "set", "lo", "up")
	must("link", "add", "bridge", "type", "bridge")
	must("address", "add", "10.77.0.254/24", "dev", "bridge")
	must("link", "set", "bridge", "up")
	for number := 1; number <= 3; number++ {
		n := &node{t: t, name: fmt.Sprintf("n%d", number), number: number, folder: servertest.Folder(t)}
		n.namespace, n.bridged = prefix+"-"+n.name, "cable"+strconv.Itoa(number)
		must("link", "add", n.bridged, "type", "veth", "peer", "name", "eth0", "netns", n.namespace)
		must("link", "set", n.bridged, "master", "bridge", "up")
		must("-n", n.namespace, "address", "add", n.ip()+"/24", "dev", "eth0")
		must("-n", n.namespace, "link", "set", "eth0", "up")
		must("-n", n.namespace, "link", "set", "lo", "up")
		c.nodes = append(c.nodes, n)
		n.configure()
		if err := n.start(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			n.signal(killed)
		}
	})
	return c
}

const credentials = " user=cafe dbname=postgres sslmode=disable"

func (c *cluster) dsn() string { return "host=10.77.0.1,10.77.0.2,10.77.0.3" + credentials }

func (n *node) dsn() string { return "host=" + n.ip() + credentials }

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
  basebackup: [{checkpoint: fast}]
  authentication: {superuser: {username: cafe}, replication: {username: replicator}}
  parameters:
    unix_socket_directories: FOLDER
    fsync: "off"
    shared_buffers: 32MB
    wal_sender_timeout: 5s # a leader that was cut off waits for its standbys when it stops, and Patroni 3.0 loses patience
    wal_receiver_timeout: 5s
    log_min_messages: log # no errors of statements, which the writer causes on purpose
    log_checkpoints: "off"
`)
	file := filepath.Join(n.folder, "patroni.yml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		n.t.Fatal(err)
	}
	servertest.Own(n.t, file)
}

// start starts the programs of the node.
func (n *node) start() error {
	state := "new"
	if _, err := os.Stat(filepath.Join(n.folder, "etcd")); err == nil {
		state = "existing"
	}
	err := n.run("etcd", "--name", n.name, "--data-dir", filepath.Join(n.folder, "etcd"), "--log-level", "error",
		"--listen-peer-urls", "http://"+n.ip()+":2380", "--initial-advertise-peer-urls", "http://"+n.ip()+":2380",
		"--listen-client-urls", "http://"+n.ip()+":2379", "--advertise-client-urls", "http://"+n.ip()+":2379",
		"--initial-cluster", "n1=http://10.77.0.1:2380,n2=http://10.77.0.2:2380,n3=http://10.77.0.3:2380",
		"--initial-cluster-state", state, "--unsafe-no-fsync",
		"--enable-v2") // with version 3, Patroni 3.0 may fail for ever to set its key of the synchronous standby
	return errors.Join(err, n.run("patroni", filepath.Join(n.folder, "patroni.yml")))
}

// run starts a program in the node's namespace, as the user that runs PostgreSQL.
func (n *node) run(program string, args ...string) error {
	log, err := os.OpenFile(filepath.Join(n.folder, program+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	inside := []string{"netns", "exec", n.namespace, "setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", program}
	cmd := exec.Command("ip", append(inside, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", log, log
	cmd.Env = append(os.Environ(), "HOME="+n.folder)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	return nil
}

// signal sends a signal to all that runs on the node.
func (n *node) signal(s syscall.Signal) error { return signal(n.namespace, "", s) }

// signal sends a signal to the processes in a namespace, or to those with a name.
func signal(namespace, name string, s syscall.Signal) error {
	list, err := exec.Command("ip", "netns", "pids", namespace).Output()
	if err != nil {
		return fmt.Errorf("processes in %s: %w", namespace, err)
	}
	for _, field := range strings.Fields(string(list)) {
		running, _ := os.ReadFile("/proc/" + field + "/comm")
		if pid, err := strconv.Atoi(field); err == nil && pid != os.Getpid() && (name == "" || strings.TrimSpace(string(running)) == name) {
			syscall.Kill(pid, s)
		}
	}
	return nil
}

// partition separates the node from the others and from the hosts: packets vanish.
func (n *node) partition() error { return ip("link", "set", n.bridged, "nomaster") }

func (n *node) reunite() error { return ip("link", "set", n.bridged, "master", "bridge") }

// etcd sends a signal to etcd on all nodes.
func (c *cluster) etcd(s syscall.Signal) error {
	for _, n := range c.nodes {
		if err := signal(n.namespace, "etcd", s); err != nil {
			return err
		}
	}
	return nil
}

// switchOver makes a standby the leader, as an administrator does.
func (c *cluster) switchOver(leader *node) error {
	client := http.Client{Timeout: hangGuard}
	response, err := client.Post("http://"+leader.ip()+":8008/switchover", "application/json", bytes.NewBufferString(`{"leader": "`+leader.name+`"}`))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(response.Body)
		return fmt.Errorf("switchover: %s: %s", response.Status, said)
	}
	return nil
}
