package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file tells the state of the cluster, by PostgreSQL itself and without the hosts. Patroni
// alone is no witness: after a partition, its answer on one node may be older than a failover.

// state has the roles of the nodes, as all nodes report them.
type state struct{ leader, standby *node } // the standby is the synchronous one

// agreed returns the state if the cluster is complete: one server accepts writes, the other two
// follow it without a gap, one of them synchronously, and Patroni knows the same on each node.
// Without the last condition Patroni would not fail over.
func (c *cluster) agreed() (s state, err error) {
	follows := make(map[string]string)
	for _, n := range c.nodes {
		followers, isLeader, err := n.followers()
		switch {
		case err != nil:
			return s, fmt.Errorf("PostgreSQL of %s: %w", n.name, err)
		case isLeader && s.leader != nil:
			return s, fmt.Errorf("%s and %s accept writes", s.leader.name, n.name)
		case isLeader:
			s.leader, follows = n, followers
		}
	}
	if s.leader == nil {
		return s, errors.New("no server accepts writes")
	}
	for _, n := range c.nodes {
		if follows[n.name] == "sync" {
			s.standby = n
		}
	}
	if len(follows) != 2 || s.standby == nil {
		return s, fmt.Errorf("%s has the followers %v, want two and one of them sync", s.leader.name, follows)
	}
	for _, n := range c.nodes {
		roles, err := c.roles(n)
		if err != nil {
			return s, fmt.Errorf("patroni of %s: %w", n.name, err)
		}
		if len(roles) != 3 || roles[s.leader.name] != "leader" || roles[s.standby.name] != "sync_standby" {
			return s, fmt.Errorf("patroni of %s says %v, while %s accepts writes and %s is its synchronous standby",
				n.name, roles, s.leader.name, s.standby.name)
		}
	}
	return s, nil
}

// brief is the time limit of one query.
const brief = 3 * time.Second

// followers returns whether PostgreSQL on a node accepts writes, and how each standby follows it.
func (n *node) followers() (followers map[string]string, isLeader bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), brief)
	defer cancel()
	conn, err := pgx.Connect(ctx, n.dsn())
	if err != nil {
		return nil, false, err
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, "SELECT NOT pg_is_in_recovery()").Scan(&isLeader); err != nil || !isLeader {
		return nil, false, err
	}
	rows, err := conn.Query(ctx, "SELECT application_name, sync_state FROM pg_stat_replication WHERE state = 'streaming'")
	if err != nil {
		return nil, false, err
	}
	followers = make(map[string]string)
	var name, how string
	_, err = pgx.ForEachRow(rows, []any{&name, &how}, func() error {
		followers[name] = how
		return nil
	})
	return followers, true, err
}

// roles returns the roles of all nodes that run, as Patroni on n knows them.
func (c *cluster) roles(n *node) (map[string]string, error) {
	response, err := c.client.Get("http://" + n.ip() + ":8008/cluster")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var body struct {
		Members []struct{ Name, Role, State string }
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return nil, err
	}
	roles := make(map[string]string)
	for _, m := range body.Members {
		if m.State == "running" || m.State == "streaming" {
			roles[m.Name] = m.Role
		}
	}
	return roles, nil
}

// healthy waits until the cluster is complete. An old leader may not be able to follow, though
// Patroni believes so: its log ends with "invalid resource manager ID" again and again. After a
// while, such nodes get a new copy, as an administrator would do it.
func (c *cluster) healthy() (s state, err error) {
	begin, copied := time.Now(), false
	for time.Since(begin) < hangGuard {
		if s, err = c.agreed(); err == nil {
			return s, nil
		}
		if !copied && time.Since(begin) > hangGuard/3 {
			copied = true
			c.t.Logf("%v: nodes that do not follow get a new copy", err)
			c.copyAgain()
		}
		time.Sleep(200 * time.Millisecond)
	}
	return s, fmt.Errorf("the cluster does not become whole: %w", err)
}

// copyAgain makes the nodes that do not follow copy the leader's data again.
func (c *cluster) copyAgain() {
	for _, leader := range c.nodes {
		following, isLeader, _ := leader.followers()
		if !isLeader {
			continue
		}
		for _, n := range c.nodes {
			if n != leader && following[n.name] == "" {
				response, err := c.client.Post("http://"+n.ip()+":8008/reinitialize", "application/json", strings.NewReader(`{"force": true}`))
				if err == nil {
					response.Body.Close()
				}
			}
		}
	}
}

// accepts returns an error if no server accepts a change of a client that is not one of the hosts.
func (c *cluster) accepts() error {
	var all error
	for _, n := range c.nodes {
		err := n.accepts()
		if err == nil {
			return nil
		}
		all = errors.Join(all, err)
	}
	return all
}

// accepts changes something. That has no limit on the server, which would report success for a
// change that no standby has.
func (n *node) accepts() error {
	ctx, cancel := context.WithTimeout(context.Background(), brief)
	defer cancel()
	conn, err := pgx.Connect(ctx, n.dsn())
	if err == nil {
		_, err = conn.Exec(ctx, "CREATE TABLE IF NOT EXISTS witness (at timestamptz); INSERT INTO witness VALUES (now())")
		conn.Close(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	return nil
}

// haveFlowers waits until all nodes have the flowers.
func (c *cluster) haveFlowers() error {
	for _, n := range c.nodes {
		count, err := n.flowers()
		for end := time.Now().Add(hangGuard); count < numberOfFlowers && time.Now().Before(end); count, err = n.flowers() {
			time.Sleep(100 * time.Millisecond)
		}
		if count < numberOfFlowers {
			return fmt.Errorf("%s has %d flowers, want %d (%v)", n.name, count, numberOfFlowers, err)
		}
	}
	return nil
}

func (n *node) flowers() (count int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), brief)
	defer cancel()
	conn, err := pgx.Connect(ctx, n.dsn())
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "SELECT count(*) FROM flowers").Scan(&count)
	return count, err
}

// everySecond matches the lines that Patroni logs repeatedly.
var everySecond = regexp.MustCompile(`INFO: (no action|Lock owner|reinitialize in progress)`)

// logs returns what the programs of all nodes said last.
func (c *cluster) logs() string {
	var text strings.Builder
	for _, n := range c.nodes {
		for _, program := range []string{"patroni", "etcd"} { // Patroni's has PostgreSQL's too
			log, _ := os.ReadFile(filepath.Join(n.folder, program+".log"))
			lines := strings.SplitAfter(string(log), "\n")
			lines = slices.DeleteFunc(lines, func(line string) bool { return everySecond.MatchString(line) })
			fmt.Fprintf(&text, "--- %s of %s:\n%s\n", program, n.name, strings.Join(lines[max(0, len(lines)-100):], ""))
		}
	}
	return text.String()
}
