package serving

import (
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// OnHangup calls reload for each SIGHUP, one call at a time. Several signals during a call cause
// one more call. Each result is logged to logger, or to [slog.Default] if it is nil. Stop ends
// this, and waits for a call in progress; it may be called several times. Reload should leave
// things as they were if it returns an error.
func OnHangup(logger *slog.Logger, reload func() error) (stop func()) {
	logger = orDefault(logger)
	hangups, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		defer close(ended)
		for range hangups {
			begin := time.Now()
			if err := reload(); err != nil {
				logger.Error("reload failed", "error", err)
				continue
			}
			logger.Info("reloaded", "took", time.Since(begin))
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(hangups)
		close(hangups)
		<-ended
	})
}
