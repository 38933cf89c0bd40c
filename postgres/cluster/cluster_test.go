// Package cluster_test runs two hosts over a cluster of three PostgreSQL servers, which Patroni and
// etcd manage as they do in production, and breaks it under load. The parts are those of Debian:
//
//	apt-get install postgresql patroni etcd-server iproute2
//	CLUSTER=1 go test -v ./cluster
//
// It needs root on Linux, because each server is in a network namespace of its own. All traffic
// stays in these namespaces. It takes about five minutes.
package cluster_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
)

// wait is the limit of the hosts' calls; late is when an answer is late, far above that limit
// because the machine may be slow.
const (
	wait = 5 * time.Second
	late = wait + 10*time.Second
)

// hangGuard is far more than any step takes.
const hangGuard = 2 * time.Minute

// inside is set in the process that runs in the namespace of the hosts, to the prefix of the
// namespaces' names.
const inside = "CLUSTER_INSIDE"

// TestCluster runs itself again in a network namespace, and then removes all namespaces.
func TestCluster(t *testing.T) {
	if os.Getenv(inside) != "" {
		breakCluster(t, os.Getenv(inside))
		return
	}
	if os.Getenv("CLUSTER") == "" {
		t.Skip("NOT RUN: it takes five minutes: set CLUSTER=1")
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: only root makes network namespaces")
	}
	for _, program := range []string{"patroni", "etcd", "ip", "setpriv"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT RUN: %s is not installed (Debian's packages patroni, etcd-server, iproute2, util-linux)", program)
		}
	}
	prefix := fmt.Sprintf("cafe%d", os.Getpid())
	t.Cleanup(func() { removeNamespaces(prefix) })
	for _, name := range []string{"hosts", "n1", "n2", "n3"} { // here, since the other process does not see its own from outside
		if output, err := exec.Command("ip", "netns", "add", prefix+"-"+name).CombinedOutput(); err != nil {
			t.Skipf("NOT RUN: this machine allows no network namespaces: %s", output)
		}
	}
	folder := t.TempDir()
	os.Chmod(folder, 0o755)
	os.Chmod(filepath.Dir(folder), 0o755)
	host := filepath.Join(folder, "host")
	if output, err := exec.Command("go", "build", "-o", host, "../host").CombinedOutput(); err != nil {
		t.Fatalf("build the host: %v\n%s", err, output)
	}
	cmd := exec.CommandContext(t.Context(), "ip", "netns", "exec", prefix+"-hosts", os.Args[0], "-test.v", "-test.run=^TestCluster$")
	cmd.Env = append(os.Environ(), inside+"="+prefix, "CLUSTER_HOST="+host)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("in the namespace: %v", err)
	}
}

// removeNamespaces ends all that runs in the namespaces, and removes them.
func removeNamespaces(prefix string) {
	list, _ := exec.Command("ip", "netns", "list").Output()
	for line := range strings.Lines(string(list)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, prefix+"-") {
			signal(name, killed)
			exec.Command("ip", "netns", "delete", name).Run()
		}
	}
}

// faults are what happens to the cluster. Each is healed when the hosts have served again, or after
// a time without which there would be no outage.
var faults = []struct {
	name  string
	begin func(*cluster, *node)
	heal  func(*cluster, *node)
	hold  time.Duration // 0: until the hosts serve again
}{
	{"switchover", func(c *cluster, leader *node) { c.switchOver(leader) }, nil, 0},
	{"kill -9 of the leader's machine", func(_ *cluster, leader *node) { leader.signal(killed) },
		func(_ *cluster, leader *node) { leader.start() }, 0},
	{"SIGSTOP of the leader's machine", func(_ *cluster, leader *node) { leader.signal(stopped) },
		func(_ *cluster, leader *node) { leader.signal(continued) }, 0},
	{"partition of the leader", func(_ *cluster, leader *node) { leader.partition() },
		func(_ *cluster, leader *node) { leader.reunite() }, 0},
	{"SIGSTOP of the synchronous standby", func(c *cluster, _ *node) { c.victim = c.standby(); c.victim.signal(stopped) },
		func(c *cluster, _ *node) { c.victim.signal(continued) }, 0},
	{"etcd lost for 20 s", func(c *cluster, _ *node) { c.etcd(stopped) },
		func(c *cluster, _ *node) { c.etcd(continued) }, 20 * time.Second},
}

// breakCluster runs in the namespace of the hosts.
func breakCluster(t *testing.T, prefix string) {
	c := newCluster(t, prefix)
	c.healthy()
	var all []flowercatalog.Flower
	for i := range 100 {
		all = append(all, flowercatalog.Flower{Slug: fmt.Sprintf("flower-%02d", i), Name: fmt.Sprintf("Flower %02d", i)})
	}
	if _, err := flowers.Load(t.Context(), c.dsn(), func(yield func(flowercatalog.Flower, error) bool) {
		for _, f := range all {
			if !yield(f, nil) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second) // for the standbys to have them
	hosts := []*host{c.newHost(t), c.newHost(t)}
	t.Logf("the hosts are %s and %s, in the namespace %s-hosts", hosts[0].address, hosts[1].address, prefix)
	table := []string{header}
	for _, fault := range faults {
		c.healthy()
		leader := c.leader()
		ctx, stop := context.WithCancel(t.Context())
		l := newLoad(t, hosts)
		done := l.run(ctx)
		time.Sleep(2 * time.Second)
		begin := time.Now()
		fault.begin(c, leader)
		if fault.hold > 0 {
			time.Sleep(fault.hold)
			fault.heal(c, leader)
		}
		time.Sleep(time.Second)
		l.servedAgain()
		if fault.hold == 0 && fault.heal != nil {
			fault.heal(c, leader)
		}
		c.healthy()
		time.Sleep(time.Second)
		stop()
		<-done
		table = append(table, l.row(fault.name))
		l.check(fault.name)
		t.Logf("%s: the leader was %s and is %s; %v in all", fault.name, leader.name, c.leader().name, time.Since(begin).Round(time.Second))
	}
	for i, h := range hosts {
		log := h.log()
		t.Logf("log of host %d:\n%s", i, log)
		begins, ends := strings.Count(log, "outage begins"), strings.Count(log, "outage ends")
		if begins == 0 || begins != ends || strings.Contains(log, "10.77.0") {
			t.Errorf("the log of host %d has %d begins and %d ends of outages, want the same, and no address", i, begins, ends)
		}
	}
	t.Logf("two hosts, %d readers, a writer; limit %v\n%s", readers, wait, strings.Join(table, "\n"))
}
