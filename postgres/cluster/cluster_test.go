// Package cluster_test runs two hosts over a cluster of three PostgreSQL servers, which Patroni and
// etcd manage as they do in production, behind haproxy, and breaks it under load. The parts are
// those of Debian:
//
//	apt-get install postgresql patroni etcd-server haproxy iproute2
//	CLUSTER=1 go test -v ./cluster
//
// It needs root on Linux, because each server is in a network namespace of its own. All traffic
// stays in these namespaces. It takes about four minutes.
package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
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
		t.Skip("NOT RUN: it takes four minutes: set CLUSTER=1")
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: only root makes network namespaces")
	}
	for _, program := range []string{"patroni", "etcd", "haproxy", "ip", "setpriv"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT RUN: %s is not installed (Debian's packages patroni, etcd-server, haproxy, iproute2, util-linux)", program)
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
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &said), os.Stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("in the namespace: %v", err)
	}
	if strings.Contains(said.String(), "--- SKIP") {
		t.Skip("NOT RUN to the end: see above")
	}
}

// removeNamespaces ends all that runs in the namespaces, and removes them.
func removeNamespaces(prefix string) {
	list, _ := exec.Command("ip", "netns", "list").Output()
	for line := range strings.Lines(string(list)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, prefix+"-") {
			signal(name, "", killed)
			exec.Command("ip", "netns", "delete", name).Run()
		}
	}
}

// faults are what happens to the cluster. Each is healed when the hosts have served again, or after
// a time without which there would be no outage.
var faults = []struct {
	name        string
	begin, heal func(*cluster, state) error
	hold        time.Duration // 0: until the hosts serve again
}{
	{name: "switchover",
		begin: func(c *cluster, s state) error { return c.switchOver(s.leader) },
		heal:  func(*cluster, state) error { return nil }},
	{name: "kill -9 of the leader's machine",
		begin: func(_ *cluster, s state) error { return s.leader.signal(killed) },
		heal:  func(_ *cluster, s state) error { return s.leader.start() }},
	{name: "SIGSTOP of the leader's machine",
		begin: func(_ *cluster, s state) error { return s.leader.signal(stopped) },
		heal:  func(_ *cluster, s state) error { return s.leader.signal(continued) }},
	{name: "partition of the leader",
		begin: func(_ *cluster, s state) error { return s.leader.partition() },
		heal:  func(_ *cluster, s state) error { return s.leader.reunite() }},
	{name: "SIGSTOP of the synchronous standby",
		begin: func(_ *cluster, s state) error { return s.standby.signal(stopped) },
		heal:  func(_ *cluster, s state) error { return s.standby.signal(continued) }},
	{name: "etcd lost for 20 s", hold: 20 * time.Second,
		begin: func(c *cluster, _ state) error { return c.etcd(stopped) },
		heal:  func(c *cluster, _ state) error { return c.etcd(continued) }},
}

// breakCluster runs in the namespace of the hosts. What the cluster does wrong by itself ends the
// test as not run; what the hosts do wrong fails it. Both come with all logs.
func breakCluster(t *testing.T, prefix string) {
	c := newCluster(t, prefix)
	var hosts []*host
	hostLogs := t.TempDir()
	table := []string{header}
	t.Cleanup(func() {
		t.Logf("two hosts behind a balancer, %d readers of the hosts and two of the balancer, a writer; limit %v\n%s", readers, wait, strings.Join(table, "\n"))
		for i, h := range hosts {
			t.Logf("log of host %d:\n%s", i, h.log())
		}
		if t.Failed() || t.Skipped() {
			t.Logf("logs of the cluster:\n%s", c.logs())
		}
	})
	now, err := c.healthy()
	if err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	if err := loadFlowers(t.Context(), c.dsn()); err != nil {
		if unable := c.accepts(); unable != nil {
			t.Skipf("NOT RUN: %v", unable)
		}
		t.Fatal(err)
	}
	if err := c.haveFlowers(); err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	hosts = append(hosts, newHost(t, hostLogs, c.dsn()), newHost(t, hostLogs, c.dsn()))
	plain := func(h *host) string { return strings.TrimPrefix(h.address, "http://") }
	balancer := &host{address: "http://" + servertest.NewBalancer(t, "../deploy/haproxy.cfg", plain(hosts[0]), plain(hosts[1]))}
	for _, fault := range faults {
		before, begin := now, time.Now()
		l := newLoad(t, hosts, balancer)
		stop := l.run()
		time.Sleep(2 * time.Second)
		err := fault.begin(c, before)
		if err == nil {
			time.Sleep(max(fault.hold, time.Second))
			if fault.hold == 0 {
				err = l.servedAgain(c)
			}
		}
		err = errors.Join(err, fault.heal(c, before))
		if err == nil && fault.hold > 0 {
			err = l.servedAgain(c)
		}
		if err == nil {
			now, err = c.healthy()
		}
		stop()
		table = append(table, l.row(fault.name))
		l.check(fault.name)
		switch {
		case errors.Is(err, errStuck):
			t.Fatalf("%s: %v", fault.name, err)
		case err != nil:
			t.Skipf("NOT RUN from %q on, because of the cluster: %v", fault.name, err)
		}
		t.Logf("%s: the leader was %s and is %s, the synchronous standby was %s and is %s; %v in all", fault.name,
			before.leader.name, now.leader.name, before.standby.name, now.standby.name, time.Since(begin).Round(time.Second))
	}
	l := newLoad(t, hosts, balancer)
	stop := l.run()
	for _, h := range hosts {
		checkOutages(t, h)
	}
	stop()
	l.check("no fault")
}

// checkOutages checks that the host has logged the begin and the end of each outage.
// The host notices the end of an outage while it serves.
func checkOutages(t *testing.T, h *host) {
	t.Helper()
	var log string
	var begins, ends int
	for end := time.Now().Add(hangGuard); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		log = h.log()
		begins, ends = strings.Count(log, "outage begins"), strings.Count(log, "outage ends")
		if begins == ends {
			break
		}
	}
	if begins == 0 || begins != ends {
		t.Errorf("the log of %s has %d begins and %d ends of outages, want the same", h.address, begins, ends)
	}
}

const numberOfFlowers = 100

// loadFlowers loads the flowers that the readers read.
func loadFlowers(ctx context.Context, dsn string) error {
	_, err := flowers.Load(ctx, dsn, func(yield func(flowercatalog.Flower, error) bool) {
		for i := range numberOfFlowers {
			if !yield(flowercatalog.Flower{Slug: fmt.Sprintf("flower-%02d", i), Name: fmt.Sprintf("Flower %02d", i)}, nil) {
				return
			}
		}
	})
	return err
}
