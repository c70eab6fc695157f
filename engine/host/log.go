// This file writes the scripts' logs: a file per script.

package host

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/value"
)

// logSize is the size at which a script's log is renamed to NAME.log.1.
const logSize = 1 << 20

type logs struct {
	dir string
	mu  sync.Mutex
	// files are open log files by script.
	files map[string]*os.File
}

func newLogs(home string) *logs {
	l := &logs{files: map[string]*os.File{}}
	if home != "" {
		l.dir = filepath.Join(home, "logs")
	}
	return l
}

func (l *logs) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"log.debug": l.writer("debug"), "log.info": l.writer("info"),
		"log.warn": l.writer("warn"), "log.error": l.writer("error"),
	}
}

func (l *logs) writer(level string) engine.HostFunc {
	return func(c *engine.HostCall) (any, error) {
		script := c.Gen.Name
		c.Gen.Engine().Stream.MaskThen(words(list(c.Args[0])),
			func(text string) { l.write(script, level, text) })
		return nil, nil
	}
}

// words formats the arguments for a log.
func words(args []any) string {
	parts := make([]string, len(args))
	for i, v := range args {
		parts[i] = line(v)
	}
	return strings.Join(parts, " ")
}

// line formats a value for a log: text as it is, data as JSON.
func line(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case *value.Secret:
		return v.String()
	case engine.Func, *engine.Builtin:
		return "function"
	}
	s, err := jsonEncode(&engine.HostCall{Args: []any{shown(v, 0), nil}})
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return s.(string)
}

// shown returns v as data that can be encoded, whatever it holds.
func shown(v any, depth int) any {
	if depth > value.MaxDepth {
		return "..."
	}
	switch x := v.(type) {
	case engine.Func, *engine.Builtin:
		return "function"
	case *value.Lazy:
		return shown(x.Value(), depth)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = shown(e, depth+1)
		}
		return out
	case value.Object:
		out := map[string]any{}
		for _, k := range x.Keys() {
			if e, ok := x.Get(k); ok {
				out[k] = shown(e, depth+1)
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = shown(e, depth+1)
		}
		return out
	case value.List:
		out := make([]any, x.Len())
		for i := range out {
			out[i] = shown(x.At(i), depth+1)
		}
		return out
	}
	return v
}

// write appends a line. It ignores errors: a failing log must not stop a script.
func (l *logs) write(script, level, text string) {
	if l.dir == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.open(script)
	if f == nil {
		return
	}
	text = strings.ReplaceAll(text, "\n", "\n    ")
	fmt.Fprintf(f, "%s %-5s %s\n", time.Now().Format("2006-01-02 15:04:05.000"), level, text)
	if info, err := f.Stat(); err == nil && info.Size() > logSize {
		f.Close()
		delete(l.files, script)
		os.Rename(f.Name(), f.Name()+".1")
	}
}

func (l *logs) open(script string) *os.File {
	if f := l.files[script]; f != nil {
		return f
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil
	}
	f, err := regularfile.Open(filepath.Join(l.dir, scriptfile.LogName(script)),
		os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil
	}
	l.files[script] = f
	return f
}

func (l *logs) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.files {
		f.Close()
	}
	clear(l.files)
}
