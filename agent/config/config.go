// Package config reads what the user has set in config.toml, and finds the project of a directory.
//
//	c, warnings := config.Load(home)
//
// A mistake in the file is a warning that names the line: the agent starts all the same, with the rest.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/agentscripts/agent/engine"
)

// Config is what the user has set. The zero value: nothing.
type Config struct {
	Model      string            // "provider/id"
	Permission engine.Permission // one of engine.Permissions(), or ""
}

// file is the file's name in the agent's own directory.
const file = "config.toml"

// keys are the names that the file may set.
var keys = [...]string{"model", "permission"}

// Warning is a mistake in the file.
type Warning struct {
	Line    int // 1-based, 0 = unknown
	Message string
}

// String is `config.toml:3: unknown key "modle"; did you mean "model"?`.
func (w Warning) String() string {
	if w.Line == 0 {
		return file + ": " + w.Message
	}
	return fmt.Sprintf("%s:%d: %s", file, w.Line, w.Message)
}

// Load reads config.toml in home; none is no mistake. The Config is never nil.
func Load(home string) (*Config, []Warning) {
	b, err := os.ReadFile(filepath.Join(home, file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Config{}, nil
	case err != nil:
		return &Config{}, []Warning{unused(0, err.Error())}
	}
	return parse(string(b))
}

func unused(line int, message string) Warning {
	return Warning{line, message + "; nothing of the file is used"}
}

func parse(text string) (*Config, []Warning) {
	var m map[string]any
	if _, err := toml.Decode(text, &m); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return &Config{}, []Warning{unused(pe.Position.Line, pe.Message)}
		}
		return &Config{}, []Warning{unused(0, err.Error())}
	}
	r := reader{text: text}
	for _, k := range engine.SortedKeys(m) {
		r.set(k, m[k])
	}
	return &r.Config, r.warnings
}

// reader takes keys one by one and collects what is wrong with them.
type reader struct {
	Config
	text     string
	warnings []Warning
}

func (r *reader) set(key string, v any) {
	s, ok := v.(string)
	switch {
	case key != "model" && key != "permission":
		r.warn(key, "unknown key %q%s", key, engine.DidYouMean(key, keys[:]))
	case !ok:
		r.warn(key, "%s: got %s, want a string", key, engine.TypeName(v))
	case key == "model":
		r.Model = s
	default:
		r.setPermission(s)
	}
}

func (r *reader) setPermission(s string) {
	var names []string
	for _, p := range engine.Permissions() {
		if string(p) == s {
			r.Permission = p
			return
		}
		names = append(names, string(p))
	}
	r.warn("permission", "permission: got %q, want one of %s%s", s, strings.Join(names, ", "), engine.DidYouMean(s, names))
}

func (r *reader) warn(key, format string, args ...any) {
	r.warnings = append(r.warnings, Warning{line(r.text, key), fmt.Sprintf(format, args...)})
}

// line finds where a top-level key or table is set, 1-based; 0 if it is written in an unusual way. The decoder
// does not tell.
func line(text, key string) int {
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		table := strings.HasPrefix(l, "[")
		l = strings.TrimLeft(l, "[ \t")
		for _, quote := range []string{"", `"`, "'"} {
			rest, ok := strings.CutPrefix(l, quote+key+quote)
			rest = strings.TrimLeft(rest, " \t")
			if ok && (table && strings.IndexAny(rest, "].") == 0 || !table && strings.IndexAny(rest, "=.") == 0) {
				return i + 1
			}
		}
	}
	return 0
}
