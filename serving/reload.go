package serving

import (
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// OnSIGHUP calls reload for each SIGHUP, one call at a time. Several signals during a call cause
// one more call. Each result is logged to logger; nil means [slog.Default].
//
// The returned function stops this and waits for a call in progress.
func OnSIGHUP(logger *slog.Logger, reload func() error) (stop func()) {
	hangups, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		defer close(ended)
		for range hangups {
			begin := time.Now()
			if err := reload(); err != nil {
				loggerOrDefault(logger).Error("reload failed", "error", err)
				continue
			}
			loggerOrDefault(logger).Info("reloaded", "took", time.Since(begin))
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(hangups)
		select {
		case <-hangups: // its call has not begun
		default:
		}
		close(hangups)
		<-ended
	})
}
