package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// This file measures the cost of the access log: examples/host runs with and without it and gets
// requests over loopback. The time is the CPU time of the host. Its standard error is a file.

func accessLog(ctx context.Context) (b *benchmark, err error) {
	const clients = 8
	b = &benchmark{
		about:     fmt.Sprintf("GET %s of examples/host with its access log, by %d clients at once, the server alone", flowerPath, clients),
		reference: "without", perPass: clients, turnFactor: 3,
	}
	dir, err := os.MkdirTemp("", "benchmarks-host-")
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { os.RemoveAll(dir) })
	defer func() {
		if err != nil {
			b.stop()
		}
	}()
	if _, err := processTime(os.Getpid()); err != nil {
		b.leaveOut("flowercafe", err.Error())
		return b, nil
	}
	program := filepath.Join(dir, "host")
	if output, err := exec.CommandContext(ctx, "go", "build", "-C", "..", "-o", program, "./examples/host").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build examples/host: %w: %s", err, output)
	}
	for _, c := range []struct{ name, flag string }{{"flowercafe", "-access-log"}, {"without", "-access-log=false"}} {
		log, err := os.Create(filepath.Join(dir, c.name+".log"))
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, program, "-addr", "127.0.0.1:0", c.flag)
		cmd.Stderr = log
		host, first, err := start(cmd, "")
		log.Close()
		if err != nil {
			return nil, err
		}
		b.closers = append(b.closers, func() { cmd.Process.Signal(syscall.SIGTERM); host.stop() })
		address := strings.TrimSuffix(strings.TrimPrefix(first, "listening on http://"), "/")
		if err := b.enterServer(ctx, c.name, address, flowerPath, func() time.Duration {
			spent, err := processTime(cmd.Process.Pid)
			if err != nil {
				return 0
			}
			return spent
		}); err != nil {
			return nil, err
		}
	}
	return b, nil
}
