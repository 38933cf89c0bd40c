package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// This program starts itself, with a role in the environment: as a worker in another layout, a
// server, or many clients. Such a process prints a line when it is ready, and then one for each
// line on its standard input. It ends when its input is closed.

const roleVariable = "BENCHMARKS_ROLE"

func playRole(role string) error {
	kind, rest, _ := strings.Cut(role, " ")
	switch kind {
	case "measure":
		return measureOnCommand(rest)
	case "server":
		return serveOnCommand(rest)
	case "clients":
		return sendOnCommand(rest)
	}
	return fmt.Errorf("%s=%q: not a role", roleVariable, role)
}

type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startRole starts this program in a role and returns the first line that it prints.
func startRole(ctx context.Context, role string) (*process, string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	return start(exec.CommandContext(ctx, program), role)
}

func start(cmd *exec.Cmd, role string) (*process, string, error) {
	cmd.Env = append(cmd.Environ(), roleVariable+"="+role)
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	p := &process{cmd, in, bufio.NewReader(out)}
	first, err := p.line()
	if err != nil {
		p.stop()
		return nil, "", fmt.Errorf("%s: %w", role, err)
	}
	return p, first, nil
}

// tell sends a line and returns the line that comes back.
func (p *process) tell(line string) (string, error) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return "", err
	}
	return p.line()
}

func (p *process) line() (string, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the process has ended: %w", errors.Join(err, p.cmd.Err))
	}
	return strings.TrimSuffix(line, "\n"), nil
}

func (p *process) stop() {
	p.in.Close()
	p.cmd.Wait()
}
