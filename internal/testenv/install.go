package testenv

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// pauses are the pauses between the tries.
var pauses = [...]time.Duration{5 * time.Second, 20 * time.Second, time.Minute}

// limit guards one try against hanging.
const limit = 5 * time.Minute

// Install runs a command in a directory until it succeeds, at most four times, with pauses. The
// error contains the command's output, such as the registry that it did not reach. It ends with
// ctx.
func Install(ctx context.Context, dir, program string, args ...string) error {
	return Retry(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		command := exec.CommandContext(ctx, program, args...)
		command.Dir = dir
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, output)
		}
		return nil
	})
}

// Retry is [Install] for a function.
func Retry(ctx context.Context, do func(context.Context) error) error {
	for tries := 1; ; tries++ {
		err := do(ctx)
		if err == nil {
			return nil
		}
		if tries > len(pauses) || ctx.Err() != nil {
			return fmt.Errorf("install, tried %d times: %w", tries, err)
		}
		select {
		case <-time.After(pauses[tries-1]):
		case <-ctx.Done():
		}
	}
}
