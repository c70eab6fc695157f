// This file keeps the log output of libraries off the screen: net/http, for one, logs unexpected
// bytes from a server.

package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
)

// libraryLogMost is the largest number of bytes that libraries may log to one file: enough to find
// a cause, and a limit for a server that keeps sending garbage.
const libraryLogMost = 1 << 20

// libraryLog writes the output of the standard logger, which log/slog uses too, to logs/agent.log,
// masked.
type libraryLog struct {
	path string
	mask func(text string, use func(masked string)) // see engine.Stream.MaskThen

	mu   sync.Mutex
	file *os.File // nil: not open yet
}

// logLibraries redirects the standard logger to a file below home until the returned function is
// called. Outside of all such calls, log output is discarded: see main.
func (a *app) logLibraries(home string) (stop func()) {
	l := &libraryLog{path: filepath.Join(home, "logs", "agent.log"), mask: a.engine.Stream.MaskThen}
	before := log.Writer()
	log.SetOutput(l)
	return func() {
		log.SetOutput(before)
		l.close()
	}
}

// crashLog returns the path of the file for the Go runtime's report of a fatal error.
func (a *app) crashLog() string { return filepath.Join(a.home, "logs", "crash.log") }

// Write implements io.Writer. It never fails, because there is no one to notify.
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
		f, err := regularfile.Open(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
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
