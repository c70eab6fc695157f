// This file keeps what libraries log off the screen: net/http, for one, logs bytes that a server
// sends unasked.

package main

import (
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/plain"
)

// libraryLogMost is how much libraries may log in one file: enough to find a cause, and an end to a
// server that sends garbage for ever.
const libraryLogMost = 1 << 20

// libraryLog writes what the standard logger, and log/slog through it, is given, to logs/agent.log,
// masked.
type libraryLog struct {
	path string
	mask func(text string, use func(masked string)) // see engine.Stream.MaskThen

	mu   sync.Mutex
	file *os.File // nil: not open yet
}

// logLibraries sends the standard logger to a file below home until the returned function is
// called. Then, as before, what is logged is dropped: see main.
func (a *app) logLibraries(home string) (stop func()) {
	l := &libraryLog{path: filepath.Join(home, "logs", "agent.log"), mask: a.engine.Stream.MaskThen}
	log.SetOutput(l)
	return func() {
		log.SetOutput(io.Discard)
		l.close()
	}
}

// crashLog is the file that takes what the Go runtime says when a fatal error ends the program.
func (a *app) crashLog() string { return filepath.Join(a.home, "logs", "crash.log") }

// Write implements io.Writer. It never fails: there is nobody to tell.
func (l *libraryLog) Write(b []byte) (int, error) {
	l.mask(strings.TrimRight(string(b), "\n"), l.append)
	return len(b), nil
}

func (l *libraryLog) append(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		if os.MkdirAll(filepath.Dir(l.path), 0o700) != nil {
			return
		}
		f, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return
		}
		l.file = f
	}
	if info, err := l.file.Stat(); err != nil || info.Size() > libraryLogMost &&
		l.file.Truncate(0) != nil {
		return
	}
	text = time.Now().Format("2006-01-02 15:04:05.000 ") + strings.ReplaceAll(plain.Text(text),
		"\n", "\n    ") + "\n"
	_, _ = l.file.WriteString(text)
}

func (l *libraryLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}
